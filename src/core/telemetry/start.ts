import { env } from '../env'

/**
 * Starts metrics and tracing, if they are configured. Must run before any module that creates instruments is loaded.
 * Returns a function that flushes pending traces.
 */
export async function startTelemetry(): Promise<() => Promise<void>> {
  if (env.METRICS_PORT) (await import('./serve-metrics')).serveMetrics(env.METRICS_PORT)
  return env.OTEL_EXPORTER_OTLP_ENDPOINT ? (await import('./tracing')).startTracing() : async () => {}
}
