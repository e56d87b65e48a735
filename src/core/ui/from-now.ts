const units: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
]
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** How far away a moment is, as people say it: "in 30 days", "yesterday", "5 minutes ago", "just now". */
export function fromNow(moment: Date, now = new Date()): string {
  const seconds = (moment.getTime() - now.getTime()) / 1000
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return words.format(Math.round(seconds / length), unit)
  return seconds > 0 ? 'in a moment' : 'just now'
}
