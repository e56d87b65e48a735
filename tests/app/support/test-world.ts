import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { type Browser, chromium } from '@playwright/test'
import pg from 'pg'
import playwright from '../../../playwright.config.ts'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'
import { appSlug } from '../../../src/brand.ts'
import type { Role } from '../../../src/core/auth/roles.ts'
import { startApp, type TestApp } from './app.ts'
import { countPasswordComparisons } from './attempt-sign-in.ts'
import { type RequestTarget, submitAction } from './call-action.ts'
import { completeOutput } from './complete-output.ts'
import { createDatabase, dropDatabase, findServer, runDb } from './database.ts'
import { type CallOptions, call, type HttpResponse, Jar, markSecure, trustCertificate } from './http-client.ts'
import { emailsTo, type ReceivedEmail } from './inbox.ts'
import { newProxyUrl, startProxy } from './proxy.ts'
import { registerSecret } from './response-invariants.ts'
import { type RunningServer, startServer } from './server.ts'
import type { ActionResponse } from './server-actions.ts'

/** The password of every user that a check creates. */
export const password = 'correct horse battery staple 9'
export const wrongPassword = 'the wrong horse altogether 4'

/** The current Argon2 parameters, repeated here so that an accidental change is noticed. */
export const hashOptions = { memoryCost: 19456, timeCost: 2, parallelism: 1 }

export interface TestUser {
  id: string
  email: string
}

export interface ProxiedApp {
  url: string
  certificate: string
  nodes: RunningServer[]
}

interface UserOptions {
  role?: Role
  isVerified?: boolean
  isSuspended?: boolean
  /** The stored hash; null for a user without a password. */
  hash?: string | null
  email?: string
}

/**
 * The app under attack: a production build on its own database, more nodes on demand, and helpers that create users.
 */
export class World {
  readonly app: RunningServer
  readonly env: TestApp['env']
  readonly pool: pg.Pool
  readonly hash: string
  private readonly stopApp: () => Promise<void>
  private readonly nodes = new Map<string, Promise<RunningServer>>()
  private readonly cleanups: (() => Promise<void>)[] = []
  private readonly outputs: (() => string)[] = []
  private proxiedAppPromise: Promise<ProxiedApp> | undefined
  private browserPromise: Promise<Browser> | undefined

