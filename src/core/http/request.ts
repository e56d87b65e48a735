import { AsyncLocalStorage } from 'node:async_hooks'
import type { Role } from '../auth/policy'
import { env } from '../env'
import { AppError } from '../errors'
import type { Scope } from '../scope'
import type { TimePreferences } from '../time/time-format'

/** The session that a request is made with. Declared here, so that `http` does not depend on `auth/session`. */
export interface Caller {
  id: string
  user: { id: string; email: string; name: string; role: Role }
  /** URL of the user's picture. Not part of `user`, because API callers rely on the keys of `user`. */
  image: string | null
  /** How the user wants to see times. */
  preferences: TimePreferences
  expires: Date
  /** Whether the user has reauthenticated recently. */
  isReauthenticated: boolean
  /** The admin who impersonates the user, and that admin's own session. */
  impersonatedBy: { id: string; name: string; sessionId: string } | null
  /** The scope that the request names, if the user is a member of it. */
  scope: Scope | null
}

/** The context of the request that an action or a route handler is serving (AsyncLocalStorage). */
interface CurrentRequest {
  id: string
  /** Empty in a job, which has no caller. */
  headers: Headers
  /** Slug or id of the scope that the request names, from its URL or its input. Set by action.ts and handler.ts. */
  scopeName?: string | undefined
  /** The session, once it was read. Set by core/auth/session/actor.ts. */
  session?: Promise<Caller | null>
  /** The identity that a provider has just authenticated. Set by core/auth/oauth. */
  identity?: { provider: string; providerAccountId: string }
  /** When the provider last authenticated that user. Undefined if it cannot be asked to say so. */
  authenticatedAt?: Date | undefined
}

const current = new AsyncLocalStorage<CurrentRequest>()

export function withRequest<T>(request: { id: string; headers: Headers }, work: () => T): T {
  return current.run({ ...request }, work)
}

/** Undefined while a page renders: there `cache()` of React holds per-request data. */
export function currentRequest(): CurrentRequest | undefined {
  return current.getStore()
}

/** Reuses a valid `X-Request-Id` of a proxy in front, so that both logs can be joined. */
export function requestIdFrom(headers: Headers): string {
  const given = headers.get('x-request-id')
  return given && /^[\w-]{8,64}$/.test(given) ? given : crypto.randomUUID()
}

/**
 * Rejects requests that another site made a browser send (CSRF). A page cannot forge `Sec-Fetch-Site`, so it decides where
 * it is present; `Origin` is for older browsers. A caller that sends neither is not a browser, so its cookies were sent on
 * purpose: route handlers allow it, actions do not (`isBrowserOnly`).
 */
export function rejectCrossSite(headers: Headers, { isBrowserOnly }: { isBrowserOnly: boolean }): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site !== null) {
    if (site === 'same-origin' || site === 'none') return
  } else if (origin !== null) {
    if (origin === env.AUTH_URL || isOwnInDevelopment(origin, headers.get('host'))) return
  } else if (!isBrowserOnly) return
  throw new AppError('cross_site')
}

/** Over http from another device, browsers send no `Sec-Fetch-Site`. dev-hosts.ts has checked the host against DEV_HOSTS. */
function isOwnInDevelopment(origin: string, host: string | null): boolean {
  return process.env.NODE_ENV === 'development' && origin === `http://${host}`
}

/** Reads and parses a JSON body. Stops reading as soon as it exceeds the limit. */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json(\s*;\s*charset="?utf-8"?)?$/i.test(type.trim()) || request.headers.has('content-encoding')) {
    throw new AppError('unsupported_media_type', 'Send uncompressed application/json in UTF-8.')
  }
  const bytes = await readBytes(request, limit)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new AppError('malformed', 'The body isn’t valid JSON.', { cause })
  }
}

/** Reads a raw body. Stops reading as soon as it exceeds the limit. */
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
