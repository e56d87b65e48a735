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

/** Runs the work as a part of the trace that is under way. While nobody collects traces this does nothing. */
export function inSpan<T>(name: string, { kind = SpanKind.INTERNAL, ...options }: Options, work: () => Promise<T>) {
  return tracer.startActiveSpan(name, { kind, ...options }, async (span): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      // Its kind, not its message: that may hold what somebody typed.
      span.setAttribute('error.type', nameOf(error))
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** What kind of failure it is: a code where there is one. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** The trace that is under way, for work that is done later and elsewhere; empty while nobody collects traces. */
export function carryTrace(): Record<string, string> {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  return carrier
}

/** The other end of `carryTrace`. */
export function linksTo(carrier: unknown): Link[] {
  const found = trace.getSpanContext(propagation.extract(context.active(), carrier ?? {}))
  return found ? [{ context: found }] : []
}

/** By which the lines of a log and the parts of a trace are brought together, when the trace is kept. */
export function currentTraceId(): string | undefined {
  const { traceId, traceFlags = TraceFlags.NONE } = trace.getActiveSpan()?.spanContext() ?? {}
  return traceFlags & TraceFlags.SAMPLED ? traceId : undefined
}
