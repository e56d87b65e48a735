import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import { type ReadableSpan, SamplingDecision } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { cleanSpan, keepSome } from './tracing'

test('what leaves with a span has no query, no values and no secrets', () => {
  const span = {
    name: 'GET /reset?token=abc',
    status: { code: 2, message: 'Failed query: select 1\nparams: ada@example.com' },
    attributes: { 'http.target': '/reset?token=abc', 'url.query': 'token=abc', 'http.route': '/reset', count: 3 },
    events: [{ name: 'exception', time: [0, 0], attributes: { 'exception.message': 'Bearer abcdef is no good' } }],
  } as unknown as ReadableSpan
  const { name, status, attributes, events } = cleanSpan(span)
  expect({ name, status, attributes }).toEqual({
    name: 'GET /reset',
    status: { code: 2, message: 'Failed query: select 1\nparams: [redacted]' },
    attributes: { 'http.target': '/reset', 'http.route': '/reset', count: 3 },
  })
  expect(events[0]?.attributes).toEqual({ 'exception.message': '[redacted] is no good' })
})

test.each([TraceFlags.NONE, TraceFlags.SAMPLED])(
  'neither an id nor a wish of a caller decides what is kept',
  (traceFlags) => {
    const traceId = 'ab'.repeat(16)
    const context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'cd'.repeat(8), traceFlags, isRemote: true })
    const kept = (share: number) =>
      Array.from({ length: 200 }, () =>
        keepSome(share).shouldSample(context, traceId, 'GET /', SpanKind.SERVER, {}, []),
      ).filter(({ decision }) => decision === SamplingDecision.RECORD_AND_SAMPLED).length
    expect([kept(0), kept(1)]).toEqual([0, 200])
    expect(kept(0.5)).toBeGreaterThan(50)
    expect(kept(0.5)).toBeLessThan(150)
  },
)
