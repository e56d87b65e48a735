import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { type Meter, metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { env } from '../env'
import { onEveryRequest } from '../http/server-hooks'
import { log } from '../log'
import { durationHistogram, startTimer } from './duration'
import { telemetryResource } from './resource'
import { routeFinder } from './routes'

/**
 * Serves metrics for Prometheus at METRICS_HOST:METRICS_PORT, a separate port that no load balancer exposes. Must run before
 * any module that creates instruments is loaded.
 */
export function serveMetrics(port: number): void {
  const exporter = new PrometheusExporter(
    { host: env.METRICS_HOST, port, withoutScopeInfo: true },
    (error) => error && log.error({ error, port }, 'metrics server error'),
  )
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter], resource: telemetryResource() }))
  const meter = metrics.getMeter('plinth')
  observeRequests(meter, port)
  observeProcess(meter)
}

/** Methods that routes use. All others are recorded as `_OTHER`, because each would be a new series per route. */
const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

function observeRequests(meter: Meter, ownPort: number): void {
  // Counted here and read when Prometheus asks, because an instrument does far more work for each `add`.
  let active = 0
  meter
    .createObservableUpDownCounter('http.server.active_requests', { description: 'Requests in flight' })
    .addCallback((result) => result.observe(active))
  const duration = meter.createHistogram('http.server.request.duration', {
    ...durationHistogram,
    description: 'From the request headers to the end of the response, by route, method and status',
  })
  const routeOf = routeFinder()
  onEveryRequest(({ request, response }) => {
    if (request.socket.localPort === ownPort) return
    const recordDuration = startTimer(duration)
    active++
    response.once('close', () => {
      active--
      recordDuration({
        'http.route': routeOf(request.url ?? '/'),
        'http.request.method': methods.has(request.method ?? '') ? request.method : '_OTHER',
        // The client closed the connection before the response: 499, as in nginx.
        'http.response.status_code': response.writableFinished ? response.statusCode : 499,
      })
    })
  })
}

function observeProcess(meter: Meter): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  meter
    .createObservableGauge('nodejs.eventloop.delay.p99', { unit: 's', description: 'Since the last scrape' })
    .addCallback((result) => {
      result.observe(delay.percentile(99) / 1e9)
      delay.reset()
    })

  let previous = performance.eventLoopUtilization()
  meter
    .createObservableGauge('nodejs.eventloop.utilization', {
      description: 'The share of time the event loop was busy, since the last scrape',
    })
    .addCallback((result) => {
      const now = performance.eventLoopUtilization()
      result.observe(performance.eventLoopUtilization(now, previous).utilization)
      previous = now
    })

  meter
    .createObservableGauge('process.memory.usage', { unit: 'By', description: 'Resident memory of this process' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()))

  meter
    .createObservableCounter('process.cpu.time', { unit: 's', description: 'CPU time used' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe(user / 1e6, { 'cpu.mode': 'user' })
      result.observe(system / 1e6, { 'cpu.mode': 'system' })
    })
}
