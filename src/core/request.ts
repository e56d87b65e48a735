import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session } from './auth/sessions'
import { env } from './env'
import { AppError } from './errors'

/** What is known about the request that an action or a route handler is serving, for code far from where it arrived. */
interface CurrentRequest {
  id: string
  /** Those of a job are empty: nobody called. */
  headers: Headers
  /** Who is calling, once somebody asked. Kept by core/auth/actor.ts. */
  session?: Promise<Session | null>
  /** The identity that a provider has just vouched for. Kept by core/auth/oauth. */
  identity?: { provider: 'google' | 'github'; providerAccountId: string }
}

const current = new AsyncLocalStorage<CurrentRequest>()

export function withRequest<T>(request: { id: string; headers: Headers }, work: () => T): T {
  return current.run({ ...request }, work)
}

/** Undefined while a page is made: there React keeps what belongs to one request. */
export function currentRequest(): CurrentRequest | undefined {
  return current.getStore()
}

/** An id from a proxy in front is kept when it looks like one, so that logs of both can be joined. */
export function requestIdFrom(headers: Headers): string {
  const given = headers.get('x-request-id')
  return given && /^[\w-]{8,64}$/.test(given) ? given : crypto.randomUUID()
}

/**
 * Refuses what another site made a browser send. `Sec-Fetch-Site` cannot be forged by a page, so it decides
 * where it is present; `Origin` is for older browsers. A caller that sends neither is no browser, and carries
 * no cookie it did not mean to send: route handlers let it through, actions do not (`isBrowserOnly`).
 */
export function refuseCrossSite(headers: Headers, { isBrowserOnly }: { isBrowserOnly: boolean }): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site !== null) {
    if (site === 'same-origin' || site === 'none') return
  } else if (origin !== null) {
    if (origin === env.AUTH_URL || isOwnInDevelopment(origin, headers.get('host'))) return
  } else if (!isBrowserOnly) return
  throw new AppError('cross_site')
}

/** A phone on the same network reaches development by an address that nobody configured, and without `Sec-Fetch-Site`. */
function isOwnInDevelopment(origin: string, host: string | null): boolean {
  return process.env.NODE_ENV === 'development' && origin === `http://${host}`
}

/** Reads a JSON body, and stops as soon as it is larger than allowed: nothing that big is ever parsed. */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json(\s*;\s*charset="?utf-8"?)?$/i.test(type.trim()) || request.headers.has('content-encoding')) {
    throw new AppError('unsupported_media_type', 'Send application/json in UTF-8, not compressed')
  }
  const bytes = await readBytes(request, limit)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new AppError('malformed', 'The body is not JSON', { cause })
  }
}

/** Reads a body as it is, no further than allowed. */
export async function readBytes(request: Request, limit: number): Promise<Buffer> {
  if (Number(request.headers.get('content-length')) > limit) throw new AppError('too_large')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw new AppError('too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
