import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AwsClient } from 'aws4fetch'

export interface BucketResponse {
  status: number
  body: Buffer
}

/** Handles a request of the app. `pass` sends it on to the S3 server. */
type Handler = (request: IncomingMessage, response: ServerResponse, pass: () => Promise<BucketResponse>) => unknown

export interface BucketSettings {
  url: string
  region: string
  key: string
  secret: string
}

/** What tests do with a bucket themselves. Throws if the server rejects it. */
interface BucketClient {
  keys(): Promise<string[]>
  read(key: string): Promise<Buffer>
  write(key: string, body: string): Promise<void>
  clear(): Promise<void>
  create(): Promise<void>
  remove(): Promise<void>
}

export interface TestBucket extends BucketClient {
  settings: BucketSettings
  /** Handles all requests, to test faults of the server. Also those of the methods below. */
  onRequest: Handler | undefined
  /** The last status that the server responded with. */
  lastStatus: number
  stop(): Promise<void>
}

type Server = Omit<BucketSettings, 'url'> & {
  send(request: IncomingMessage, body: Buffer): Promise<BucketResponse>
}

/**
 * An empty bucket behind a proxy that can misbehave. It is on the S3-compatible server at TEST_S3_URL, with TEST_S3_REGION,
 * TEST_S3_KEY and TEST_S3_SECRET, or on a stand-in for one.
 */
export async function startBucket(): Promise<TestBucket> {
  const server = process.env.TEST_S3_URL ? remoteServer(process.env.TEST_S3_URL) : standIn()
  const proxy = createServer(async (received, response) => {
    const pass = async () => {
      const result = await server.send(received, Buffer.concat(await received.toArray()))
      bucket.lastStatus = result.status
      return result
    }
    if (bucket.onRequest) return bucket.onRequest(received, response, pass)
    const { status, body } = await pass()
    response.writeHead(status).end(body)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { region, key, secret } = server
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/${crypto.randomUUID()}`
  const settings = { url, region, key, secret }
  const bucket: TestBucket = {
    ...bucketClient(settings),
    settings,
    onRequest: undefined,
    lastStatus: 0,
    stop: async () => {
      bucket.onRequest = undefined
      await bucket.clear()
      await bucket.remove()
      proxy.close().closeAllConnections()
    },
  }
  await bucket.create()
  return bucket
}

export function bucketClient({ url, region, key, secret }: BucketSettings): BucketClient {
  const client = new AwsClient({ accessKeyId: key, secretAccessKey: secret, region, service: 's3', retries: 0 })
  const send = async (method: string, path = '', body?: string) => {
    const headers = { 'X-Amz-Content-Sha256': sha256(body ?? '') }
    const response = await client.fetch(url + path, { method, headers, ...(body && { body }) })
    if (!response.ok) throw new Error(`${method} ${path} in the test bucket: ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }
  const keys = async () =>
    [...String(await send('GET', '?list-type=2')).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, found]) => found ?? '')
  return {
    keys,
    read: (name) => send('GET', `/${name}`),
    write: async (name, body) => void (await send('PUT', `/${name}`, body)),
    clear: async () => {
      for (const name of await keys()) await send('DELETE', `/${name}`)
    },
    create: async () => void (await send('PUT')),
    remove: async () => void (await send('DELETE')),
  }
}

/** The headers stay as they are: the signature covers them, and among them the host. */
function remoteServer(url: string): Server {
  const { TEST_S3_REGION: region = '', TEST_S3_KEY: key = '', TEST_S3_SECRET: secret = '' } = process.env
  return {
    region,
    key,
    secret,
    send: async ({ method, url: path, headers }, body) => {
      const sent = request(new URL(path ?? '', url), { ...(method && { method }), headers }).end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: response.statusCode ?? 0, body: Buffer.concat(await response.toArray()) }
    },
  }
}

/** Keeps objects in memory, and checks signatures as S3 does. */
function standIn(): Server {
  const credentials = {
    region: 'eu-test-1',
    key: 'AKIDEXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  }
  const objects = new Map<string, Buffer>()
  const handle = (method = '', path: string, body: Buffer): BucketResponse => {
    const [, name = ''] = /^\/[^/]+\/?(.*)/.exec(path) ?? []
    const found = objects.get(path)
    if (method === 'PUT' && name) objects.set(path, body)
    if (method === 'DELETE') objects.delete(path)
    if (method !== 'GET') return { status: method === 'PUT' ? 200 : 204, body: Buffer.alloc(0) }
    if (name) return { status: found ? 200 : 404, body: found ?? Buffer.alloc(0) }
    const keys = [...objects.keys()].map((each) => `<Key>${each.replace(`${path}/`, '')}</Key>`)
    return { status: 200, body: Buffer.from(keys.join('')) }
  }
  return {
    ...credentials,
    send: async (received, body) => {
      if (!isSigned(received, body, credentials)) return { status: 403, body: Buffer.alloc(0) }
      return handle(received.method, (received.url ?? '').split('?')[0] ?? '', body)
    },
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text).digest()

/** Checks AWS Signature Version 4, independently of the library that signs. */
function isSigned(
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  { region, key, secret }: Omit<BucketSettings, 'url'>,
): boolean {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, id, day = '', where, signed = '', signature] = parts.exec(headers.authorization ?? '') ?? []
  if (id !== key || where !== region) return false
  if (headers['x-amz-content-sha256'] !== sha256(body)) return false
  const at = String(headers['x-amz-date'])
  const timestamp = Date.parse(at.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'))
  if (!at.startsWith(day) || !(Math.abs(Date.now() - timestamp) < 15 * 60_000)) return false
  const names = signed.split(';')
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.includes(name))) return false
  const [path, query = ''] = url.split('?')
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, path, query, lines.join(''), signed, sha256(body)].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const signingKey = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day))
  return signature === hmac(signingKey, ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')).toString('hex')
}
