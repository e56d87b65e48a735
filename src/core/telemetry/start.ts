import { env } from '../env'

/**
 * Begins to collect figures and traces, as far as somebody asked for them. Must run before anything is loaded that counts
 * something. Returns how to send the traces that are still here.
 */
export async function startTelemetry(): Promise<() => Promise<void>> {
  if (env.METRICS_PORT) (await import('./serve-metrics')).serveMetrics(env.METRICS_PORT)
  return env.OTEL_EXPORTER_OTLP_ENDPOINT ? (await import('./tracing')).startTracing() : async () => {}
}
