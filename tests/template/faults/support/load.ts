// Simulated users that use the app during a fault. Every response is recorded, and confirmed writes are verified
// afterwards.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { appSlug } from '../../../../src/brand.ts'
import { listActions } from '../../../app/support/server-actions.ts'
import { randomToken, type World } from '../../../app/support/test-world.ts'

/** Where the load is sent, and the database behind it. */
export interface LoadTarget {
  /** URL of the proxy or of a node. */
  url: string
  /** The CA certificate, for https. */
  certificate?: string
  query: World['query']
}

export interface RequestInput {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
  /** Milliseconds. */
  timeout?: number
}

export interface Attempt {
  kind: KindName
  /** 0: there was no response. */
  status: number
  /** The body, or the error instead of a response. */
  text: string
  isSuccess: boolean
  startedAt: number
  milliseconds: number
}

interface RequestResult {
  status: number
  text: string
  headers: Record<string, string | string[] | undefined>
  /** Whether the connection was reused. */
  isReused: boolean
  hasResponseStarted: boolean
}

/** Sends requests over keep-alive connections. Never retries, unless it simulates a browser. */
export class HttpClient {
  private readonly target: LoadTarget
  private readonly agent: Agent | PlainAgent
  private readonly isBrowser: boolean
  /** Number of requests that were retried, as a browser does. */
  retryCount = 0

  constructor(target: LoadTarget, { isBrowser = false } = {}) {
    this.target = target
    this.isBrowser = isBrowser
    this.agent = target.certificate
      ? new Agent({ keepAlive: true, ca: target.certificate })
      : new PlainAgent({ keepAlive: true })
  }

  /**
   * When a node resets a connection, HAProxy silently closes the reused client connection. Clients are expected to
   * retry a read then (RFC 9112, 9.3.1), and browsers do so once.
   */
  async request(input: RequestInput): Promise<RequestResult> {
    const result = await this.send(input)
    const isLost = result.status === 0 && result.isReused && !result.hasResponseStarted
    if (!this.isBrowser || !isLost || (input.method ?? 'GET') !== 'GET') return result
    this.retryCount++
    return this.send(input)
  }

  private send({ method = 'GET', path, headers, body, timeout = 40_000 }: RequestInput): Promise<RequestResult> {
    const { port, host, hostname } = new URL(this.target.url)
    const send = this.target.certificate ? request : plainRequest
    return new Promise((resolve) => {
      let hasResponseStarted = false
      const fail = (error: NodeJS.ErrnoException) =>
        resolve({
          status: 0,
          text: error.code ?? error.message,
          headers: {},
          isReused: outgoing.reusedSocket,
          hasResponseStarted,
        })
      const outgoing = send(
        {
          agent: this.agent as Agent,
          host: '127.0.0.1',
          servername: hostname,
          port,
          method,
          path,
          headers: { Host: host, ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }), ...headers },
        },
        (response) => {
          hasResponseStarted = true
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('error', fail)
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(chunks).toString(),
              headers: response.headers,
              isReused: outgoing.reusedSocket,
              hasResponseStarted,
            }),
          )
        },
      )
      const timer = setTimeout(() => outgoing.destroy(new Error(`no response in ${timeout} ms`)), timeout)
      outgoing.on('close', () => clearTimeout(timer))
      outgoing.on('error', fail)
      outgoing.end(body)
    })
  }

  end(): void {
    this.agent.destroy()
  }
}

export const cookieName = ({ url }: Pick<LoadTarget, 'url'>) =>
  url.startsWith('https:') ? `__Host-${appSlug}.session` : `${appSlug}.session`

export const digestOf = (token: string) => createHash('sha256').update(token).digest()

/** Inserts sessions directly; returns their tokens. */
export async function newTokens({ query }: LoadTarget, userId: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, randomToken)
  await query('insert into sessions (user_id, token_hash) select $1, unnest($2::bytea[])', [
    userId,
    tokens.map(digestOf),
  ])
  return tokens
}

/** A simulated user with one request at a time. */
interface LoadUser {
  id: string
  email: string
  token: string
  /** Tokens of further sessions, to be signed out one by one. */
  spareTokens: string[]
  /** Names that were sent, the newest last. */
  sentNames: string[]
  /** Index in `sent` of the newest name whose update succeeded. */
  confirmedIndex: number
  signedOutTokens: string[]
}

