import { expect, test } from 'vitest'
import { timeFormatFor } from '../time/time-format'
import { formatRelativeTime } from './format-relative-time'

const now = new Date('2026-03-01T12:00:00Z')
const minute = 60
const hour = 60 * minute
const day = 24 * hour

test.each([
  [0, 'just now'],
  [59, 'in a moment'],
  [-59, 'just now'],
  [-minute, '1 minute ago'],
  [-5 * minute, '5 minutes ago'],
  [3 * hour, 'in 3 hours'],
  [-day, 'yesterday'],
  [7 * day - 1, 'in 7 days'],
  [30 * day, 'in 30 days'],
  [365 * day, 'in 365 days'],
  [-7 * day + minute, '7 days ago'],
  [-7 * day, 'Feb 22'],
  [-100 * day, 'Nov 21, 2025'],
])('%i seconds from now is formatted as "%s"', (seconds, expected) => {
  expect(formatRelativeTime(new Date(now.getTime() + seconds * 1000), timeFormatFor(), now)).toBe(expected)
})

test.each([
  ['2026-03-02T23:00:00Z', '2026-03-04T10:00:00Z', 'UTC', '2 days ago'],
  ['2026-03-02T23:00:00Z', '2026-03-04T10:00:00Z', 'Asia/Tokyo', 'yesterday'],
  ['2026-03-03T01:00:00Z', '2026-03-04T10:00:00Z', 'America/New_York', '2 days ago'],
  ['2026-03-05T23:00:00Z', '2026-03-04T10:00:00Z', 'UTC', 'tomorrow'],
  ['2026-03-05T23:00:00Z', '2026-03-04T10:00:00Z', 'Asia/Tokyo', 'in 2 days'],
  // This Sunday has 25 hours in Berlin.
  ['2026-10-24T22:30:00Z', '2026-10-25T22:45:00Z', 'Europe/Berlin', '24 hours ago'],
])('%s is at %s in %s "%s"', (date, at, timeZone, expected) => {
  expect(formatRelativeTime(new Date(date), timeFormatFor({ timeZone }), new Date(at))).toBe(expected)
})
