import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { type Browser, chromium } from '@playwright/test'
import pg from 'pg'
import playwright from '../../playwright.config.ts'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createDatabase, dropDatabase, findServer, runDb } from '../support/database.ts'
import { mailsTo, type ReceivedMail } from '../support/inbox.ts'
import { proxyAddress, startProxy } from '../support/proxy.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { type Acted, everyAction } from './actions.ts'
import { NotInBuild } from './checks.ts'
import { type Answer, type Call, call, Jar, markSecure, trust } from './client.ts'
import { keepSecret } from './oracles.ts'

/** Of everybody whom a check makes. */
export const password = 'correct horse battery staple 9'
export const wrongPassword = 'the wrong horse altogether 4'

/** How hashes are made now; the suite says it once more, so that a change by mistake is seen. */
export const goal = { memoryCost: 19456, timeCost: 2, parallelism: 1 }

export interface Person {
  id: string
  email: string
}

/** What requests are sent to: a node, or what stands in front of some. */
export type Place = Pick<RunningServer, 'url'>

export interface Front {
  url: string
  certificate: string
  nodes: RunningServer[]
}

interface Kind {
  role?: 'viewer' | 'editor' | 'admin'
  isVerified?: boolean
  isSuspended?: boolean
  /** The stored hash; null for somebody without a password. */
  hash?: string | null
  email?: string
}

/** The app under attack: a production build on a database of its own, further nodes, and people to be. */
export class World {
  readonly app: RunningServer
  readonly env: TestApp['env']
  readonly pool: pg.Pool
  readonly hash: string
  private readonly stopApp: () => Promise<void>
  private readonly nodes = new Map<string, Promise<RunningServer>>()
  private readonly cleanups: (() => Promise<void>)[] = []
  private readonly written: (() => string)[] = []
  private frontUnderWay: Promise<Front> | undefined
  private browserUnderWay: Promise<Browser> | undefined