async function newMember(target: LoadTarget): Promise<LoadUser> {
  const email = `load-${crypto.randomUUID()}@example.com`
  const [{ id }] = await target.query(
    `insert into users (email, name, email_verified_at) values ($1, 'Test User', now()) returning id`,
    [email],
  )
  const [token = ''] = await newTokens(target, id, 1)
  return { id, email, token, spareTokens: [], sentNames: [], confirmedIndex: -1, signedOutTokens: [] }
}

type KindName = keyof typeof kinds
type Outcome = Pick<Attempt, 'status' | 'text' | 'isSuccess'>

const browserHeaders = (target: LoadTarget, token: string) => ({
  Cookie: `${cookieName(target)}=${token}`,
  Origin: target.url,
  'Sec-Fetch-Site': 'same-origin',
})

const kinds = {
  page: async (_place: LoadTarget, client: HttpClient): Promise<Outcome> => {
    const { status, text } = await client.request({ path: '/signin' })
    return { status, text, isSuccess: status === 200 && text.includes('</html>') }
  },

  session: async (target: LoadTarget, client: HttpClient, user: LoadUser): Promise<Outcome> => {
    const { status, text } = await client.request({
      path: '/api/auth/session',
      headers: browserHeaders(target, user.token),
    })
    return { status, text, isSuccess: status === 200 && text.includes(user.email) }
  },

  signOut: async (target: LoadTarget, client: HttpClient, user: LoadUser): Promise<Outcome> => {
    if (user.spareTokens.length === 0) user.spareTokens = await newTokens(target, user.id, 100)
    const token = user.spareTokens.pop() ?? ''
    const { status, text } = await client.request({
      method: 'POST',
      path: '/api/auth/signout',
      headers: { ...browserHeaders(target, token), 'Content-Type': 'application/json' },
      body: '{"redirect":false}',
    })
    if (status === 200) user.signedOutTokens.push(token)
    return { status, text, isSuccess: status === 200 }
  },

  rename: async (target: LoadTarget, client: HttpClient, user: LoadUser): Promise<Outcome> => {
    const name = `Ada ${crypto.randomUUID().slice(0, 8)}`
    user.sentNames.push(name)
    const { status, text } = await client.request({
      method: 'POST',
      path: '/account/profile',
      headers: {
        ...browserHeaders(target, user.token),
        'Next-Action': listActions().find((action) => action.name === 'updateProfile')?.id ?? '',
        'Content-Type': 'text/plain;charset=UTF-8',
        Accept: 'text/x-component',
      },
      body: JSON.stringify([{ name }]),
    })
    const isSuccess = status === 200 && /^1:\{"ok":true/m.test(text)
    if (isSuccess) user.confirmedIndex = user.sentNames.length - 1
    return { status, text, isSuccess }
  },
}

/** The kinds this build supports: renaming belongs to a module. */
export const everyKind = () =>
  (Object.keys(kinds) as KindName[]).filter(
    (name) => name !== 'rename' || listActions().some((action) => action.name === 'updateProfile'),
  )

export const isRead = ({ kind }: Pick<Attempt, 'kind'>) => kind === 'page' || kind === 'session'

interface LoadOptions {
  /** Number of users, each with at most one request at a time. */
  inFlight?: number
  /** Requests started per second by all users together; unlimited if missing. */
  perSecond?: number
  /** Repeated in this order. A kind may occur twice. */
  mix?: KindName[]
  /** Retry a read that was lost on a reused connection. */
  isBrowser?: boolean
}

export class Load {
  readonly attempts: Attempt[] = []
  private readonly target: LoadTarget
  private readonly client: HttpClient
  private readonly users: LoadUser[]
  private isStopped = false
  private readonly work: Promise<unknown>

  private constructor(
    target: LoadTarget,
    users: LoadUser[],
    { perSecond, mix = everyKind(), isBrowser = false }: LoadOptions,
  ) {
    this.target = target
    this.users = users
    this.client = new HttpClient(target, { isBrowser })
    let startedCount = 0
    const startedAt = performance.now()
    this.work = Promise.all(
      users.map(async (user) => {
        while (!this.isStopped) {
          const turn = startedCount++
          const due = perSecond ? startedAt + (turn * 1000) / perSecond : 0
          if (due > performance.now()) await sleep(due - performance.now())
          const kind = mix[turn % mix.length] as KindName
          const [at, from] = [Date.now(), performance.now()]
          const outcome = await kinds[kind](target, this.client, user)
          this.attempts.push({ kind, ...outcome, startedAt: at, milliseconds: performance.now() - from })
        }
      }),
    )
    // Awaited in stop(); without this handler an earlier failure would end the process.
    this.work.catch(() => {})
  }

  static async start(target: LoadTarget, options: LoadOptions = {}): Promise<Load> {
    return new Load(
      target,
      await Promise.all(Array.from({ length: options.inFlight ?? 16 }, () => newMember(target))),
      options,
    )
  }

  /** Runs the load while the work runs, whatever its outcome. */
  static async during(target: LoadTarget, options: LoadOptions, work: (load: Load) => Promise<void>): Promise<Load> {
    const load = await Load.start(target, options)
    try {
      await work(load)
    } finally {
      await load.stop()
    }
    return load
  }

  /** Runs until that many requests are done. */
  static runUntilCount(target: LoadTarget, count: number, options: LoadOptions = {}): Promise<Load> {
    return Load.during(target, options, (load) => load.waitForCount(count))
  }

  /** Waits for that many more requests. */
  waitForMore(count: number): Promise<void> {
    return this.waitForCount(this.attempts.length + count)
  }

  /** Waits until that many requests are done, successful or not. */
  async waitForCount(count: number): Promise<void> {
    while (this.attempts.length < count) await Promise.race([sleep(50), this.work])
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.work
    this.client.end()
  }

  failed(): Attempt[] {
    return this.attempts.filter(({ isSuccess }) => !isSuccess)
  }

  /** Confirmed writes that are missing in the database. A name that was not confirmed may be there or not. */
  async findLostWrites(): Promise<string[]> {
    const found: string[] = []
    for (const { id, sentNames, confirmedIndex, signedOutTokens } of this.users) {
      const [{ name }] = await this.target.query('select name from users where id = $1', [id])
      if (confirmedIndex >= 0 && !sentNames.slice(confirmedIndex).includes(name))
        found.push(`the name ${sentNames[confirmedIndex]}: the database has ${name}`)
      const alive = await this.target.query('select 1 from sessions where token_hash = any($1)', [
        signedOutTokens.map(digestOf),
      ])
      if (alive.length > 0) found.push(`the end of ${alive.length} sessions`)
    }
    return found
  }

  /** The longest time in which no successful request of this kind was started. */
  longestGap(kind: (attempt: Attempt) => boolean): number {
    const good = this.attempts.filter((attempt) => attempt.isSuccess && kind(attempt)).map((one) => one.startedAt)
    good.sort((a, b) => a - b)
    return good.reduce((longest, at, index) => Math.max(longest, at - (good[index - 1] ?? at)), 0)
  }

  /** A one-line summary, printed next to the result. */
  summary(): string {
    const times = this.attempts.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
    const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
    const failed = this.failed()
    const how = [...new Set(failed.map((one) => `${one.kind} ${one.status || one.text}`))].join(', ')
    const retried = this.client.retryCount > 0 ? `, ${this.client.retryCount} retried` : ''
    return `${times.length} requests, ${failed.length} failed${how && ` (${how})`}${retried}; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
  }

  /** Asserts that all requests succeeded and that no confirmed write is missing. */
  async assertAllGood(): Promise<void> {
    const failed = this.failed()
    const shown = failed.slice(0, 5).map((one) => `${one.kind} ${one.status} ${one.text.slice(0, 200)}`)
    assert.equal(failed.length, 0, `${this.summary()}\n${shown.join('\n')}`)
    assert.deepEqual(await this.findLostWrites(), [])
  }
}

/** Waits until the condition is true; returns after how many milliseconds. */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 15_000,
): Promise<number> {
  const start = performance.now()
  while (!(await condition())) {
    if (performance.now() - start > timeoutMs) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await sleep(20)
  }
  return performance.now() - start
}
