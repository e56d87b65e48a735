import type { TimeFormat } from '../time/time-format'

const units: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
]
const formatter = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** After this many seconds a date says more than "40 days ago". */
const maxSecondsAgo = 7 * 24 * 60 * 60

/** Formats a date relative to now: "in 30 days", "yesterday", "5 minutes ago", "just now"; from a week ago on "Nov 7". */
export function formatRelativeTime(date: Date, times: TimeFormat, now = new Date()): string {
  const seconds = (date.getTime() - now.getTime()) / 1000
  if (-seconds >= maxSecondsAgo) return times.shortDate(date, now)
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return formatter.format(Math.round(seconds / length), unit)
  return seconds > 0 ? 'in a moment' : 'just now'
}
