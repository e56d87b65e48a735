import pino from 'pino'
import { env } from './env'
import { currentRequestId } from './request'

const secretName = /pass(word|wd|phrase)?|secret|token|authorization|cookie|credential|api[-_]?key|hash|nonce|dsn/i
const secretInText = [
  /(postgres(?:ql)?|rediss?|smtps?):\/\/[^\s"'@]*@/gi, // a password inside a URL
  /\bBearer\s+[\w.~+/=-]+/gi,
  /\$argon2[\w$=,+/-]+/g,
]

/** Takes secrets out of anything that is about to be logged, by the name of the field and by what the text looks like. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return secretInText.reduce((text, pattern) => text.replace(pattern, '[redacted]'), value)
  }
  if (value === null || typeof value !== 'object') return value
  if (depth > 8) return '[too deep]'
  if (value instanceof Date) return value
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  if (value instanceof Map) return redact(Object.fromEntries(value), depth)
  if (value instanceof Set) return redact([...value], depth)
  if (value instanceof Error) return redactError(value, depth)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretName.test(name) && item != null ? '[redacted]' : redact(item, depth + 1),
    ]),
  )
}

function redactError(error: Error, depth: number): unknown {
  // PostgreSQL's `detail` and a query's parameters hold people's data: name what is kept.
  const code = 'code' in error ? { code: String(error.code) } : {}
  const digest = 'digest' in error ? { digest: String(error.digest) } : {}
  return {
    type: error.name,
    message: redact(withoutParameters(error.message)),
    ...code,
    ...digest,
    stack: redact(withoutParameters(error.stack ?? '')),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  }
}

/** Drizzle puts the values of a failed query into its message. */
function withoutParameters(text: string): string {
  return text.replace(/\nparams: [^\n]*/g, '\nparams: [redacted]')
}

export const log = pino({
  level: process.env.LOG_LEVEL ? env.LOG_LEVEL : 'info',
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  errorKey: 'error',
  formatters: {
    level: (label) => ({ level: label }),
    log: (fields) => redact(fields) as Record<string, unknown>,
  },
  mixin: () => {
    const requestId = currentRequestId()
    return requestId ? { requestId } : {}
  },
})
