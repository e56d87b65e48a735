import pino from 'pino'
import { env } from './env'
import { currentRequest } from './http/request'
import { currentTraceId } from './telemetry/span'

const secretName =
  /pass(word|wd|phrase)?|pwd|secret|token|authorization|cookie|credential|(api|private)[-_]?key|hash|nonce|dsn|otlp_headers/i
const secretInText = [
  // A password inside a URL, which may contain an @ itself. The length is bounded, to avoid quadratic backtracking.
  /(postgres(?:ql)?|rediss?|smtps?):\/\/[^\s"']{0,500}@/gi,
  /\bBearer\s+[\w.~+/=-]+/gi,
  /\$argon2[\w$=,+/-]+/g,
]

/** Values of our own secrets: a service that receives one may repeat it in an error message. */
const ownSecrets = Object.entries(process.env)
  .filter(([name]) => secretName.test(name))
  .flatMap(([, value = '']) => value.split(','))
  .filter((value) => value.length >= 12)

/** Redacts secrets in anything that is about to be logged, by field name and by text pattern. */
export function redact(value: unknown, depth = 0, parents: readonly object[] = []): unknown {
  if (typeof value === 'string') {
    const known = ownSecrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), value)
    return secretInText.reduce((text, pattern) => text.replace(pattern, '[redacted]'), redactParameters(known))
  }
  if (value === null || typeof value !== 'object') return value
  if (depth > 8) return '[too deep]'
  if (parents.includes(value)) return '[circular]'
  if (value instanceof Date) return value
  if (ArrayBuffer.isView(value)) return '[bytes]'
  const path = [...parents, value]
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1, path))
  if (value instanceof Map) return redact(Object.fromEntries(value), depth, path)
  if (value instanceof Set) return redact([...value], depth, path)
  if (value instanceof Error) return redactError(value, depth, path)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretName.test(name) && item != null ? '[redacted]' : redact(item, depth + 1, path),
    ]),
  )
}

function redactError(error: Error, depth: number, path: readonly object[]): unknown {
  // An allowlist: PostgreSQL's `detail` and a query's parameters contain user data.
  const code = 'code' in error ? { code: String(error.code) } : {}
  const digest = 'digest' in error ? { digest: String(error.digest) } : {}
  return {
    type: error.name,
    message: redact(error.message),
    ...code,
    ...digest,
    stack: redact(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1, path) }),
  }
}

/** Drizzle puts the values of a failed query into the error message; a value may have several lines. */
function redactParameters(text: string): string {
  return text.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '\nparams: [redacted]')
}

const options: pino.LoggerOptions = {
  level: process.env.LOG_LEVEL ? env.LOG_LEVEL : 'info',
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  errorKey: 'error',
  // redactError serializes errors; pino's own serializer would drop the code and the cause.
  serializers: { error: (value) => value },
  formatters: {
    level: (label) => ({ level: label }),
    log: (fields) => redact(fields) as Record<string, unknown>,
  },
  mixin: () => {
    const requestId = currentRequest()?.id
    const traceId = currentTraceId()
    return { ...(requestId && { requestId }), ...(traceId && { traceId }) }
  },
  hooks: {
    // Redacts the message too. A bare error becomes a field, because pino would copy its message past the redaction.
    logMethod(args, method) {
      const [first, ...rest] = args.map((item) => (typeof item === 'string' ? redact(item) : item)) as typeof args
      const isError = (first as unknown) instanceof Error
      method.apply(this, isError ? [{ error: first }, 'error', ...rest] : [first, ...(rest.length > 0 ? rest : [''])])
    },
  },
}

export function createLog(destination?: pino.DestinationStream): pino.Logger {
  return destination ? pino(options, destination) : pino(options)
}

export const log = createLog()

const reportedByNext = new WeakSet<Error>()

/**
 * Whether Next also passes the error to `onRequestError` of instrumentation.ts, which logs it with the id of the request. Next
 * writes it to the console before that, and some errors once more afterwards.
 */
function isReportedByNext(error: Error): boolean {
  if (/\.onRequestError /.test(new Error().stack ?? '')) reportedByNext.add(error)
  return reportedByNext.has(error)
}

/**
 * Next and libraries write errors to the console, with every property of the error. After this call they go through our
 * log, with secrets redacted.
 */
export function redirectConsole(log: pino.Logger): void {
  for (const level of ['error', 'warn'] as const) {
    console[level] = (...args: unknown[]) => {
      const text = args.filter((item) => typeof item === 'string').join(' ')
      const error = args.find((item) => item instanceof Error)
      if (error && isReportedByNext(error)) return
      // Node writes its warnings as errors: "(node:7) ExperimentalWarning: …"
      const isWarning = /^\(node:\d+\) /.test(text)
      log[isWarning ? 'warn' : level](error ? { error } : {}, text || 'console')
    }
  }
}
