// What a collector of traces would get, and what Prometheus would read.
import { createServer } from 'node:http'
import { freePort } from '../../scripts/ports.ts'

export interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, unknown>
  links: { traceId: string }[]
}

export interface Collector {
  /** For a node that is to be observed. */
  env: Record<'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG' | 'METRICS_PORT', string>
  spans: () => Span[]
  /** All that was sent, as it came. */
  text: () => string
  /** What the node says at METRICS_PORT. */
  figures: () => Promise<string>
  stop: () => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP's JSON, of which a few fields are read
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
  const [port, metricsPort] = [await freePort(), await freePort()]
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_TRACES_SAMPLER_ARG: '1',
      METRICS_PORT: String(metricsPort),
    },
    spans: () => received.flatMap((body) => readSpans(JSON.parse(body))),
    text: () => received.join('\n'),
    figures: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
