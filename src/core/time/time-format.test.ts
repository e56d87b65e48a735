import { expect, test } from 'vitest'
import { timeFormatFor } from './time-format'
import { canonicalTimeZone, listTimeZones } from './time-zones'

const newYork = timeFormatFor({ timeZone: 'America/New_York', locale: 'en-US' })
const berlin = timeFormatFor({ timeZone: 'Europe/Berlin', locale: 'en-GB' })
const utc = timeFormatFor()
const at = (iso: string) => new Date(iso)

test('the same moment is another time, and maybe another day, in another zone', () => {
  const moment = at('2026-11-17T01:30:00Z')
  expect(utc.exact(moment)).toBe('Nov 17, 2026, 01:30:00 UTC')
  expect(newYork.exact(moment)).toBe('Nov 16, 2026, 20:30:00 EST')
  expect(berlin.exact(moment)).toMatch(/^17 Nov 2026, 02:30:00 (CET|GMT\+1)$/)
  expect([utc, newYork, berlin].map((times) => times.day(moment))).toEqual(['2026-11-17', '2026-11-16', '2026-11-17'])
  expect(newYork.weekday(moment)).toBe('Monday, November 16')
  expect(newYork.time(moment)).toBe('20:30')
  expect(newYork.date(moment)).toBe('Nov 16, 2026')
  expect(berlin.longDate(moment)).toBe('17 November 2026')
})

test('in spring the clock skips an hour, in each zone on its own day', () => {
  expect(newYork.exact(at('2026-03-08T06:59:59Z'))).toBe('Mar 8, 2026, 01:59:59 EST')
  expect(newYork.exact(at('2026-03-08T07:00:00Z'))).toBe('Mar 8, 2026, 03:00:00 EDT')
  expect(berlin.time(at('2026-03-08T07:00:00Z'))).toBe('08:00')
  expect(berlin.time(at('2026-03-29T00:59:59Z'))).toBe('01:59')
  expect(berlin.time(at('2026-03-29T01:00:00Z'))).toBe('03:00')
})

test('in autumn an hour occurs twice, and the name of the zone tells which one it is', () => {
  const [first, second] = [at('2026-11-01T05:30:00Z'), at('2026-11-01T06:30:00Z')]
  expect(newYork.exact(first)).toBe('Nov 1, 2026, 01:30:00 EDT')
  expect(newYork.exact(second)).toBe('Nov 1, 2026, 01:30:00 EST')
  expect(berlin.seconds(second)).toBe('07:30:00')
})

test('a day begins at midnight of the zone, and has 23 or 25 hours when the clock changes', () => {
  expect(utc.startOfDay('2026-03-08').toISOString()).toBe('2026-03-08T00:00:00.000Z')
  expect(newYork.startOfDay('2026-03-08').toISOString()).toBe('2026-03-08T05:00:00.000Z')
  expect(newYork.startOfDay('2026-03-08', 1).toISOString()).toBe('2026-03-09T04:00:00.000Z')
  expect(berlin.startOfDay('2026-10-25').toISOString()).toBe('2026-10-24T22:00:00.000Z')
  expect(berlin.startOfDay('2026-10-25', 1).toISOString()).toBe('2026-10-25T23:00:00.000Z')
})

test('a calendar day is the same in every zone', () => {
  expect([utc, newYork].map((times) => times.dayName('2026-03-08'))).toEqual(['Mar 8', 'Mar 8'])
  expect(berlin.dayName('2025-12-31', { hasYear: true })).toBe('31 Dec 2025')
})

test('what is not valid, or not any more, counts as not chosen', () => {
  for (const timeZone of ['Mars/Olympus', '+01:00', '', '../etc', 'x'.repeat(100)])
    expect(timeFormatFor({ timeZone, locale: 'xx' }).exact(at('2026-11-17T01:30:00Z')), timeZone).toBe(
      'Nov 17, 2026, 01:30:00 UTC',
    )
})

test('every listed time zone is valid, and UTC is one of them', () => {
  const names = listTimeZones().flatMap(([, some]) => some)
  expect(names.length).toBeGreaterThan(300)
  expect(names).toContain('UTC')
  expect(names.filter((name) => canonicalTimeZone(name) === null)).toEqual([])
})

test('the value of a time field is a time in the zone of the user', () => {
  const moment = at('2026-11-17T08:00:00Z')
  expect([utc, newYork, berlin].map((times) => times.toLocal(moment))).toEqual([
    '2026-11-17T08:00',
    '2026-11-17T03:00',
    '2026-11-17T09:00',
  ])
  for (const times of [utc, newYork, berlin]) expect(times.fromLocal(times.toLocal(moment))).toEqual(moment)
  expect(berlin.fromLocal('2026-07-01T09:00').toISOString()).toBe('2026-07-01T07:00:00.000Z')
  // Shortly after the clock has changed.
  expect(berlin.fromLocal('2026-03-29T03:00').toISOString()).toBe('2026-03-29T01:00:00.000Z')
  expect(berlin.fromLocal('not a time').getTime()).toBeNaN()
})
