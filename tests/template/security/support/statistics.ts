export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Abramowitz and Stegun 7.1.26, good to seven digits. */
function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  return series * Math.exp(-x * x)
}

/** Two-sided Mann-Whitney U test: the probability that two samples differ this much by chance. */
export function mannWhitney(first: number[], second: number[]): number {
  const all = [...first.map((value) => ({ value, mine: true })), ...second.map((value) => ({ value, mine: false }))]
  all.sort((a, b) => a.value - b.value)
  let rankSum = 0
  let ties = 0
  for (let start = 0; start < all.length; ) {
    let end = start
    while (end < all.length && all[end]?.value === all[start]?.value) end++
    const rank = (start + end + 1) / 2
    for (let index = start; index < end; index++) if (all[index]?.mine) rankSum += rank
    const size = end - start
    ties += size ** 3 - size
    start = end
  }
  const [n, m] = [first.length, second.length]
  const total = n + m
  const u = rankSum - (n * (n + 1)) / 2
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))))
  return normalTail((u - (n * m) / 2) / deviation)
}

/** Deviation of the byte values from a uniform distribution, in standard deviations of the chi-squared statistic. */
export function byteBias(bytes: Buffer): number {
  const counts = new Array<number>(256).fill(0)
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
  const expected = bytes.length / 256
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  return (statistic - 255) / Math.sqrt(2 * 255)
}
