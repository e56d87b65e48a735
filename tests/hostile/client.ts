import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
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

const secureNodes = new Set<string>()
/** Tells the client that this node believes to be reached over https, so that its cookies must be secure. */
export function markSecure(url: string): void {
  secureNodes.add(url)
}

/** Proxies in front of nodes, and the certificate that each shows. */
const certificates = new Map<string, string>()
export function trust(url: string, certificate: string): void {
  certificates.set(url, certificate)
  markSecure(url)
}

// No connection is used twice: what reaches the nodes then depends on nothing that was sent before.
const secureAgent = new SecureAgent({ keepAlive: false, maxSockets: 200 })
/** A proxy writes down where a connection comes from, and believes nobody: so each call comes from another loopback address. */
const ownAddress = () => `127.${1 + (part() % 254)}.${part()}.${1 + (part() % 254)}`
const tlsOf = (url: string) => ({ ca: certificates.get(url) ?? '', servername: 'localhost' })

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
  const found = breaches(answer, path, { isSecure: secureNodes.has(url), isProxied: certificates.has(url), may500 })
  if (found.length > 0) throw new Error(`${what} answered ${answer.status}, and ${[...new Set(found)].join('; ')}`)
  return answer
}

function ask(
  url: string,
  options: RequestOptions,
  address: string | undefined,
  receive: (response: IncomingMessage) => void,
): ClientRequest {
  if (!certificates.has(url)) return request({ agent, ...options }, receive)
  const localAddress = address?.startsWith('127.') ? address : ownAddress()
  return secureRequest({ agent: secureAgent, ...tlsOf(url), localAddress, ...options }, receive)
}

/** Asks one node, or the proxy in front of several, follows no redirect, and holds the answer against what every answer must be. */
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
    const asked = ask(url, { host: '127.0.0.1', port, method, path, headers }, options.address, (response) => {
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

/** A connection of one's own, on which anything may be sent. */
export function open(url: string): Socket {
  const place = { port: Number(new URL(url).port), host: '127.0.0.1' }
  if (!certificates.has(url)) return connect(place)
  return connectSecurely({ socket: connect({ ...place, localAddress: ownAddress() }), ...tlsOf(url) })
}

/** Sends these very bytes, and returns all that comes back until the other side hangs up or is silent. */
export function exchange(url: string, bytes: string | Buffer, { silence = 10_000 } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(url)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    // Whoever is refused while they are still sending may find the connection gone.
    socket.on('error', () => {})
    socket.setTimeout(silence, () => socket.destroy())
    socket.write(Buffer.from(bytes as string, 'latin1'))
  })
}

/** Sends these very bytes: for what no HTTP library lets out. Returns the first answer. */
export async function callRaw(
  url: string,
  bytes: string | Buffer,
  { may500 = false }: { may500?: boolean } = {},
): Promise<Answer> {
  const sent = Buffer.from(bytes as string, 'latin1').toString('latin1')
  const path = /^\S+ (?:https?:\/\/[^/]*)?(\S+)/.exec(sent)?.[1] ?? '/'
  const start = performance.now()
  const received = await exchange(url, bytes)
  if (received === '') throw new Error('no answer to raw bytes')
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const raw = lines.flatMap((text) => text.split(/: (.*)/s).slice(0, 2))
  const body = rest.join('\r\n\r\n')
  const text = /^transfer-encoding: chunked$/im.test(head) ? withoutChunks(body) : body
  const answer = answerOf(Number(line.split(' ')[1] ?? 0), raw, text, performance.now() - start)
  return judge(url, `raw ${sent.slice(0, 60)}`, path, answer, may500)
}
