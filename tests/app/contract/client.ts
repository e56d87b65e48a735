import { contractOf } from './openapi-contract.ts'

export interface SetCookie {
  name: string
  value: string
  /** By lowercase name; attributes without a value are ''. */
  attributes: Map<string, string>
}

export interface TestResponse {
  status: number
  headers: Headers
  text: string
  setCookies: SetCookie[]
  json: () => ReturnType<typeof JSON.parse>
}

interface RequestOptions {
  /** Sent as JSON. */
  json?: unknown
  /** Sent unchanged; a stream has no Content-Length. */
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream
  headers?: Record<string, string>
}

export interface Client {
  cookies: Map<string, string>
  send: (method: string, path: string, sent?: RequestOptions) => Promise<TestResponse>
  get: (path: string, headers?: Record<string, string>) => Promise<TestResponse>
  post: (path: string, json?: unknown, headers?: Record<string, string>) => Promise<TestResponse>
}

function readSetCookie(line: string): SetCookie {
  const [pair = '', ...rest] = line.split('; ')
  const split = (text: string): [string, string] => {
    const [name = '', ...value] = text.split('=')
    return [name, value.join('=')]
  }
  const [name, value] = split(pair)
  return {
    name,
    value,
    attributes: new Map(rest.map(split).map(([key, attributeValue]) => [key.toLowerCase(), attributeValue])),
  }
}

/** Throws if a response does not match the app's OpenAPI document. Does nothing if there is no document. */
async function assertDocumented(url: string, method: string, path: string, response: Response, text: string) {
  const { pathname } = new URL(url + path)
  const actual = { status: response.status, type: response.headers.get('content-type'), text }
  const mismatch = (await contractOf(url))?.mismatchOf(method, pathname, actual)
  if (mismatch) throw new Error(`${method} ${pathname} does not match the OpenAPI document: ${mismatch}`)
}

/** HTTP client that stores cookies by name, ignores `Secure`, and follows no redirects. `always` goes with each request. */
export function newClient(url: string, defaultHeaders: Record<string, string> = {}): Client {
  const cookies = new Map<string, string>()

  const send = async (
    method: string,
    path: string,
    { json, body, headers = {} }: RequestOptions = {},
  ): Promise<TestResponse> => {
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
      headers: {
        ...(jar && { cookie: jar }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...defaultHeaders,
        ...headers,
      },
      body: json === undefined ? body : JSON.stringify(json),
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    })
    const text = await response.text()
    await assertDocumented(url, method, path, response, text)
    const setCookies = response.headers.getSetCookie().map(readSetCookie)
    for (const { name, value, attributes } of setCookies) {
      if (attributes.get('max-age') === '0') cookies.delete(name)
      else cookies.set(name, value)
    }
    return { status: response.status, headers: response.headers, text, setCookies, json: () => JSON.parse(text) }
  }
  return {
    cookies,
    send,
    get: (path, headers) => send('GET', path, { headers }),
    post: (path, json, headers) => send('POST', path, { json, headers }),
  }
}
