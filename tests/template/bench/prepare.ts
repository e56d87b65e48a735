// What the comparisons need: the baseline, a database with users and a session, and requests to both.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hash as hashPassword } from '@node-rs/argon2'
// biome-ignore lint/style/noRestrictedImports: the baseline uses Auth.js directly
import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'
import { startApp } from '../../app/support/app.ts'
import { startCollector } from '../../app/support/collector.ts'
import { type RunningServer, startServer } from '../../app/support/server.ts'
import { buildBare } from './bare.ts'
import { pinAway, pinnedToServerCore, type Request } from './load.ts'

const password = 'a long password for a bench 7'
const userCount = 500

export type Make = () => Request
export type Start = () => Promise<RunningServer>

export interface World {
  start: Record<'ours' | 'oursOnAllCores' | 'bare' | 'withMetrics' | 'withTraces', Start>
  requests: Record<
    | 'health'
    | 'byCookie'
    | 'byBearer'
    | 'bareSelect'
    | 'authJs'
    | 'signIn'
    | 'bareSignIn'
    | 'landing'
    | 'heavy'
    | 'dashboard'
    | 'nobody',
    Make
  >
  /** Keeps the database away from the core of the server. Call it once the server has its connections. */
  pinDatabase: () => Promise<void>
  stop: () => Promise<void>
}

const get =
  (path: string, headers: Record<string, string> = {}): Make =>
  () => ({ path, headers })

/** Each from a random IP: one IP may sign in only 60 times in ten minutes. */
const signIn =
  (path: string): Make =>
  () => ({
    path,
    headers: { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` },
    body: { email: `bench-${randomInt(userCount) + 1}@example.com`, password, redirect: false },
  })

async function insertUsers(client: pg.Client, tokenHash: Buffer): Promise<void> {
  await client.query(
    "insert into sessions (user_id, token_hash) select id, $1 from users where email = 'viewer@example.com'",
    [tokenHash],
  )
  await client.query(
    `with made as (
       insert into users (email, name, email_verified_at)
       select 'bench-' || n || '@example.com', 'Ada', now() from generate_series(1, $1) as n returning id
     ) insert into passwords (user_id, hash) select id, $2 from made`,
    [userCount, await hashPassword(password, { memoryCost: 19456, timeCost: 2, parallelism: 1 })],
  )
}

/** Builds the baseline and fills a database. BENCH_BARE names a folder with a baseline that was built before. */
export async function prepare(): Promise<World> {
  const built = process.env.BENCH_BARE
  const folder = built ?? buildBare(statSync(join(root, '.next', 'server', 'app', 'index.html')).size)
  const { app, env: appEnv, stop } = await startApp()
  await app.stop()
  // Without the worker in the process, whose processor time would count.
  const env = { ...appEnv, WORKER: 'apart' }
  const token = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(token).digest()
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  await insertUsers(client, tokenHash)
  const collector = await startCollector()
  const authJsCookie = await encode({
    token: { name: 'Vera', email: 'viewer@example.com', sub: '1' },
    secret: env.AUTH_SECRET,
    salt: 'authjs.session-token',
  })

  const onServerCore = { commandPrefix: pinnedToServerCore, pollMs: 5 }
  const startWith = async (more: Record<string, string> = {}) =>
    startServer('start', { ...env, METRICS_PORT: String(await findFreePort()), ...more }, onServerCore)
  const cookie = `plinth.session=${token}`
  return {
    start: {
      ours: () => startServer('start', env, onServerCore),
      oursOnAllCores: () => startServer('start', env),
      bare: () => startServer('start', env, { ...onServerCore, folder }),
      withMetrics: () => startWith(),
      withTraces: () =>
        startWith({
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.env.OTEL_EXPORTER_OTLP_ENDPOINT,
          OTEL_TRACES_SAMPLER_ARG: '0.1',
        }),
    },
    requests: {
      health: get('/api/health'),
      byCookie: get('/api/auth/session', { cookie }),
      byBearer: get('/api/auth/session', { authorization: `Bearer ${token}` }),
      nobody: get('/api/auth/session'),
      bareSelect: get('/api/select', { 'x-hash': tokenHash.toString('hex') }),
      authJs: get('/api/auth/session', { cookie: `authjs.session-token=${authJsCookie}` }),
      signIn: signIn('/api/auth/signin'),
      bareSignIn: signIn('/api/signin'),
      landing: get('/'),
      heavy: get('/heavy'),
      dashboard: get('/dashboard', { cookie }),
    },
    pinDatabase: async () => {
      const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()')
      pinAway(rows.map(({ pid }) => pid))
    },
    stop: async () => {
      await client.end()
      await collector.stop()
      await stop()
      if (!built) rmSync(folder, { recursive: true, force: true })
    },
  }
}
