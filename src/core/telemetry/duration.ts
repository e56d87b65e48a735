import type { Attributes, Histogram } from '@opentelemetry/api'

/** How a figure that is a time is kept. */
export const inSeconds = {
  unit: 's',
  advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
}

/** Begins to take the time. What is returned writes it down, with how it ended. */
export function takeTime(figure: Histogram, what: Attributes = {}): (end?: Attributes) => void {
  const start = performance.now()
  return (end = {}) => figure.record((performance.now() - start) / 1000, { ...what, ...end })
}
