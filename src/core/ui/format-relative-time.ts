const units: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
]
const formatter = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats a date relative to now: "in 30 days", "yesterday", "5 minutes ago", "just now". */
export function formatRelativeTime(date: Date, now = new Date()): string {
  const seconds = (date.getTime() - now.getTime()) / 1000
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return formatter.format(Math.round(seconds / length), unit)
  return seconds > 0 ? 'in a moment' : 'just now'
}
