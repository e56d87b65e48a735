/** Every refusal this app can give. `status` is for HTTP, `title` for people; add a code only when a caller would act on it. */
export const catalogue = {
  malformed: { status: 400, title: 'The request could not be read' },
  unauthenticated: { status: 401, title: 'You are not signed in' },
  invalid_credentials: { status: 401, title: 'That e-mail and password do not match' },
  forbidden: { status: 403, title: 'You may not do this' },
  cross_site: { status: 403, title: 'The request came from another site' },
  reauth_required: { status: 403, title: 'Confirm that it is you first' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'This method is not offered here' },
  conflict: { status: 409, title: 'Something else changed in the meantime' },
  last_admin: { status: 409, title: 'There must be at least one admin' },
  too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not accepted' },
  invalid_input: { status: 422, title: 'Some fields need your attention' },
  rate_limited: { status: 429, title: 'Too many tries' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service is not available right now' },
} as const

export type ErrorCode = keyof typeof catalogue

/** Messages by field name; the empty name holds messages about the input as a whole. */
export type FieldErrors = Record<string, string[]>

interface AppErrorDetails {
  fields?: FieldErrors | undefined
  /** Seconds after which trying again makes sense. */
  retryAfter?: number | undefined
  /** For a wrong method: the ones that are offered. */
  allow?: string[] | undefined
  cause?: unknown
}

/** A refusal that the caller may see. Anything else that is thrown is a bug: it is logged and answered as `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fields: FieldErrors | undefined
  readonly retryAfter: number | undefined
  readonly allow: string[] | undefined

  constructor(code: ErrorCode, message?: string, details: AppErrorDetails = {}) {
    super(message ?? catalogue[code].title, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.fields = details.fields
    this.retryAfter = details.retryAfter ?? (code === 'unavailable' ? 5 : undefined)
    this.allow = details.allow
  }

  get status(): number {
    return catalogue[this.code].status
  }

  get title(): string {
    return catalogue[this.code].title
  }
}

// What a database that is away, starting, full or cut off says: PostgreSQL's class 08, 53 and 57P0x, and Node's socket
// errors. What it says when our patience (src/core/db/client.ts) was over: 55P03, 57014, 25P03. And 25006, when another
// server has taken its place and it may only read.
const outage =
  /^(08...|53...|57P0.|55P03|57014|25P03|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const outageMessage = /timeout exceeded when trying to connect|Connection terminated|Query read timeout/

/** What it says of a text with the character of number 0 in it: a schema that asks for a text lets that through. */
const unstorable = /^(22021|22P05)$/

/** Whether a code or, where there is none, a message of what was thrown fits, however deep it lies. */
function isCausedBy(error: unknown, codes: RegExp, messages?: RegExp): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? String(current.code) : ''
    if (codes.test(code) || messages?.test(current.message)) return true
  }
  return false
}

/** Turns anything that was thrown into a refusal that is safe to show. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const refuse = (code: ErrorCode) => new AppError(code, undefined, { cause: error })
  if (isCausedBy(error, outage, outageMessage)) return refuse('unavailable')
  return refuse(isCausedBy(error, unstorable) ? 'invalid_input' : 'internal')
}
