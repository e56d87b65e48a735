// Decides from the ratios of the restarts. No chance is involved: the same ratios always give the same interval.

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

export interface Interval {
  low: number
  high: number
}

/**
 * An interval that contains the median of all possible restarts with a probability of at least 95 %, whatever their distribution:
 * from the k-th smallest to the k-th largest ratio. It is wrong if fewer than k of them are on one side of that median, which is as
 * likely as fewer than k heads among so many coins. Null for fewer than six, which cannot say so.
 */
export function intervalOf(ratios: number[]): Interval | null {
  const count = ratios.length
  const sorted = ratios.toSorted((a, b) => a - b)
  let [k, tail, term] = [0, 0, 0.5 ** count]
  while (tail + term <= 0.025) {
    tail += term
    term *= (count - k) / (k + 1)
    k++
  }
  if (k === 0) return null
  return { low: sorted[k - 1] as number, high: sorted[count - k] as number }
}

/** At most 5 % to either side. */
const maxHalfWidth = 0.05

export function isNarrow(ratios: number[]): boolean {
  const interval = intervalOf(ratios)
  return interval !== null && (interval.high - interval.low) / 2 <= maxHalfWidth * median(ratios)
}

export interface Goal {
  least?: number
  most?: number
}

/** `open`: the time was over before the ratios could say. */
export type Verdict = 'yes' | 'no' | 'open' | ''

export function decide(ratios: number[], { least, most }: Goal): Verdict {
  const limit = least ?? most
  if (limit === undefined) return ''
  const interval = intervalOf(ratios)
  if (!interval) return 'open'
  const isMet = (ratio: number) => (least === undefined ? ratio <= limit : ratio >= limit)
  const [low, high] = [isMet(interval.low), isMet(interval.high)]
  if (low !== high && !isNarrow(ratios)) return 'open'
  return isMet(median(ratios)) ? 'yes' : 'no'
}

/** Whether equal servers came out as equal. */
export function isSound(ratios: number[]): boolean {
  const interval = intervalOf(ratios)
  return interval !== null && interval.low <= 1 && interval.high >= 1
}
