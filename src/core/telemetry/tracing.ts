import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  type SpanOptions,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { env } from '../env'
import { log, redact } from '../log'
import { telemetryResource } from './resource'

/**
 * Sends traces to the collector at OTEL_EXPORTER_OTLP_ENDPOINT. Next creates the spans of requests and pages itself.
 * Returns a function that flushes pending traces, which takes at most two seconds and never throws.
 */
export function startTracing(): () => Promise<void> {
  const provider = new TracerProvider({
    resource: telemetryResource(),
    sampler: randomSampler(env.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor({ exporter: new RedactingExporter() })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const tracers = new WeakMap<Tracer, Tracer>()
  trace.setGlobalTracerProvider({
    // Next asks for its tracer for every span, and the provider always returns the same.
    getTracer: (...args) => {
      const tracer = provider.getTracer(...args)
      const known = tracers.get(tracer) ?? skipUnsampled(tracer)
      tracers.set(tracer, known)
      return known
    },
  })
  const logFailure = (error: unknown) => log.warn({ error }, 'trace export failed')
  setGlobalErrorHandler(logFailure)
  return async () => {
    await Promise.race([provider.forceFlush().catch(logFailure), sleep(2_000)])
  }
}

/**
 * Samples at random. A caller may send a trace id, but must not decide whether the trace is sampled, because we pay for it.
 * So neither the remote flag nor the id, which the usual ratio sampler uses, counts.
 */
export function randomSampler(ratio: number): Sampler {
  const sampler: Sampler = {
    shouldSample: () => ({
      decision: Math.random() < ratio ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => `chance of ${ratio}`,
  }
  return new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler, remoteParentNotSampled: sampler })
}

/** The parent of a new span, if this process has decided not to sample their trace. */
function unsampledParent({ root }: SpanOptions, active: Context): Span | undefined {
  const parent = root ? undefined : trace.getSpan(active)
  if (!parent) return undefined
  const { isRemote, traceFlags } = parent.spanContext()
  return isRemote || traceFlags & TraceFlags.SAMPLED ? undefined : parent
}

/**
 * In a trace that is not sampled, the first span stands for all others: none of them is exported, and a span of its own for each
 * costs ids and a context. Every method of such a span does nothing.
 */
export function skipUnsampled(tracer: Tracer): Tracer {
  const startActiveSpan = (name: string, ...args: unknown[]) => {
    const work = args.at(-1) as (span: Span) => unknown
    const [options, given] = args.slice(0, -1) as [SpanOptions?, Context?]
    const parent = unsampledParent(options ?? {}, given ?? context.active())
    if (!parent) return tracer.startActiveSpan(name, options ?? {}, given ?? context.active(), work)
    return given ? context.with(given, () => work(parent)) : work(parent)
  }
  return {
    startSpan: (name, options = {}, active = context.active()) =>
      unsampledParent(options, active) ?? tracer.startSpan(name, options, active),
    startActiveSpan: startActiveSpan as Tracer['startActiveSpan'],
  }
}

/**
 * Traces leave our systems, so query strings (which hold email tokens) and secrets are removed first. So is the part of a
 * password hash that a breach check sends.
 */
class RedactingExporter extends OTLPTraceExporter {
  override export(spans: ReadableSpan[], done: Parameters<OTLPTraceExporter['export']>[1]): void {
    super.export(spans.map(redactSpan), done)
  }
}

const withoutSecrets = (url: string) =>
  (url.split('?', 1)[0] ?? '').replace(/\/range\/[0-9A-F]{5}$/, '/range/[redacted]')

export function redactSpan(span: ReadableSpan): ReadableSpan {
  const { message, ...status } = span.status
  return Object.create(span, {
    name: { value: withoutSecrets(span.name) },
    status: { value: message === undefined ? status : { ...status, message: redact(message) } },
    attributes: { value: redactAttributes(span.attributes) },
    events: { value: span.events.map((event) => ({ ...event, attributes: redactAttributes(event.attributes ?? {}) })) },
  })
}

const urlAttribute = /^(http\.(target|url)|url\.|next\.span_name$)/

function redactAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name !== 'url.query')
      .map(([name, value]) => [
        name,
        redact(urlAttribute.test(name) && typeof value === 'string' ? withoutSecrets(value) : value) as typeof value,
      ]),
  )
}
