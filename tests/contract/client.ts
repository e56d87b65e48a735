import { contractOf } from './described.ts'

export interface SetCookie {
  name: string
  value: string
  /** By name in small letters; those without a value are ''. */
  attributes: Map<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  setCookies: SetCookie[]
  json: () => ReturnType<typeof JSON.parse>
}

interface Sent {
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is; a stream goes without a length. */
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream
  headers?: Record<string, string>
}

export interface Client {
  cookies: Map<string, string>
  send: (method: string, path: string, sent?: Sent) => Promise<Answer>
  get: (path: string, headers?: Record<string, string>) => Promise<Answer>
  post: (path: string, json?: unknown, headers?: Record<string, string>) => Promise<Answer>
}

function readSetCookie(line: string): SetCookie {
  const [pair = '', ...rest] = line.split('; ')
  const split = (text: string): [string, string] => {
    const [name = '', ...value] = text.split('=')
    return [name, value.join('=')]
  }
  const [name, value] = split(pair)
  return { name, value, attributes: new Map(rest.map(split).map(([key, word]) => [key.toLowerCase(), word])) }
}

/** Every answer must be as the app itself describes it, where it does. */
async function refuseUndescribed(url: string, method: string, path: string, response: Response, text: string) {
  const { pathname } = new URL(url + path)
  const answer = { status: response.status, type: response.headers.get('content-type'), text }
  const fault = (await contractOf(url))?.faultOf(method, pathname, answer)
  if (fault) throw new Error(`${method} ${pathname} is not as the document has it: ${fault}`)
}

/** One caller: keeps cookies, by name and whatever the protocol; follows no redirect. `always` goes with every request. */
export function newClient(url: string, always: Record<string, string> = {}): Client {
  const cookies = new Map<string, string>()

  const send = async (method: string, path: string, { json, body, headers = {} }: Sent = {}): Promise<Answer> => {
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
      headers: {
        ...(jar && { cookie: jar }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...always,
        ...headers,
      },
      body: json === undefined ? body : JSON.stringify(json),
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    })
    const text = await response.text()
    await refuseUndescribed(url, method, path, response, text)
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
