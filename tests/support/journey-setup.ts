import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { createDatabase, dropDatabase, findServer, runDb } from './database.ts'
import { startServer } from './server.ts'

const password = 'journeys-need-one-7'

/** A production build and a development server, both on one freshly seeded database. */
export default async function setup() {
  if (!existsSync(join(root, '.next', 'BUILD_ID')))
    throw new Error('There is no production build. Run "npm run build" first.')
  const server = await findServer()
  const database = await createDatabase(server.url)
  runDb('migrate', database.url)
  runDb('seed', database.url, password)
  const env = {
    DATABASE_URL: database.url,
    AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    DEV_PASSWORD: password,
  }
  const app = await startServer('start', env)
  const dev = await startServer('dev', env)
  process.env.APP_URL = app.url
  process.env.DEV_URL = dev.url
  process.env.DATABASE_URL = database.url
  process.env.DEV_PASSWORD = password
  return async () => {
    await Promise.all([app.stop(), dev.stop()])
    await dropDatabase(server.url, database.name)
    await server.stop()
  }
}
