import { appSlug } from '@/brand'

/** Every error code of this app. `status` is for HTTP, `title` for users; add a code only if a caller would act on it. */
export const errorCatalog = {
  malformed: { status: 400, title: 'Invalid request' },
  unauthenticated: { status: 401, title: 'Sign in to continue' },
  invalid_credentials: { status: 401, title: 'Incorrect email or password' },
  forbidden: { status: 403, title: 'You don’t have permission to do this' },
  cross_site: { status: 403, title: 'Request blocked: it came from another site' },
  reauth_required: { status: 403, title: 'Confirm it’s you to continue' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict with the current state' },
  last_admin: { status: 409, title: 'At least one admin is required' },
  too_large: { status: 413, title: 'Request too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported content type' },
  invalid_input: { status: 422, title: 'Check the highlighted fields' },
  rate_limited: { status: 429, title: 'Too many attempts' },
  internal: { status: 500, title: 'Something went wrong' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const

export type ErrorCode = keyof typeof errorCatalog

/** Messages by field name; the empty name holds messages about the input as a whole. */
export type FieldErrors = Record<string, string[]>

interface AppErrorDetails {
  fields?: FieldErrors | undefined
  /** Seconds after which to retry. */
  retryAfter?: number | undefined
  /** For `method_not_allowed`: the allowed methods. */
  allow?: string[] | undefined
  cause?: unknown
}

/** An error that the caller may see. Anything else that is thrown is a bug: it is logged and returned as `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fields: FieldErrors | undefined
  readonly retryAfter: number | undefined
  readonly allow: string[] | undefined

  constructor(code: ErrorCode, message?: string, details: AppErrorDetails = {}) {
    super(message ?? errorCatalog[code].title, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.fields = details.fields
    this.retryAfter = details.retryAfter ?? (code === 'unavailable' ? 5 : undefined)
    this.allow = details.allow
  }

  get status(): number {
    return errorCatalog[this.code].status
  }

  get title(): string {
    return errorCatalog[this.code].title
  }
}

/** A problem object (RFC 9457), plus the stable `code` and `errors` by field. The cause is only logged. */
export const toProblem = (error: AppError, requestId: string) => ({
  type: `urn:${appSlug}:problem:${error.code}`,
  title: error.title,
  status: error.status,
  detail: error.message,
  instance: `urn:${appSlug}:request:${requestId}`,
  code: error.code,
  ...(error.fields && { errors: error.fields }),
})

// The database is down, starting, full or unreachable: PostgreSQL's classes 08, 53 and 57P0x, and Node's socket errors.
// A timeout of ours (src/core/db/client.ts) expired: 55P03, 57014, 25P03. The server is now a read-only standby: 25006.
const outageCodes =
  /^(08...|53...|57P0.|55P03|57014|25P03|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const outageMessages = /timeout exceeded when trying to connect|Connection terminated|Query read timeout/

/** PostgreSQL's codes for text that contains a NUL character, which `z.string()` accepts. */
const unstorableTextCodes = /^(22021|22P05)$/

/** Whether the error or one of its causes has a matching code or message. */
function isCausedBy(error: unknown, codes: RegExp, messages?: RegExp): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? String(current.code) : ''
    if (codes.test(code) || messages?.test(current.message)) return true
  }
  return false
}

/** Turns anything that was thrown into an error that is safe to show. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const withCode = (code: ErrorCode) => new AppError(code, undefined, { cause: error })
  if (isCausedBy(error, outageCodes, outageMessages)) return withCode('unavailable')
  return withCode(isCausedBy(error, unstorableTextCodes) ? 'invalid_input' : 'internal')
}
