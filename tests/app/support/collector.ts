// A test OpenTelemetry collector: receives the traces of a node, and reads its Prometheus metrics.
import { createServer } from 'node:http'
import { findFreePort } from '../../../scripts/ports.ts'

export interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, unknown>
  links: { traceId: string }[]
}

export interface Collector {
  /** Environment for a node that sends its traces here. */
  env: Record<'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG' | 'METRICS_PORT', string>
  spans: () => Span[]
  /** All received request bodies, unparsed. */
  text: () => string
  /** The metrics that the node serves at METRICS_PORT. */
  metrics: () => Promise<string>
  stop: () => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP JSON, of which only a few fields are read
function readSpans(body: any): Span[] {
  return body.resourceSpans
    .flatMap((resource: { scopeSpans: unknown[] }) => resource.scopeSpans)
    .flatMap((scope: { spans: unknown[] }) => scope.spans)
    .map(({ name, traceId, spanId, parentSpanId, attributes, links }: Record<string, never>) => ({
      name,
      traceId,
      spanId,
      parentSpanId,
      links: links ?? [],
      attributes: Object.fromEntries(
        ((attributes ?? []) as { key: string; value: object }[]).map(({ key, value }) => [
          key,
          Object.values(value)[0],
        ]),
      ),
    }))
}

export async function startCollector(): Promise<Collector> {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    received.push(body)
    response.setHeader('Content-Type', 'application/json').end('{}')
  })
  const [port, metricsPort] = [await findFreePort(), await findFreePort()]
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_TRACES_SAMPLER_ARG: '1',
      METRICS_PORT: String(metricsPort),
    },
    spans: () => received.flatMap((body) => readSpans(JSON.parse(body))),
    text: () => received.join('\n'),
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
