// People who use the app while something breaks. Every answer is kept, and what was promised is looked for afterwards.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { everyAction } from '../hostile/actions.ts'
import { someToken, type World } from '../hostile/world.ts'

/** Where the load goes, and the database behind it. */
export interface Place {
  /** The proxy's address, or a node's. */
  url: string
  /** Whom to believe, when it is https. */
  certificate?: string
  query: World['query']
}

export interface Asking {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
  /** Milliseconds. */
  timeout?: number
}

export interface Attempt {
  kind: KindName
  /** 0: there was no answer. */
  status: number
  /** The body, or what came instead of an answer. */
  text: string
  isGood: boolean
  startedAt: number
  milliseconds: number
}

interface Told {
  status: number
  text: string
  headers: Record<string, string | string[] | undefined>
  /** Whether the connection had served another request before. */
  isReused: boolean
  hasBegun: boolean
}

/** One request on a connection that is kept, never sent twice, unless it is to do as a browser does. */
export class Caller {
  private readonly place: Place
  private readonly agent: Agent | PlainAgent
  private readonly isBrowser: boolean
  /** How many were sent again, as a browser does. */
  repeated = 0

  constructor(place: Place, { isBrowser = false } = {}) {
    this.place = place
    this.isBrowser = isBrowser
    this.agent = place.certificate
      ? new Agent({ keepAlive: true, ca: place.certificate })
      : new PlainAgent({ keepAlive: true })
  }

  /**
   * HAProxy gives up a connection that was used before, without a word, when the node of a request is reset; whoever reads is
   * meant to ask again (RFC 9112, 9.3.1), and browsers do, once.
   */
  async ask(asking: Asking): Promise<Told> {
    const told = await this.send(asking)
    const isLost = told.status === 0 && told.isReused && !told.hasBegun
    if (!this.isBrowser || !isLost || (asking.method ?? 'GET') !== 'GET') return told
    this.repeated++
    return this.send(asking)
  }

  private send({ method = 'GET', path, headers, body, timeout = 40_000 }: Asking): Promise<Told> {
    const { port, host, hostname } = new URL(this.place.url)
    const send = this.place.certificate ? request : plainRequest
    return new Promise((resolve) => {
      let hasBegun = false
      const lose = (error: NodeJS.ErrnoException) =>
        resolve({ status: 0, text: error.code ?? error.message, headers: {}, isReused: asked.reusedSocket, hasBegun })
      const asked = send(
        {
          agent: this.agent as Agent,
          host: '127.0.0.1',
          servername: hostname,
          port,
          method,
          path,
          headers: { Host: host, ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }), ...headers },
        },
        (answer) => {
          hasBegun = true
          const chunks: Buffer[] = []
          answer.on('data', (chunk) => chunks.push(chunk))
          answer.on('error', lose)
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              text: Buffer.concat(chunks).toString(),
              headers: answer.headers,
              isReused: asked.reusedSocket,
              hasBegun,
            }),
          )
        },
      )
      const timer = setTimeout(() => asked.destroy(new Error(`no answer in ${timeout} ms`)), timeout)
      asked.on('close', () => clearTimeout(timer))
      asked.on('error', lose)
      asked.end(body)
    })
  }

  end(): void {
    this.agent.destroy()
  }
}

export const cookieName = ({ url }: Pick<Place, 'url'>) =>
  url.startsWith('https:') ? '__Host-plinth.session' : 'plinth.session'

export const digestOf = (token: string) => createHash('sha256').update(token).digest()

/** Sessions that are put there directly; returns their tokens. */
export async function newTokens({ query }: Place, userId: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, someToken)
  await query('insert into sessions (user_id, token_hash) select $1, unnest($2::bytea[])', [
    userId,
    tokens.map(digestOf),
  ])
  return tokens
}

/** One of those who use the app: what they do next waits for what they did last. */
interface Member {
  id: string
  email: string
  token: string
  /** Sessions on other devices, to be ended one by one. */
  spare: string[]
  /** Names that were sent, the newest last. */
  sent: string[]
  /** Place in `sent` of the newest name that was promised to be kept. */
  kept: number
  ended: string[]
}

