import { type Attributes, SpanKind } from '@opentelemetry/api'
import { env } from '../env'
import { startTimer } from '../telemetry/duration'
import { queryDuration } from '../telemetry/metrics'
import { errorType, inSpan } from '../telemetry/span'

type Query = (...args: never[]) => Promise<unknown>

/** Summary of a statement without its values: `select users`. */
export function summarize(text: string): string {
  const [operation = 'query'] = /[a-z]+/i.exec(text) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?([\w.]+)/i.exec(text) ?? []
  return [operation.toLowerCase(), table].filter(Boolean).join(' ')
}

export function queryText(args: unknown): string {
  if (typeof args === 'string') return args
  return typeof args === 'object' && args && 'text' in args ? String(args.text) : ''
}

interface Summary {
  name: string
  /** For the metric. */
  operation: Attributes
  /** For the span. */
  attributes: Attributes
}

/** What telemetry needs of each statement. Texts are few, because values are parameters; lists of parameters vary. */
const summaries = new Map<string, Summary>()

function summaryOf(text: string): Summary {
  const known = summaries.get(text)
  if (known) return known
  if (summaries.size > 5_000) summaries.clear()
  const name = summarize(text)
  const [operation = 'query'] = name.split(' ')
  const summary = {
    name,
    operation: { 'db.operation.name': operation },
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text },
  }
  summaries.set(text, summary)
  return summary
}

/** Wraps a query function with metrics and trace spans. Returns it unchanged if neither is configured. */
export function instrumentQuery<QueryFunction extends Query>(query: QueryFunction): QueryFunction {
  if (!env.METRICS_PORT && !env.OTEL_EXPORTER_OTLP_ENDPOINT) return query
  const isTraced = Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT)
  const run = async (...args: Parameters<QueryFunction>) => {
    // Only the text: values are separate parameters and must not reach telemetry.
    const { name, operation, attributes } = summaryOf(queryText(args[0]))
    const recordDuration = startTimer(queryDuration, operation)
    try {
      const result = await (isTraced
        ? inSpan(name, { kind: SpanKind.CLIENT, attributes }, () => query(...args))
        : query(...args))
      recordDuration()
      return result
    } catch (error) {
      recordDuration({ 'error.type': errorType(error) })
      throw error
    }
  }
  return run as QueryFunction
}
