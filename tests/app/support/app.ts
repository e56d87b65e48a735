import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startInbox } from '../../../scripts/inbox.ts'
import { startProviders } from '../../../scripts/oauth.ts'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'
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

/** With TEST_POOLER_URL the app connects through that connection pooler, which must be in transaction mode. */
function databaseEnv({ url, name }: { url: string; name: string }): { DATABASE_URL: string; DATABASE_POOLER?: string } {
  const pooler = process.env.TEST_POOLER_URL
  return pooler ? { DATABASE_URL: `${pooler}/${name}`, DATABASE_POOLER: 'transaction' } : { DATABASE_URL: url }
}

/**
 * Starts the production build with its own seeded database, an SMTP inbox for its emails, and test OAuth providers: Google, GitHub
 * and those that `startOthers` starts.
 */
export async function startApp(startOthers?: typeof startProviders): Promise<TestApp> {
  if (!existsSync(join(root, '.next', 'BUILD_ID'))) {
    throw new Error('There is no production build. Run "npm run build" first.')
  }
  const server = await findServer()
  const database = await createDatabase(server.url)
  const folder = mkdtempSync(join(tmpdir(), 'plinth-inbox-'))
  const inbox = await startInbox(folder, 0, 10_000)
  const env = {
    ...inbox.env,
    WORKER: 'inside',
    ...databaseEnv(database),
    AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    DEV_PASSWORD: 'e2e-needs-one-too-7',
    ALLOW_SEEDED_PEOPLE: '1',
    // Lets each test choose its client IP with X-Forwarded-For, because rate limits count by IP.
    TRUSTED_PROXY_HOPS: '1',
  }
  // Without the pooler: migrations take session-level locks, which do not work in transaction mode.
  runDb('migrate', database.url)
  runDb('seed', database.url, env.DEV_PASSWORD)
  const port = await findFreePort()
  const providers = await startProviders(`http://localhost:${port}`)
  const others = await startOthers?.(`http://localhost:${port}`)
  const app = await startServer('start', { ...env, ...providers.env, ...others?.env }, { port })
  const stop = async () => {
    await app.stop()
    await providers.stop()
    await others?.stop()
    await inbox.stop()
    rmSync(folder, { recursive: true, force: true })
    await dropDatabase(server.url, database.name)
    await server.stop()
  }
  return { env, app, stop }
}
