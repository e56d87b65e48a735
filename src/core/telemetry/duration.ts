import type { Attributes, Histogram } from '@opentelemetry/api'

/** Unit and buckets of a duration histogram. */
export const durationHistogram = {
  unit: 's',
  advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
}

/** Starts a timer. The returned function records the duration, with attributes about the outcome. */
export function startTimer(histogram: Histogram, attributes: Attributes = {}): (outcome?: Attributes) => void {
  const start = performance.now()
  return (outcome) =>
    histogram.record((performance.now() - start) / 1000, outcome ? { ...attributes, ...outcome } : attributes)
}
