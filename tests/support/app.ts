import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startInbox } from '../../scripts/inbox.ts'
import { startProviders } from '../../scripts/oauth.ts'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'
import { createDatabase, dropDatabase, findServer, runDb } from './database.ts'
import { type RunningServer, startServer } from './server.ts'

export interface TestApp {
  env: Record<
    | 'DATABASE_URL'
    | 'AUTH_SECRET'
    | 'DEV_PASSWORD'
    | 'ALLOW_SEEDED_PEOPLE'
    | 'TRUSTED_PROXY_HOPS'
    | 'SMTP_URL'
    | 'MAIL_FROM'
    | 'DEV_INBOX'
    | 'WORKER',
    string
  >
  app: RunningServer
  stop: () => Promise<void>
}

/** With TEST_POOLER_URL the app reaches its database through the pooler in transaction mode that is there. */
function reachable({ url, name }: { url: string; name: string }): { DATABASE_URL: string; DATABASE_POOLER?: string } {
  const pooler = process.env.TEST_POOLER_URL
  return pooler ? { DATABASE_URL: `${pooler}/${name}`, DATABASE_POOLER: 'transaction' } : { DATABASE_URL: url }
}

/** The production build on a freshly seeded database of its own, with an inbox for its mails. */
export async function startApp(): Promise<TestApp> {
  if (!existsSync(join(root, '.next', 'BUILD_ID'))) {
    throw new Error('There is no production build. Run "npm run build" first.')
  }
  const server = await findServer()
  const database = await createDatabase(server.url)
  const folder = mkdtempSync(join(tmpdir(), 'plinth-inbox-'))
  const inbox = await startInbox(folder)
  const env = {
    ...inbox.env,
    WORKER: 'inside',
    ...reachable(database),
    AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    DEV_PASSWORD: 'journeys-need-one-7',
    ALLOW_SEEDED_PEOPLE: '1',
    // So that each test can be a caller of its own.
    TRUSTED_PROXY_HOPS: '1',
  }
  // Directly: locks of a migration belong to a connection.
  runDb('migrate', database.url)
  runDb('seed', database.url, env.DEV_PASSWORD)
  const port = await freePort()
  const providers = await startProviders(`http://localhost:${port}`)
  const app = await startServer('start', { ...env, ...providers.env }, { port })
  const stop = async () => {
    await app.stop()
    await providers.stop()
    await inbox.stop()
    rmSync(folder, { recursive: true, force: true })
    await dropDatabase(server.url, database.name)
    await server.stop()
  }
  return { env, app, stop }
}
