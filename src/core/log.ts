import pino from 'pino'
import { env } from './env'
import { currentRequest } from './request'
import { currentTraceId } from './telemetry/span'

const secretName =
  /pass(word|wd|phrase)?|pwd|secret|token|authorization|cookie|credential|(api|private)[-_]?key|hash|nonce|dsn|otlp_headers/i
const secretInText = [
  // A password inside a URL, which may hold an @ itself. Bounded, or a long row of beginnings would take seconds.
  /(postgres(?:ql)?|rediss?|smtps?):\/\/[^\s"']{0,500}@/gi,
  /\bBearer\s+[\w.~+/=-]+/gi,
  /\$argon2[\w$=,+/-]+/g,
]

/** Our own: a service that we send one to may repeat it in what it answers. */
const ownSecrets = Object.entries(process.env)
  .filter(([name]) => secretName.test(name))
  .flatMap(([, value = '']) => value.split(','))
  .filter((value) => value.length >= 12)

/** Takes secrets out of anything that is about to be logged, by the name of the field and by what the text looks like. */
export function redact(value: unknown, depth = 0, parents: readonly object[] = []): unknown {
  if (typeof value === 'string') {
    const known = ownSecrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), value)
    return secretInText.reduce((text, pattern) => text.replace(pattern, '[redacted]'), withoutParameters(known))
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
  // PostgreSQL's `detail` and a query's parameters hold people's data: name what is kept.
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

/** Drizzle puts the values of a failed query into its message; a value may have lines of its own. */
function withoutParameters(text: string): string {
  return text.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '\nparams: [redacted]')
}

const options: pino.LoggerOptions = {
  level: process.env.LOG_LEVEL ? env.LOG_LEVEL : 'info',
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  errorKey: 'error',
  // Errors are written out by redactError; pino's own way would lose the code and the cause.
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
    // The message too; and a bare error must not become its own message, past the redaction of fields.
    logMethod(given, method) {
      const [first, ...rest] = given.map((item) => (typeof item === 'string' ? redact(item) : item)) as typeof given
      const isError = (first as unknown) instanceof Error
      method.apply(this, isError ? [{ error: first }, 'error', ...rest] : [first, ...(rest.length > 0 ? rest : [''])])
    },
  },
}

export function createLog(destination?: pino.DestinationStream): pino.Logger {
  return destination ? pino(options, destination) : pino(options)
}

export const log = createLog()

/**
 * Next and libraries write their errors to the console, with all that an error carries. From here on those are lines of
 * the log like ours, without secrets.
 */
export function logTheConsole(): void {
  for (const level of ['error', 'warn'] as const) {
    console[level] = (...said: unknown[]) => {
      const text = said.filter((item) => typeof item === 'string').join(' ')
      const error = said.find((item) => item instanceof Error)
      log[level](error ? { error } : {}, text || 'console')
    }
  }
}