async function newMember(place: Place): Promise<Member> {
  const email = `load-${crypto.randomUUID()}@example.com`
  const [{ id }] = await place.query(
    `insert into users (email, name, email_verified_at) values ($1, 'Somebody', now()) returning id`,
    [email],
  )
  const [token = ''] = await newTokens(place, id, 1)
  return { id, email, token, spare: [], sent: [], kept: -1, ended: [] }
}

type KindName = keyof typeof kinds
type Did = Pick<Attempt, 'status' | 'text' | 'isGood'>

const browserHeaders = (place: Place, token: string) => ({
  Cookie: `${cookieName(place)}=${token}`,
  Origin: place.url,
  'Sec-Fetch-Site': 'same-origin',
})

const kinds = {
  page: async (_place: Place, caller: Caller): Promise<Did> => {
    const { status, text } = await caller.ask({ path: '/signin' })
    return { status, text, isGood: status === 200 && text.includes('</html>') }
  },

  session: async (place: Place, caller: Caller, member: Member): Promise<Did> => {
    const { status, text } = await caller.ask({
      path: '/api/auth/session',
      headers: browserHeaders(place, member.token),
    })
    return { status, text, isGood: status === 200 && text.includes(member.email) }
  },

  signOut: async (place: Place, caller: Caller, member: Member): Promise<Did> => {
    if (member.spare.length === 0) member.spare = await newTokens(place, member.id, 100)
    const token = member.spare.pop() ?? ''
    const { status, text } = await caller.ask({
      method: 'POST',
      path: '/api/auth/signout',
      headers: { ...browserHeaders(place, token), 'Content-Type': 'application/json' },
      body: '{"redirect":false}',
    })
    if (status === 200) member.ended.push(token)
    return { status, text, isGood: status === 200 }
  },

  rename: async (place: Place, caller: Caller, member: Member): Promise<Did> => {
    const name = `Somebody ${crypto.randomUUID().slice(0, 8)}`
    member.sent.push(name)
    const { status, text } = await caller.ask({
      method: 'POST',
      path: '/account/profile',
      headers: {
        ...browserHeaders(place, member.token),
        'Next-Action': everyAction().find((action) => action.name === 'updateProfile')?.id ?? '',
        'Content-Type': 'text/plain;charset=UTF-8',
        Accept: 'text/x-component',
      },
      body: JSON.stringify([{ name }]),
    })
    const isGood = status === 200 && /^1:\{"ok":true/m.test(text)
    if (isGood) member.kept = member.sent.length - 1
    return { status, text, isGood }
  },
}

/** What this build can do: renaming is part of a module. */
export const everyKind = () =>
  (Object.keys(kinds) as KindName[]).filter(
    (name) => name !== 'rename' || everyAction().some((action) => action.name === 'updateProfile'),
  )

export const isRead = ({ kind }: Pick<Attempt, 'kind'>) => kind === 'page' || kind === 'session'

interface Shape {
  /** People, each with one request under way at most. */
  inFlight?: number
  /** Requests begun in a second, all people together; as many as will go when it is not said. */
  perSecond?: number
  /** In this order, over and over. A kind may be there twice. */
  mix?: KindName[]
  /** What was lost on a connection that was used before is asked for again, when it only reads. */
  isBrowser?: boolean
}

export class Load {
  readonly attempts: Attempt[] = []
  private readonly place: Place
  private readonly caller: Caller
  private readonly members: Member[]
  private isOver = false
  private readonly work: Promise<unknown>

  private constructor(place: Place, members: Member[], { perSecond, mix = everyKind(), isBrowser = false }: Shape) {
    this.place = place
    this.members = members
    this.caller = new Caller(place, { isBrowser })
    let begun = 0
    const startedAt = performance.now()
    this.work = Promise.all(
      members.map(async (member) => {
        while (!this.isOver) {
          const turn = begun++
          const due = perSecond ? startedAt + (turn * 1000) / perSecond : 0
          if (due > performance.now()) await sleep(due - performance.now())
          const kind = mix[turn % mix.length] as KindName
          const [at, from] = [Date.now(), performance.now()]
          const did = await kinds[kind](place, this.caller, member)
          this.attempts.push({ kind, ...did, startedAt: at, milliseconds: performance.now() - from })
        }
      }),
    )
    // Looked at in stop(); without this, a failure before that would end the process.
    this.work.catch(() => {})
  }

  static async start(place: Place, shape: Shape = {}): Promise<Load> {
    return new Load(
      place,
      await Promise.all(Array.from({ length: shape.inFlight ?? 16 }, () => newMember(place))),
      shape,
    )
  }

  /** Goes on for as long as the work takes, whatever becomes of it. */
  static async during(place: Place, shape: Shape, work: (load: Load) => Promise<void>): Promise<Load> {
    const load = await Load.start(place, shape)
    try {
      await work(load)
    } finally {
      await load.stop()
    }
    return load
  }

  /** So many requests, and an end. */
  static reaching(place: Place, count: number, shape: Shape = {}): Promise<Load> {
    return Load.during(place, shape, (load) => load.reach(count))
  }

  /** So many more from here on. */
  more(count: number): Promise<void> {
    return this.reach(this.attempts.length + count)
  }

  /** Waits until so many requests were answered, or not. */
  async reach(count: number): Promise<void> {
    while (this.attempts.length < count) await Promise.race([sleep(50), this.work])
  }

  async stop(): Promise<void> {
    this.isOver = true
    await this.work
    this.caller.end()
  }

  failed(): Attempt[] {
    return this.attempts.filter(({ isGood }) => !isGood)
  }

  /** Promises that the database does not know about. A name that nobody promised may be there or not. */
  async lost(): Promise<string[]> {
    const found: string[] = []
    for (const { id, sent, kept, ended } of this.members) {
      const [{ name }] = await this.place.query('select name from users where id = $1', [id])
      if (kept >= 0 && !sent.slice(kept).includes(name)) found.push(`the name ${sent[kept]}: there is ${name}`)
      const alive = await this.place.query('select 1 from sessions where token_hash = any($1)', [ended.map(digestOf)])
      if (alive.length > 0) found.push(`the end of ${alive.length} sessions`)
    }
    return found
  }

  /** The longest time in which no request of this kind that came to a good end had begun, within the load. */
  longestGap(kind: (attempt: Attempt) => boolean): number {
    const good = this.attempts.filter((attempt) => attempt.isGood && kind(attempt)).map((one) => one.startedAt)
    good.sort((a, b) => a - b)
    return good.reduce((longest, at, index) => Math.max(longest, at - (good[index - 1] ?? at)), 0)
  }

  /** In words, for the line beside the result. */
  summary(): string {
    const times = this.attempts.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
    const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
    const failed = this.failed()
    const how = [...new Set(failed.map((one) => `${one.kind} ${one.status || one.text}`))].join(', ')
    const again = this.caller.repeated > 0 ? `, ${this.caller.repeated} asked twice` : ''
    return `${times.length} requests, ${failed.length} failed${how && ` (${how})`}${again}; half in ${at(0.5)} ms, 99 of 100 in ${at(0.99)} ms`
  }

  /** All of them good, and all promises kept. */
  async assertAllGood(): Promise<void> {
    const failed = this.failed()
    const shown = failed.slice(0, 5).map((one) => `${one.kind} ${one.status} ${one.text.slice(0, 200)}`)
    assert.equal(failed.length, 0, `${this.summary()}\n${shown.join('\n')}`)
    assert.deepEqual(await this.lost(), [])
  }
}

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Waits until it is so; returns after how many milliseconds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, within = 15_000): Promise<number> {
  const start = performance.now()
  while (!(await isSo())) {
    if (performance.now() - start > within) throw new Error(`${what}: not within ${within} ms`)
    await sleep(20)
  }
  return performance.now() - start
}
