import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { type Meter, metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { env } from '../env'
import { log } from '../log'
import { inSeconds, takeTime } from './duration'
import { describeNode } from './node'
import { routeFinder } from './routes'

/**
 * Lets Prometheus read figures at METRICS_HOST:METRICS_PORT, a door of their own that no balancer leads to. Must run before
 * anything that counts is loaded.
 */
export function serveMetrics(port: number): void {
  const exporter = new PrometheusExporter(
    { host: env.METRICS_HOST, port, withoutScopeInfo: true },
    (error) => error && log.error({ error, port }, 'figures cannot be read'),
  )
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter], resource: describeNode() }))
  const meter = metrics.getMeter('plinth')
  observeRequests(meter, port)
  observeProcess(meter)
}

/** Those that some route answers; there are dozens of others, and each would be a series of its own for each route. */
const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

function observeRequests(meter: Meter, ownPort: number): void {
  const active = meter.createUpDownCounter('http.server.active_requests', {
    description: 'Requests that are under way',
  })
  const duration = meter.createHistogram('http.server.request.duration', {
    ...inSeconds,
    description: 'From the head of a request to the end of its answer, by route, method and status',
  })
  const routeOf = routeFinder()
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.socket.localPort === ownPort) return
    const note = takeTime(duration)
    active.add(1)
    response.once('close', () => {
      active.add(-1)
      note({
        'http.route': routeOf(request.url ?? '/'),
        'http.request.method': methods.has(request.method ?? '') ? request.method : '_OTHER',
        // Who asked was gone before the answer: what others call 499.
        'http.response.status_code': response.writableFinished ? response.statusCode : 499,
      })
    })
  })
}

function observeProcess(meter: Meter): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  meter
    .createObservableGauge('nodejs.eventloop.delay.p99', { unit: 's', description: 'Since figures were last read' })
    .addCallback((result) => {
      result.observe(delay.percentile(99) / 1e9)
      delay.reset()
    })

  let before = performance.eventLoopUtilization()
  meter
    .createObservableGauge('nodejs.eventloop.utilization', {
      description: 'The share of time in which JavaScript ran, since figures were last read',
    })
    .addCallback((result) => {
      const now = performance.eventLoopUtilization()
      result.observe(performance.eventLoopUtilization(now, before).utilization)
      before = now
    })

  meter
    .createObservableGauge('process.memory.usage', { unit: 'By', description: 'Memory that this process has' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()))

  meter
    .createObservableCounter('process.cpu.time', { unit: 's', description: 'Time of processors that was used' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe(user / 1e6, { 'cpu.mode': 'user' })
      result.observe(system / 1e6, { 'cpu.mode': 'system' })
    })
}