  private constructor({ app, env, stop }: TestApp, storedHash: string) {
    this.app = app
    this.env = env
    this.stopApp = stop
    this.hash = storedHash
    this.pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 4 })
    this.written.push(app.output)
  }

  static async start(): Promise<World> {
    // Every node says when it compares a password, so that checks can count.
    process.env.LOG_LEVEL = 'debug'
    const started = await startApp()
    keepSecret(password, wrongPassword, started.env.AUTH_SECRET, started.env.DATABASE_URL, started.env.DEV_PASSWORD)
    return new World(started, await hash(password, goal))
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  async query(text: string, values: unknown[] = []): Promise<any[]> {
    return (await this.pool.query(text, values)).rows
  }

  async newPerson(kind: Kind = {}): Promise<Person> {
    const { role = 'viewer', isVerified = true, isSuspended = false } = kind
    const email = kind.email ?? `somebody-${crypto.randomUUID()}@example.com`
    const [person] = await this.query(
      `insert into users (email, name, role, email_verified_at, suspended_at)
       values ($1, 'Somebody', $2, case when $3 then now() end, case when $4 then now() end) returning id`,
      [email, role, isVerified, isSuspended],
    )
    const stored = kind.hash === undefined ? this.hash : kind.hash
    if (stored !== null) await this.query('insert into passwords (user_id, hash) values ($1, $2)', [person.id, stored])
    return { id: person.id, email }
  }

  /** Many at once, all with the usual password: one for each try, so that no limit is met. */
  async newPeople(count: number): Promise<Person[]> {
    return this.query(
      `with made as (
         insert into users (email, name, email_verified_at)
         select 'crowd-' || gen_random_uuid() || '@example.com', 'Somebody', now() from generate_series(1, $1)
         returning id, email
       ), secured as (insert into passwords (user_id, hash) select id, $2 from made)
       select id, email from made`,
      [count, this.hash],
    )
  }

  get(path: string, options: Call = {}): Promise<Answer> {
    return call(this.app.url, path, options)
  }

  /** One try to sign in, answered in JSON. */
  try(email: unknown, typed: unknown = password, { node = this.app, ...options }: Call & { node?: Place } = {}) {
    const body = { email, password: typed, redirect: false }
    return call(node.url, '/api/auth/signin', { body, ...options })
  }

  /** Signs in and returns the cookies; fails when that is refused. */
  async signIn(person: Person, options: Call & { node?: Place } = {}): Promise<Jar> {
    const jar = options.jar ?? new Jar()
    const answer = await this.try(person.email, password, { ...options, jar })
    if (answer.status !== 200)
      throw new Error(`signing in as ${person.email} answered ${answer.status}: ${answer.text}`)
    return jar
  }

  /** A session that is put there directly, where how it began is not the question. */
  async enter({ id }: Pick<Person, 'id'>): Promise<Jar> {
    const token = someToken()
    const hash = createHash('sha256').update(token).digest()
    await this.query('insert into sessions (user_id, token_hash) values ($1, $2)', [id, hash])
    return new Jar({ 'plinth.session': token })
  }

  /** Somebody new, signed in. */
  async newSession(kind: Kind = {}): Promise<Person & { jar: Jar; token: string }> {
    const person = await this.newPerson(kind)
    const jar = await this.signIn(person)
    return { ...person, jar, token: jar.token }
  }

  /** What `GET /api/auth/session` says, to a token in the header or to a browser's cookies. */
  async session(who: string | Jar, node: Place = this.app) {
    const how: Call = typeof who === 'string' ? { headers: { Authorization: `Bearer ${who}` } } : { jar: who.copy() }
    const answer = await call(node.url, '/api/auth/session', how)
    if (answer.status !== 200) throw new Error(`the session endpoint answered ${answer.status}`)
    return answer.json()
  }

  /** Another node on the same database, started when it is first asked for. It ends with its group. */
  node(name: string, env: Record<string, string> = {}): Promise<RunningServer> {
    const known = this.nodes.get(name)
    if (known) return known
    const started = startServer('start', { ...this.env, ...env }).then((node) => {
      this.written.push(node.output)
      if (env.AUTH_URL?.startsWith('https:')) markSecure(node.url)
      return node
    })
    this.nodes.set(name, started)
    this.atEndOfGroup(async () => {
      this.nodes.delete(name)
      await (await started).stop()
    })
    return started
  }

  /** What a node writes that was started elsewhere is looked at in the end, too. */
  watch({ output }: Pick<RunningServer, 'output'>): void {
    this.written.push(output)
  }

  /** A node that believes to be reached over https, as in production. */
  secureNode(): Promise<RunningServer> {
    return this.node('https', { AUTH_URL: 'https://app.example.com' })
  }

  /** HAProxy as it is shipped, over https, before two nodes on the same database and one Redis. It ends with its group. */
  front(): Promise<Front> {
    this.frontUnderWay ??= this.startFront()
    return this.frontUnderWay
  }

  private async startFront(): Promise<Front> {
    const url = await proxyAddress()
    const redis = await this.redis()
    const env = { AUTH_URL: url, REDIS_URL: redis.url, KEEP_ALIVE_TIMEOUT: '65000' }
    const nodes = await Promise.all(['one', 'two'].map((name) => this.node(`behind the proxy, ${name}`, env)))
    const proxy = await startProxy(
      url,
      nodes.map((node) => node.url),
    )
    this.written.push(proxy.output)
    trust(url, proxy.certificate)
    this.atEndOfGroup(async () => {
      this.frontUnderWay = undefined
      await proxy.stop()
    })
    return { url, certificate: proxy.certificate, nodes }
  }

  /** A database of its own, with nothing in it. */
  async bareDatabase(): Promise<string> {
    const server = await findServer()
    const database = await createDatabase(server.url)
    keepSecret(database.url)
    this.atEndOfGroup(() => dropDatabase(server.url, database.name).then(server.stop))
    return database.url
  }

  /** A database of its own, with tables and nobody in them. */
  async emptyDatabase(): Promise<string> {
    const url = await this.bareDatabase()
    runDb('migrate', url)
    return url
  }

  async redis(): Promise<{ url: string; kill: () => Promise<void> }> {
    const port = await freePort()
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const server: ChildProcess = spawn('redis-server', args, { stdio: 'ignore' })
    const isGone = new Promise<void>((resolve) => server.once('exit', () => resolve()))
    const kill = async () => {
      server.kill('SIGKILL')
      await isGone
    }
    this.atEndOfGroup(kill)
    return { url: `redis://127.0.0.1:${port}`, kill }
  }

  browser(): Promise<Browser> {
    this.browserUnderWay ??= chromium.launch(playwright.use?.launchOptions).then((browser) => {
      this.atEndOfGroup(async () => {
        this.browserUnderWay = undefined
        await browser.close()
      })
      return browser
    })
    return this.browserUnderWay
  }

  /** How many passwords the nodes compared while the work was done. */
  async comparisons(work: () => Promise<unknown>, nodes: RunningServer[] = [this.app]): Promise<number> {
    const count = () => nodes.reduce((sum, node) => sum + node.output().split('password compared').length - 1, 0)
    const before = count()
    await work()
    // The lines come through a pipe.
    await new Promise((resolve) => setTimeout(resolve, 80))
    return count() - before
  }

  /** Every mail to that address, once the worker has nothing left to do. */
  async mailsTo(address: string): Promise<ReceivedMail[]> {
    const deadline = Date.now() + 15_000
    const waiting = `select 1 from jobs.job where name like 'mail.%' and state in ('created', 'active', 'retry') limit 1`
    while ((await this.query(waiting)).length > 0) {
      if (Date.now() > deadline) throw new Error('the worker does not come to an end')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const mails = await mailsTo(address, this.env.DEV_INBOX)
    for (const { text } of mails) for (const [, token = ''] of text.matchAll(/token=([\w-]+)/g)) keepSecret(token)
    return mails
  }

  /** Asks for a new password, and chooses this one with the link from the mail. */
  async choosePassword(email: string, chosen: string): Promise<Answer> {
    await submit(this, 'askForReset', { email }, { path: '/forgot' })
    const token = /token=([\w-]+)/.exec((await this.mailsTo(email)).at(-1)?.text ?? '')?.[1]
    return submit(this, 'chooseNewPassword', { token, password: chosen }, { path: '/reset' })
  }

  atEndOfGroup(cleanup: () => Promise<void>): void {
    this.cleanups.unshift(cleanup)
  }

  async endGroup(): Promise<void> {
    for (const cleanup of this.cleanups.splice(0)) await cleanup()
  }

  /** All that the servers wrote. */
  output(): string {
    return this.written.map((output) => output()).join('\n')
  }

  async stop(): Promise<void> {
    await this.endGroup()
    await this.pool.end()
    await this.stopApp()
  }
}

/** The text of all rows of all tables: what a thief of the database would read. */
export async function dump(world: World): Promise<string> {
  const tables = await world.query(`select tablename from pg_tables where schemaname = 'public'`)
  const parts: string[] = []
  for (const { tablename } of tables) {
    const rows = await world.query(`select t::text as row from "${tablename}" t`)
    parts.push(...rows.map(({ row }) => row))
  }
  return parts.join('\n')
}

/** The state that no refused request may change. */
export async function image(world: World): Promise<string> {
  // Not `passwords` as a whole: it counts the wrong tries.
  const tables = ['users', 'sessions', 'accounts', 'signups', '(select user_id, hash, changed_at from passwords)']
  const parts = tables.map(
    (table) => `(select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${table} t)`,
  )
  const [row] = await world.query(`select concat(${parts.join(', ')}) as image`)
  return row.image
}

/** React takes a text that begins so for a sign of its own, unless the sign is there twice. */
const asText = (_: string, value: unknown) => (typeof value === 'string' && value.startsWith('$') ? `$${value}` : value)
const fromText = (_: string, value: unknown) =>
  typeof value === 'string' && value.startsWith('$$') ? value.slice(1) : value

/** Posts to a server action as a browser's script does, and returns its answer: a value, or the digest of a fault. */
export async function act(
  world: World,
  name: string,
  input: unknown,
  { path, node = world.app, ...options }: Call & { path?: string; node?: Place } = {},
): Promise<Acted> {
  const action = everyAction().find((one) => one.name === name)
  if (!action) throw new NotInBuild(`the build has no action ${name}`)
  const answer = await call(node.url, path ?? action.page, {
    method: 'POST',
    body: JSON.stringify([input], asText),
    ...options,
    headers: {
      'Next-Action': action.id,
      'Content-Type': 'text/plain;charset=UTF-8',
      Accept: 'text/x-component',
      ...options.headers,
    },
  })
  const row = answer.text.split('\n').find((line) => line.startsWith('1:{'))
  return { ...answer, value: row ? JSON.parse(row.slice(2), fromText) : undefined }
}

/** The same from a page of the app itself: what a person's browser sends. */
export const submit = (
  world: World,
  name: string,
  input: unknown,
  options: Call & { path?: string; node?: Place } = {},
) =>
  act(world, name, input, {
    ...options,
    headers: { Origin: (options.node ?? world.app).url, 'Sec-Fetch-Site': 'same-origin', ...options.headers },
  })

/** Every page and every GET of the API that this build has. */
export function everyAddress(): string[] {
  const routes: Record<string, string> = JSON.parse(
    readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8'),
  )
  return [...new Set(Object.values(routes))].filter((route) => !/\[|^\/_/.test(route))
}

export const someToken = () => randomBytes(32).toString('base64url')
export const nobody = () => `nobody-${crypto.randomUUID()}@example.com`