  private constructor({ app, env, stop }: TestApp, storedHash: string) {
    this.app = app
    this.env = env
    this.stopApp = stop
    this.hash = storedHash
    this.pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 4 })
    this.outputs.push(app.output)
  }

  static async start(): Promise<World> {
    // At this level every node logs each password comparison, so that checks can count them.
    process.env.LOG_LEVEL = 'debug'
    const started = await startApp()
    registerSecret(password, wrongPassword, started.env.AUTH_SECRET, started.env.DATABASE_URL, started.env.DEV_PASSWORD)
    return new World(started, await hash(password, hashOptions))
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  async query(text: string, values: unknown[] = []): Promise<any[]> {
    return (await this.pool.query(text, values)).rows
  }

  async newUser(options: UserOptions = {}): Promise<TestUser> {
    const { role = 'viewer', isVerified = true, isSuspended = false } = options
    const email = options.email ?? `user-${crypto.randomUUID()}@example.com`
    const [user] = await this.query(
      `insert into users (email, name, role, email_verified_at, suspended_at)
       values ($1, 'Test User', $2, case when $3 then now() end, case when $4 then now() end) returning id`,
      [email, role, isVerified, isSuspended],
    )
    const stored = options.hash === undefined ? this.hash : options.hash
    if (stored !== null) await this.query('insert into passwords (user_id, hash) values ($1, $2)', [user.id, stored])
    return { id: user.id, email }
  }

  /** Creates many users with the usual password: one for each try, so that no rate limit applies. */
  async newUsers(count: number): Promise<TestUser[]> {
    return this.query(
      `with made as (
         insert into users (email, name, email_verified_at)
         select 'crowd-' || gen_random_uuid() || '@example.com', 'Test User', now() from generate_series(1, $1)
         returning id, email
       ), secured as (insert into passwords (user_id, hash) select id, $2 from made)
       select id, email from made`,
      [count, this.hash],
    )
  }

  get(path: string, options: CallOptions = {}): Promise<HttpResponse> {
    return call(this.app.url, path, options)
  }

  /** One sign-in attempt, with a JSON response. */
  trySignIn(
    email: unknown,
    attemptedPassword: unknown = password,
    { node = this.app, ...options }: CallOptions & { node?: RequestTarget } = {},
  ) {
    const body = { email, password: attemptedPassword, redirect: false }
    return call(node.url, '/api/auth/signin', { body, ...options })
  }

  /** Signs in and returns the cookies; throws if sign-in fails. */
  async signIn(user: TestUser, options: CallOptions & { node?: RequestTarget } = {}): Promise<Jar> {
    const jar = options.jar ?? new Jar()
    const response = await this.trySignIn(user.email, password, { ...options, jar })
    if (response.status !== 200)
      throw new Error(`signing in as ${user.email} returned ${response.status}: ${response.text}`)
    return jar
  }

  /** Inserts a session directly, for checks that are not about signing in. */
  async insertSession({ id }: Pick<TestUser, 'id'>): Promise<Jar> {
    const token = randomToken()
    const hash = createHash('sha256').update(token).digest()
    await this.query('insert into sessions (user_id, token_hash) values ($1, $2)', [id, hash])
    return new Jar({ [`${appSlug}.session`]: token })
  }

  /** Sets how long ago a user reauthenticated, such as `61 minutes`, in all their sessions. */
  async setReauthenticatedAgo(userId: string, interval: string): Promise<void> {
    await this.query('update sessions set confirmed_at = now() - $2::interval where user_id = $1', [userId, interval])
  }

  /** A new user, signed in. */
  async newSession(options: UserOptions = {}): Promise<TestUser & { jar: Jar; token: string }> {
    const user = await this.newUser(options)
    const jar = await this.signIn(user)
    return { ...user, jar, token: jar.token }
  }

  /** The response of `GET /api/auth/session`, for a bearer token or for the cookies of a browser. */
  async getSession(credentials: string | Jar, node: RequestTarget = this.app) {
    const options: CallOptions =
      typeof credentials === 'string'
        ? { headers: { Authorization: `Bearer ${credentials}` } }
        : { jar: credentials.copy() }
    const response = await call(node.url, '/api/auth/session', options)
    if (response.status !== 200) throw new Error(`the session endpoint returned ${response.status}`)
    return response.json()
  }

  /** Another node on the same database, started on first use and stopped at the end of the group. */
  node(name: string, env: Record<string, string> = {}): Promise<RunningServer> {
    const known = this.nodes.get(name)
    if (known) return known
    const started = startServer('start', { ...this.env, ...env }).then((node) => {
      this.outputs.push(node.output)
      markSecure(node.url, env.AUTH_URL?.startsWith('https:') ?? false)
      return node
    })
    this.nodes.set(name, started)
    this.atEndOfGroup(async () => {
      this.nodes.delete(name)
      await (await started).stop()
    })
    return started
  }

  /** Adds the output of a node that was started elsewhere to the final log check. */
  watchOutput({ output }: Pick<RunningServer, 'output'>): void {
    this.outputs.push(output)
  }

  /** A node with an https AUTH_URL, as in production. */
  secureNode(): Promise<RunningServer> {
    return this.node('https', { AUTH_URL: 'https://app.example.com' })
  }

  /**
   * HAProxy with the shipped configuration, over https, in front of two nodes that share the database and one Redis.
   * Stopped at the end of the group.
   */
  proxiedApp(): Promise<ProxiedApp> {
    this.proxiedAppPromise ??= this.startProxiedApp()
    return this.proxiedAppPromise
  }

  private async startProxiedApp(): Promise<ProxiedApp> {
    const url = await newProxyUrl()
    const redis = await this.redis()
    const env = { AUTH_URL: url, REDIS_URL: redis.url, KEEP_ALIVE_TIMEOUT: '65000' }
    const nodes = await Promise.all(['one', 'two'].map((name) => this.node(`behind the proxy, ${name}`, env)))
    const proxy = await startProxy(
      url,
      nodes.map((node) => node.url),
    )
    this.outputs.push(proxy.output)
    trustCertificate(url, proxy.certificate)
    this.atEndOfGroup(async () => {
      this.proxiedAppPromise = undefined
      await proxy.stop()
    })
    return { url, certificate: proxy.certificate, nodes }
  }

  /** A new database without tables. */
  async bareDatabase(): Promise<string> {
    const server = await findServer()
    const database = await createDatabase(server.url)
    registerSecret(database.url)
    this.atEndOfGroup(() => dropDatabase(server.url, database.name).then(server.stop))
    return database.url
  }

  /** A new, migrated database without users. */
  async migratedDatabase(): Promise<string> {
    const url = await this.bareDatabase()
    runDb('migrate', url)
    return url
  }

  async redis(): Promise<{ url: string; kill: () => Promise<void> }> {
    const port = await findFreePort()
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const server: ChildProcess = spawn('redis-server', args, { stdio: 'ignore' })
    const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
    const kill = async () => {
      server.kill('SIGKILL')
      await exited
    }
    this.atEndOfGroup(kill)
    return { url: `redis://127.0.0.1:${port}`, kill }
  }

  browser(): Promise<Browser> {
    this.browserPromise ??= chromium.launch(playwright.use?.launchOptions).then((browser) => {
      this.atEndOfGroup(async () => {
        this.browserPromise = undefined
        await browser.close()
      })
      return browser
    })
    return this.browserPromise
  }

  /** How many passwords the nodes compared during the work. */
  async countPasswordComparisons(work: () => Promise<unknown>, nodes: RunningServer[] = [this.app]): Promise<number> {
    const count = async () => countPasswordComparisons((await Promise.all(nodes.map(completeOutput))).join('\n'))
    const before = await count()
    await work()
    return (await count()) - before
  }

  /** All emails to that recipient, once the worker's queue is empty. */
  async emailsTo(email: string): Promise<ReceivedEmail[]> {
    const deadline = Date.now() + 60_000
    const waiting = `select 1 from jobs.job where name like 'mail.%' and state in ('created', 'active', 'retry') limit 1`
    while ((await this.query(waiting)).length > 0) {
      if (Date.now() > deadline) throw new Error('the worker still has jobs after a minute')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const emails = await emailsTo(email, this.env.DEV_INBOX)
    for (const { text } of emails) for (const [, token = ''] of text.matchAll(/token=([\w-]+)/g)) registerSecret(token)
    return emails
  }

  /** Requests a password reset, and sets this password with the link from the email. */
  async resetPassword(email: string, chosen: string): Promise<ActionResponse> {
    await submitAction(this, 'askForReset', { email }, { path: '/forgot' })
    const tokens = (await this.emailsTo(email)).map(({ text }) => /\/reset\?token=([\w-]+)/.exec(text)?.[1])
    // Another email may have been sent at the same moment.
    const token = tokens.findLast((one) => one !== undefined)
    return submitAction(this, 'chooseNewPassword', { token, password: chosen }, { path: '/reset' })
  }

  atEndOfGroup(cleanup: () => Promise<void>): void {
    this.cleanups.unshift(cleanup)
  }

  async endGroup(): Promise<void> {
    for (const cleanup of this.cleanups.splice(0)) await cleanup()
  }

  /** The output of all servers. */
  output(): string {
    return this.outputs.map((output) => output()).join('\n')
  }

  async stop(): Promise<void> {
    await this.endGroup()
    await this.pool.end()
    await this.stopApp()
  }
}

/** The text of all rows of all tables: what an attacker with a copy of the database would read. */
export async function dumpDatabase(world: World): Promise<string> {
  const tables = await world.query(`select tablename from pg_tables where schemaname = 'public'`)
  const parts: string[] = []
  for (const { tablename } of tables) {
    const rows = await world.query(`select t::text as row from "${tablename}" t`)
    parts.push(...rows.map(({ row }) => row))
  }
  return parts.join('\n')
}

/** A hash of the state that no rejected request may change. */
export async function snapshotState(world: World): Promise<string> {
  // Not the whole `passwords` table: it also counts failed attempts.
  // Sessions that have expired may be deleted at any time, by a job.
  const sessions = `(select * from sessions where created_at > now() - interval '30 days')`
  const tables = ['users', sessions, 'accounts', 'signups', '(select user_id, hash, changed_at from passwords)']
  const parts = tables.map(
    (table) => `(select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${table} t)`,
  )
  const [row] = await world.query(`select concat(${parts.join(', ')}) as image`)
  return row.image
}

/**
 * Every static path of this build: pages, and API routes (requested with GET). An intercepting route is none: its URL is that
 * of the page that it intercepts.
 */
export function everyPath(): string[] {
  const routes: Record<string, string> = JSON.parse(
    readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8'),
  )
  return [...new Set(Object.values(routes))].filter((route) => !/\[|^\/_|\(\.\)/.test(route))
}

export const randomToken = () => randomBytes(32).toString('base64url')
export const unusedEmail = () => `nobody-${crypto.randomUUID()}@example.com`
