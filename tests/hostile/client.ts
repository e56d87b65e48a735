import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { breaches } from './oracles.ts'

export interface Answer {
  status: number
  headers: Record<string, string | undefined>
  /** Status line and headers as they came. */
  head: string
  text: string
  setCookies: string[]
  milliseconds: number
  // biome-ignore lint/suspicious/noExplicitAny: the check knows what it asked for
  json(): any
}

export interface Call {
  method?: string
  headers?: Record<string, string | string[]>
  /** An object is sent as JSON, with its content type. */
  body?: string | Buffer | object
  jar?: Jar
  /** Where the request comes from, as the proxy in front would say. A new address each time unless it is named. */
  address?: string
  /** The check is about an answer of 500. */
  may500?: boolean
  timeout?: number
}

/** The cookies of one browser. */
export class Jar {
  readonly values = new Map<string, string>()

  constructor(values: Record<string, string> = {}) {
    for (const [name, value] of Object.entries(values)) this.values.set(name, value)
  }

  take(setCookies: string[]): void {
    for (const line of setCookies) {
      const [pair = '', ...attributes] = line.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))) this.values.delete(name)
      else this.values.set(name, value)
    }
  }

  get(name: string): string {
    return this.values.get(name) ?? ''
  }

  /** The session's token. */
  get token(): string {
    return this.get('plinth.session') || this.get('__Host-plinth.session')
  }

  copy(): Jar {
    return new Jar(Object.fromEntries(this.values))
  }

  toString(): string {
    return [...this.values].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

const part = () => Math.floor(Math.random() * 256)
/** One of the addresses that belong to nobody. */
export const someAddress = () => `198.${18 + (part() % 2)}.${part()}.${part()}`

let secureNodes = new Set<string>()
/** Tells the client that this node believes to be reached over https, so that its cookies must be secure. */
export function markSecure(url: string): void {
  secureNodes = new Set([...secureNodes, url])
}

const answerOf = (status: number, rawHeaders: string[], text: string, milliseconds: number): Answer => {
  const headers: Record<string, string> = {}
  const setCookies: string[] = []
  const lines: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]]
    lines.push(`${name}: ${value}`)
    if (name.toLowerCase() === 'set-cookie') setCookies.push(value)
    else headers[name.toLowerCase()] = value
  }
  return {
    status,
    headers,
    head: lines.join('\n'),
    text,
    setCookies,
    milliseconds,
    json: () => JSON.parse(text),
  }
}

function judge(url: string, what: string, path: string, answer: Answer, may500: boolean): Answer {
  const found = breaches(answer, path, { isSecure: secureNodes.has(url), may500 })
  if (found.length > 0) throw new Error(`${what} answered ${answer.status}, and ${[...new Set(found)].join('; ')}`)
  return answer
}

/** Asks one node, follows no redirect, and holds the answer against what every answer must be. */
export function call(url: string, path: string, options: Call = {}): Promise<Answer> {
  const { method = options.body === undefined ? 'GET' : 'POST', body, jar, may500 = false } = options
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
  const bytes = isJson ? JSON.stringify(body) : (body ?? '')
  const { port, host } = new URL(url)
  const headers: Record<string, string | string[]> = {
    Host: host,
    'X-Forwarded-For': options.address ?? someAddress(),
    ...(isJson && { 'Content-Type': 'application/json' }),
    ...(jar && jar.values.size > 0 && { Cookie: String(jar) }),
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(bytes)) }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const asked = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const answer = answerOf(response.statusCode ?? 0, response.rawHeaders, text, performance.now() - start)
        jar?.take(answer.setCookies)
        try {
          resolve(judge(url, `${method} ${path.slice(0, 120)}`, path, answer, may500))
        } catch (breach) {
          reject(breach)
        }
      })
    })
    asked.setTimeout(options.timeout ?? 30_000, () => asked.destroy(new Error(`${method} ${path}: no answer`)))
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // The server had just closed a connection that was idle for too long, and never saw the request.
      if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(call(url, path, options))
      else reject(error)
    })
    asked.end(bytes)
  })
}

function withoutChunks(body: string): string {
  const [, size = '0', rest = ''] = /^([0-9a-f]+)\r\n([\s\S]*)$/i.exec(body) ?? []
  const length = Number.parseInt(size, 16)
  return length === 0 ? '' : rest.slice(0, length) + withoutChunks(rest.slice(length + 2))
}

/** Sends these very bytes: for what no HTTP library lets out. Returns the first answer. */
export function callRaw(url: string, bytes: string): Promise<Answer> {
  const path = /^\S+ (?:https?:\/\/[^/]*)?(\S+)/.exec(bytes)?.[1] ?? '/'
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    const finish = () => {
      socket.destroy()
      const received = Buffer.concat(chunks).toString('latin1')
      const [head = '', ...rest] = received.split('\r\n\r\n')
      const [line = '', ...lines] = head.split('\r\n')
      const raw = lines.flatMap((text) => text.split(/: (.*)/s).slice(0, 2))
      const body = rest.join('\r\n\r\n')
      const text = /^transfer-encoding: chunked$/im.test(head) ? withoutChunks(body) : body
      const answer = answerOf(Number(line.split(' ')[1] ?? 0), raw, text, performance.now() - start)
      try {
        resolve(judge(url, `raw ${bytes.slice(0, 60)}`, path, answer, false))
      } catch (breach) {
        reject(breach)
      }
    }
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', finish)
    socket.on('error', reject)
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer to raw bytes')))
  })
}
