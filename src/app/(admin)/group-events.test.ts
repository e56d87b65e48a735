import { expect, test } from 'vitest'
import { timeFormatFor } from '@/core/time/time-format'
import type { AuditEvent } from './audit'
import { formatDay, formatEventTime, groupByDay, groupEvents } from './group-events'

const now = new Date('2031-03-02T12:00:00Z')
const utc = timeFormatFor()
const newYork = timeFormatFor({ timeZone: 'America/New_York', locale: 'en-US' })
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

const event = (minutes: number, given: Partial<AuditEvent> = {}): AuditEvent => ({
  id: minutes,
  at: minutesAgo(minutes),
  kind: 'session.started',
  details: null,
  ip: '192.0.2.1',
  userAgent: 'test',
  actorId: 'a',
  actorName: 'Ada',
  targetId: 'a',
  targetName: 'Ada',
  impersonatorId: null,
  impersonatorName: null,
  scopeId: null,
  scopeName: null,
  ...given,
})
const sizes = (events: AuditEvent[]) => groupEvents(events).map((group) => group.length)

test('noisy events that follow each other within 15 minutes become one group', () => {
  expect(sizes([event(0), event(5), event(15)])).toEqual([3])
  expect(sizes([event(0), event(10), event(16), event(20)])).toEqual([2, 2])
  expect(sizes([])).toEqual([])
})

test('events that differ in more than time and details stay apart', () => {
  for (const given of [
    { kind: 'signin.failed' },
    { actorId: 'b' },
    { targetId: 'b' },
    { ip: '192.0.2.2' },
    { userAgent: 'other' },
    { impersonatorId: 'b' },
    { scopeId: 'b' },
  ])
    expect(sizes([event(0), event(1, given), event(2)]), JSON.stringify(given)).toEqual([1, 1, 1])
  expect(sizes([event(0), event(1, { details: { way: 'passkey' } })])).toEqual([2])
})

test('important events and unknown ones are never grouped', () => {
  for (const kind of ['role.changed', 'person.suspended', 'thing.done'])
    expect(sizes([event(0, { kind }), event(0, { kind })]), kind).toEqual([1, 1])
})

test('events are grouped by day, in the time zone of the reader', () => {
  const events = [event(0), event(12 * 60), event(12 * 60 + 1)]
  const daysIn = (times: typeof utc) => groupByDay(events, times).map(({ day, events: some }) => [day, some.length])
  expect(daysIn(utc)).toEqual([
    ['2031-03-02', 2],
    ['2031-03-01', 1],
  ])
  expect(daysIn(newYork)).toEqual([
    ['2031-03-02', 1],
    ['2031-03-01', 2],
  ])
})

test('yesterday is the day before, also when that day had 23 hours', () => {
  // In New York it is half past midnight on March 10, and the clock was changed on March 9.
  const afterChange = new Date('2031-03-10T04:30:00Z')
  expect(formatDay('2031-03-10', newYork, afterChange)).toBe('Today')
  expect(formatDay('2031-03-09', newYork, afterChange)).toBe('Yesterday')
  expect(formatDay('2031-03-08', newYork, afterChange)).toBe('Mar 8')
})

test('days and times are named relative to now', () => {
  expect(formatDay('2031-03-02', utc, now)).toBe('Today')
  expect(formatDay('2031-03-01', utc, now)).toBe('Yesterday')
  expect(formatDay('2031-01-12', utc, now)).toBe('Jan 12')
  expect(formatDay('2030-12-31', utc, now)).toBe('Dec 31, 2030')
  expect(formatEventTime(minutesAgo(5), utc, now)).toBe('5 minutes ago')
  expect(formatEventTime(new Date('2031-03-01T20:14:07Z'), utc, now)).toBe('Yesterday, 20:14')
  expect(formatEventTime(new Date('2031-02-14T01:02:03Z'), utc, now)).toBe('Feb 14, 01:02')
  expect(formatEventTime(new Date('2031-02-14T01:02:03Z'), newYork, now)).toBe('Feb 13, 20:02')
})
