import { setTimeout as sleep } from 'node:timers/promises'
import { type Attributes, context, propagation, trace } from '@opentelemetry/api'
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
import { describeNode } from './node'

/**
 * Sends traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names. Next makes the spans of requests and pages by itself.
 * Returns how to send what is still there, which takes two seconds at most and never fails.
 */
export function startTracing(): () => Promise<void> {
  const provider = new TracerProvider({
    resource: describeNode(),
    sampler: keepSome(env.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor({ exporter: new CleanExporter() })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  const complain = (error: unknown) => log.warn({ error }, 'traces could not be sent')
  setGlobalErrorHandler(complain)
  return async () => {
    await Promise.race([provider.forceFlush().catch(complain), sleep(2_000)])
  }
}

/**
 * A caller may name the trace that theirs belongs to, but not decide whether it is kept: that costs us, not them. So chance
 * decides, and not the id, as it usually would: that is the caller's.
 */
export function keepSome(share: number): Sampler {
  const chance: Sampler = {
    shouldSample: () => ({
      decision: Math.random() < share ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => `chance of ${share}`,
  }
  return new ParentBasedSampler({ root: chance, remoteParentSampled: chance, remoteParentNotSampled: chance })
}

/** Traces leave the house: without what is behind a question mark, where links in mails have their tokens, and without secrets. */
class CleanExporter extends OTLPTraceExporter {
  override export(spans: ReadableSpan[], done: Parameters<OTLPTraceExporter['export']>[1]): void {
    super.export(spans.map(cleanSpan), done)
  }
}

const withoutQuery = (address: string) => address.split('?', 1)[0] ?? ''

export function cleanSpan(span: ReadableSpan): ReadableSpan {
  const { message, ...status } = span.status
  return Object.create(span, {
    name: { value: withoutQuery(span.name) },
    status: { value: message === undefined ? status : { ...status, message: redact(message) } },
    attributes: { value: cleanAttributes(span.attributes) },
    events: { value: span.events.map((event) => ({ ...event, attributes: cleanAttributes(event.attributes ?? {}) })) },
  })
}

const isAddress = /^(http\.(target|url)|url\.|next\.span_name$)/

function cleanAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name !== 'url.query')
      .map(([name, value]) => [
        name,
        redact(isAddress.test(name) && typeof value === 'string' ? withoutQuery(value) : value) as typeof value,
      ]),
  )
}
