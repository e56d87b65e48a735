import { context, ROOT_CONTEXT, type Span, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { type ReadableSpan, SamplingDecision, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomSampler, redactSpan, skipUnsampled } from './tracing'

test('an exported span has no query string, no parameter values and no secrets', () => {
  const span = {
    name: 'GET /reset?token=abc',
    status: { code: 2, message: 'Failed query: select 1\nparams: ada@example.com' },
    attributes: { 'http.target': '/reset?token=abc', 'url.query': 'token=abc', 'http.route': '/reset', count: 3 },
    events: [{ name: 'exception', time: [0, 0], attributes: { 'exception.message': 'Bearer abcdef is no good' } }],
  } as unknown as ReadableSpan
  const { name, status, attributes, events } = redactSpan(span)
  expect({ name, status, attributes }).toEqual({
    name: 'GET /reset',
    status: { code: 2, message: 'Failed query: select 1\nparams: [redacted]' },
    attributes: { 'http.target': '/reset', 'http.route': '/reset', count: 3 },
  })
  expect(events[0]?.attributes).toEqual({ 'exception.message': '[redacted] is no good' })
})

test('an exported span has no part of a password hash', () => {
  const span = {
    name: 'fetch GET https://breaches.example/range/0A1B2',
    status: { code: 0 },
    attributes: { 'http.url': 'https://breaches.example/range/0A1B2' },
    events: [],
  } as unknown as ReadableSpan
  expect(JSON.stringify([redactSpan(span).name, redactSpan(span).attributes])).not.toContain('0A1B2')
})

test.each([TraceFlags.NONE, TraceFlags.SAMPLED])(
  'a caller can influence sampling neither by trace id nor by flag',
  (traceFlags) => {
    const traceId = 'ab'.repeat(16)
    const context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'cd'.repeat(8), traceFlags, isRemote: true })
    const sampledCount = (ratio: number) =>
      Array.from({ length: 200 }, () =>
        randomSampler(ratio).shouldSample(context, traceId, 'GET /', SpanKind.SERVER, {}, []),
      ).filter(({ decision }) => decision === SamplingDecision.RECORD_AND_SAMPLED).length
    expect([sampledCount(0), sampledCount(1)]).toEqual([0, 200])
    expect(sampledCount(0.5)).toBeGreaterThan(50)
    expect(sampledCount(0.5)).toBeLessThan(150)
  },
)

describe('spans in a trace', () => {
  beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
  afterAll(() => context.disable())

  const tracerWith = (ratio: number) =>
    skipUnsampled(new TracerProvider({ sampler: randomSampler(ratio) }).getTracer('test'))
  const idOf = (span: Span) => span.spanContext().spanId

  /** The ids of a first span, of one in it, of one in that with options, and of one with a context of its own. */
  const idsWith = (ratio: number) => {
    const tracer = tracerWith(ratio)
    return tracer.startActiveSpan('first', (first) => {
      const given = context.active()
      return tracer.startActiveSpan('second', (second) =>
        tracer.startActiveSpan('third', { kind: SpanKind.CLIENT }, (third) => [
          ...[first, second, third].map(idOf),
          tracer.startActiveSpan('fourth', {}, given, (fourth) => idOf(fourth)),
          idOf(tracer.startSpan('fifth')),
        ]),
      )
    })
  }

  test('are one span if the trace is not sampled, and one each if it is', () => {
    expect(new Set(idsWith(0)).size).toBe(1)
    expect(new Set(idsWith(1)).size).toBe(5)
  })

  test('are active in their work, and return its result', () => {
    for (const ratio of [0, 1]) {
      const tracer = tracerWith(ratio)
      const isActive = (span: Span) => trace.getActiveSpan() === span
      expect(
        tracer.startActiveSpan('first', (span) => isActive(span) && tracer.startActiveSpan('second', isActive)),
      ).toBe(true)
    }
  })

  test('decide anew for a trace of another process, and for a root', () => {
    const spanContext = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), traceFlags: TraceFlags.NONE }
    const [remote, local] = [true, false].map((isRemote) =>
      trace.setSpanContext(ROOT_CONTEXT, { ...spanContext, isRemote }),
    )
    const tracer = tracerWith(1)
    const isRecording = (options: object, active = local) => tracer.startSpan('any', options, active).isRecording()
    expect([isRecording({}, remote), isRecording({ root: true }), isRecording({})]).toEqual([true, true, false])
  })
})
