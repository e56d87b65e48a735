import {
  type Attributes,
  context,
  type Link,
  propagation,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'

const tracer = trace.getTracer('plinth')

interface Options {
  attributes?: Attributes
  kind?: SpanKind
  links?: Link[]
}

/** Runs the work in a span of the active trace. Without a tracer provider it only runs the work. */
export function inSpan<T>(name: string, { kind = SpanKind.INTERNAL, ...options }: Options, work: () => Promise<T>) {
  return tracer.startActiveSpan(name, { kind, ...options }, async (span): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      // The type, not the message, which may contain user input.
      span.setAttribute('error.type', errorType(error))
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** The code of an error if it has one, otherwise its name. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Serializes the active trace context, for work that runs later in another process; empty without tracing. */
export function serializeTrace(): Record<string, string> {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  return carrier
}

/** A span link to the trace context that `serializeTrace` serialized. */
export function traceLinks(carrier: unknown): Link[] {
  const found = trace.getSpanContext(propagation.extract(context.active(), carrier ?? {}))
  return found ? [{ context: found }] : []
}

/** The id of the active trace if it is sampled, to join log lines with traces. */
export function currentTraceId(): string | undefined {
  const { traceId, traceFlags = TraceFlags.NONE } = trace.getActiveSpan()?.spanContext() ?? {}
  return traceFlags & TraceFlags.SAMPLED ? traceId : undefined
}
