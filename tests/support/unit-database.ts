import { afterAll, inject } from 'vitest'
import { createDatabase, dropDatabase } from './database.ts'

// Before a test file imports anything that connects.
const server = inject('server')
const database = await createDatabase(server, inject('template'))
process.env.DATABASE_URL = database.url
process.env.AUTH_SECRET = 'only-for-tests-0123456789-abcdefghijkl'
process.env.AUTH_URL = 'http://localhost:3000'
process.env.LOG_LEVEL ??= 'silent'

afterAll(async () => {
  // Only when the file used it: importing it here would open it for everybody.
  await (globalThis as { plinthPool?: { end(): Promise<void> } }).plinthPool?.end()
  await dropDatabase(server, database.name)
})
