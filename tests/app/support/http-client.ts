import { randomInt } from 'node:crypto'
import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { appSlug } from '../../../src/brand.ts'
import type { HttpResponse } from './http-response.ts'
import { randomIp } from './random-ip.ts'
import { findViolations } from './response-invariants.ts'

export type { HttpResponse } from './http-response.ts'

export interface CallOptions {
  method?: string
  headers?: Record<string, string | string[]>
  /** An object is sent as JSON, with its content type. */
  body?: string | Buffer | object
  jar?: Jar
  /** The client IP, sent in X-Forwarded-For. A random one for each call unless given. */
  ip?: string
  /** The check expects status 500. */
  allow500?: boolean
  timeout?: number
}

/** The cookies of one browser. */
export class Jar {
  readonly values = new Map<string, string>()

  constructor(values: Record<string, string> = {}) {
    for (const [name, value] of Object.entries(values)) this.values.set(name, value)
  }

  applySetCookies(setCookies: string[]): void {
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

  /** The session token. */
  get token(): string {
    return this.get(`${appSlug}.session`) || this.get(`__Host-${appSlug}.session`)
  }

  copy(): Jar {
    return new Jar(Object.fromEntries(this.values))
  }

  toString(): string {
    return [...this.values].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

const secureNodes = new Set<string>()
/** Whether the AUTH_URL of a node is https, so that its cookies are expected to be Secure. A port may be used again. */
export function markSecure(url: string, isSecure: boolean): void {
  if (isSecure) secureNodes.add(url)
  else secureNodes.delete(url)
}

/** TLS certificates of the proxies in front of the nodes, by URL. */
const certificates = new Map<string, string>()
export function trustCertificate(url: string, certificate: string): void {
  certificates.set(url, certificate)
  markSecure(url, true)
}

// No connection reuse, so that a request never depends on what was sent before.
const secureAgent = new SecureAgent({ keepAlive: false, maxSockets: 200 })
/** The proxy ignores X-Forwarded-For and takes the IP of the connection, so each call uses another loopback IP. */
const randomLoopbackIp = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
const tlsOf = (url: string) => ({ ca: certificates.get(url) ?? '', servername: 'localhost' })

const toHttpResponse = (status: number, rawHeaders: string[], text: string, milliseconds: number): HttpResponse => {
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

function assertInvariants(
  url: string,
  description: string,
  path: string,
  result: HttpResponse,
  allow500: boolean,
): HttpResponse {
  const found = findViolations(result, path, {
    isSecure: secureNodes.has(url),
    isProxied: certificates.has(url),
    allow500,
  })
  if (found.length > 0)
    throw new Error(`${description} returned ${result.status}, and ${[...new Set(found)].join('; ')}`)
  return result
}

function sendRequest(
  url: string,
  options: RequestOptions,
  ip: string | undefined,
  receive: (response: IncomingMessage) => void,
): ClientRequest {
  if (!certificates.has(url)) return request({ agent, ...options }, receive)
  const localAddress = ip?.startsWith('127.') ? ip : randomLoopbackIp()
  return secureRequest({ agent: secureAgent, ...tlsOf(url), localAddress, ...options }, receive)
}

/**
 * Calls a node, or the proxy in front of several. Follows no redirect, and checks the response against the invariants
 * in response-invariants.ts.
 */
export function call(url: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const { method = options.body === undefined ? 'GET' : 'POST', body, jar, allow500 = false } = options
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
  const bytes = isJson ? JSON.stringify(body) : (body ?? '')
  const { port, host } = new URL(url)
  const headers: Record<string, string | string[]> = {
    Host: host,
    'X-Forwarded-For': options.ip ?? randomIp(),
    ...(isJson && { 'Content-Type': 'application/json' }),
    ...(jar && jar.values.size > 0 && { Cookie: String(jar) }),
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(bytes)) }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const outgoing = sendRequest(url, { host: '127.0.0.1', port, method, path, headers }, options.ip, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const result = toHttpResponse(response.statusCode ?? 0, response.rawHeaders, text, performance.now() - start)
        jar?.applySetCookies(result.setCookies)
        try {
          resolve(assertInvariants(url, `${method} ${path.slice(0, 120)}`, path, result, allow500))
        } catch (breach) {
          reject(breach)
        }
      })
    })
    outgoing.setTimeout(options.timeout ?? 30_000, () => outgoing.destroy(new Error(`${method} ${path}: no response`)))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server had just closed an idle keep-alive connection and never received the request.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(call(url, path, options))
      else reject(error)
    })
    outgoing.end(bytes)
  })
}

function decodeChunked(body: string): string {
  const [, size = '0', rest = ''] = /^([0-9a-f]+)\r\n([\s\S]*)$/i.exec(body) ?? []
  const length = Number.parseInt(size, 16)
  return length === 0 ? '' : rest.slice(0, length) + decodeChunked(rest.slice(length + 2))
}

/** A raw connection. */
export function open(url: string): Socket {
  const target = { port: Number(new URL(url).port), host: '127.0.0.1' }
  if (!certificates.has(url)) return connect(target)
  return connectSecurely({ socket: connect({ ...target, localAddress: randomLoopbackIp() }), ...tlsOf(url) })
}

/** Sends these exact bytes, and returns everything received until the server closes the connection or stays silent. */
export function exchange(url: string, bytes: string | Buffer, { silence = 10_000 } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(url)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    // The server may close the connection while the request is still being sent.
    socket.on('error', () => {})
    socket.setTimeout(silence, () => socket.destroy())
    socket.write(Buffer.from(bytes as string, 'latin1'))
  })
}

/** Sends these exact bytes, for requests that no HTTP library produces. Returns the first response. */
export async function callRaw(
  url: string,
  bytes: string | Buffer,
  { allow500 = false }: { allow500?: boolean } = {},
): Promise<HttpResponse> {
  const sent = Buffer.from(bytes as string, 'latin1').toString('latin1')
  const path = /^\S+ (?:https?:\/\/[^/]*)?(\S+)/.exec(sent)?.[1] ?? '/'
  const start = performance.now()
  const received = await exchange(url, bytes)
  if (received === '') throw new Error('no response to raw bytes')
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const raw = lines.flatMap((text) => text.split(/: (.*)/s).slice(0, 2))
  const body = rest.join('\r\n\r\n')
  const text = /^transfer-encoding: chunked$/im.test(head) ? decodeChunked(body) : body
  const result = toHttpResponse(Number(line.split(' ')[1] ?? 0), raw, text, performance.now() - start)
  return assertInvariants(url, `raw ${sent.slice(0, 60)}`, path, result, allow500)
}
