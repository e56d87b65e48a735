import { findSentence } from '@/core/audit/find-sentence'
import type { TimeFormat } from '@/core/time/time-format'
import { formatRelativeTime } from '@/core/ui/format-relative-time'
import type { AuditEvent } from './audit'

const maxSpanMs = 15 * 60 * 1000

/**
 * Folds events of noisy kinds that follow each other within 15 minutes. Only events that differ in nothing but time and
 * details are folded, so that a sign-in from another device never disappears in a group.
 */
export function groupEvents(events: AuditEvent[]): [AuditEvent, ...AuditEvent[]][] {
  const groups: [AuditEvent, ...AuditEvent[]][] = []
  for (const event of events) {
    const group = groups.at(-1)
    if (group && belongsTo(group[0], event)) group.push(event)
    else groups.push([event])
  }
  return groups
}

const sameInGroup = ['kind', 'actorId', 'targetId', 'impersonatorId', 'scopeId', 'ip', 'userAgent'] as const

/** Whether an event belongs to the group that begins with `newest`. */
const belongsTo = (newest: AuditEvent, event: AuditEvent) =>
  findSentence(event.kind).isGrouped === true &&
  newest.at.getTime() - event.at.getTime() <= maxSpanMs &&
  sameInGroup.every((key) => newest[key] === event[key])

/** The events of each day, in the time zone of the reader. */
export const groupByDay = (events: AuditEvent[], times: TimeFormat) =>
  [...Map.groupBy(events, ({ at }) => times.day(at))].map(([day, some]) => ({ day, events: some }))

const dayBefore = (day: string) => new Date(Date.parse(day) - 24 * 60 * 60 * 1000).toISOString().slice(0, 10)

/** "Today", "Yesterday", "Nov 12", or "Nov 12, 2025" in another year. */
export function formatDay(day: string, times: TimeFormat, now = new Date()): string {
  const today = times.day(now)
  if (day === today) return 'Today'
  if (day === dayBefore(today)) return 'Yesterday'
  return times.dayName(day, { hasYear: day.slice(0, 4) !== today.slice(0, 4) })
}

/** For a list without headings: "5 minutes ago", "Yesterday, 20:14", "Nov 12, 11:02". */
export function formatEventTime(at: Date, times: TimeFormat, now = new Date()): string {
  const day = formatDay(times.day(at), times, now)
  return day === 'Today' ? formatRelativeTime(at, times, now) : `${day}, ${times.time(at)}`
}
