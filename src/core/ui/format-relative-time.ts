import type { TimeFormat } from '../time/time-format'

const daySeconds = 24 * 60 * 60
const units: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['hour', 60 * 60],
  ['minute', 60],
]
const formatter = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats a date relative to now: "in 30 days", "yesterday", "5 minutes ago", "just now"; from a week ago on "Nov 7". */
export function formatRelativeTime(date: Date, times: TimeFormat, now = new Date()): string {
  const seconds = (date.getTime() - now.getTime()) / 1000
  // Then a date says more than "40 days ago".
  if (-seconds >= 7 * daySeconds) return times.shortDate(date, now)
  // Those of the calendar: what was 35 hours ago may have been yesterday, or the day before.
  const days = (Date.parse(times.day(date)) - Date.parse(times.day(now))) / 1000 / daySeconds
  if (Math.abs(seconds) >= daySeconds && days !== 0) return formatter.format(days, 'day')
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return formatter.format(Math.round(seconds / length), unit)
  return seconds > 0 ? 'in a moment' : 'just now'
}
