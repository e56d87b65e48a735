import { SpanKind } from '@opentelemetry/api'
import { env } from '../env'
import { takeTime } from '../telemetry/duration'
import { queryDuration } from '../telemetry/metrics'
import { inSpan, nameOf } from '../telemetry/span'

type Query = (...given: never[]) => Promise<unknown>

/** `select users`: what a statement does, without anything that it is about. */
export function summarize(text: string): string {
  const [operation = 'query'] = /[a-z]+/i.exec(text) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?([\w.]+)/i.exec(text) ?? []
  return [operation.toLowerCase(), table].filter(Boolean).join(' ')
}

function textOf(given: unknown): string {
  if (typeof given === 'string') return given
  return typeof given === 'object' && given && 'text' in given ? String(given.text) : ''
}

/** Times the statements that go through, and makes them part of the trace, when somebody collects either. */
export function observed<Given extends Query>(query: Given): Given {
  if (!env.METRICS_PORT && !env.OTEL_EXPORTER_OTLP_ENDPOINT) return query
  const run = async (...given: Parameters<Given>) => {
    // Values are apart from the text, and stay here.
    const text = textOf(given[0])
    const name = summarize(text)
    const [operation = 'query'] = name.split(' ')
    const note = takeTime(queryDuration, { 'db.operation.name': operation })
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text }
    try {
      const result = await inSpan(name, { kind: SpanKind.CLIENT, attributes }, () => query(...given))
      note()
      return result
    } catch (error) {
      note({ 'error.type': nameOf(error) })
      throw error
    }
  }
  return run as Given
}
