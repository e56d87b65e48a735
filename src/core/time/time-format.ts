import { isLocale } from './locales'
import { canonicalTimeZone } from './time-zones'

/** How a user wants to see times; null where they have not chosen. */
export interface TimePreferences {
  /** An IANA name: Europe/Berlin. */
  timeZone: string | null
  /** A BCP 47 tag: en-GB. */
  locale: string | null
}

/** Formats times in one time zone and one locale. Used on the server, in the browser and for emails. */
export interface TimeFormat {
  timeZone: string
  /** "Nov 16, 2026" */
  date(at: Date): string
  /** "Nov 16", with the year if it is another one than now. */
  shortDate(at: Date, now?: Date): string
  /** "November 16, 2026" */
  longDate(at: Date): string
  /** "Monday, November 16" */
  weekday(at: Date): string
  /** "14:05" */
  time(at: Date): string
  /** "14:05:09", for events that follow each other closely. */
  seconds(at: Date): string
  /** "Nov 16, 2026, 2:05 PM UTC" */
  dateTime(at: Date): string
  /** "Nov 16, 2026, 14:05:09 UTC", for logs and for what someone else may read. */
  exact(at: Date): string
  /** The calendar day: "2026-11-16". */
  day(at: Date): string
  /** The text of a calendar day: "Nov 16", or with the year. */
  dayName(day: string, options?: { hasYear?: boolean }): string
  /** When a calendar day begins, or one some days later. Days have 23 to 25 hours. */
  startOfDay(day: string, daysLater?: number): Date
  /** The value of a datetime-local input: "2026-11-16T14:05". */
  toLocal(at: Date): string
  /** The time that such a value means here. */
  fromLocal(value: string): Date
}

const dayMs = 24 * 60 * 60_000
const shortDate = { month: 'short', day: 'numeric' } as const
const date = { ...shortDate, year: 'numeric' } as const
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const seconds = { ...time, second: '2-digit' } as const

function createTimeFormat(locale: string, timeZone: string): TimeFormat {
  // Created when first used: a formatter is expensive, and no page needs all of them.
  const formatWith = (options: Intl.DateTimeFormatOptions, ownLocale = locale) => {
    let formatter: Intl.DateTimeFormat | undefined
    return (at: Date) => {
      formatter ??= new Intl.DateTimeFormat(ownLocale, { timeZone, ...options })
      return formatter.format(at)
    }
  }
  // In Swedish, dates are written this way.
  const day = formatWith({ year: 'numeric', month: '2-digit', day: '2-digit' }, 'sv-SE')
  const [dayWithoutYear, dayWithYear] = [
    formatWith({ ...shortDate, timeZone: 'UTC' }),
    formatWith({ ...date, timeZone: 'UTC' }),
  ]
  const dayName: TimeFormat['dayName'] = (name, { hasYear = false } = {}) =>
    (hasYear ? dayWithYear : dayWithoutYear)(new Date(name))
  const offset = formatWith({ timeZoneName: 'longOffset' }, 'en')
  /** The time at which the clocks of the zone show what those of UTC show at `asUtc`. */
  const atClock = (asUtc: number) => {
    if (Number.isNaN(asUtc)) return new Date(asUtc)
    // The offset at that time in UTC may be another one than in the zone, so it is looked up twice.
    const guess = asUtc - parseOffset(offset(new Date(asUtc)))
    return new Date(asUtc - parseOffset(offset(new Date(guess))))
  }
  return {
    timeZone,
    date: formatWith(date),
    shortDate: (at, now = new Date()) => dayName(day(at), { hasYear: day(at).slice(0, 4) !== day(now).slice(0, 4) }),
    longDate: formatWith({ year: 'numeric', month: 'long', day: 'numeric' }),
    weekday: formatWith({ weekday: 'long', month: 'long', day: 'numeric' }),
    time: formatWith(time),
    seconds: formatWith(seconds),
    dateTime: formatWith({ ...date, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }),
    exact: formatWith({ ...date, ...seconds, timeZoneName: 'short' }),
    day,
    dayName,
    startOfDay: (day, daysLater = 0) => atClock(Date.parse(day) + daysLater * dayMs),
    toLocal: (at) => new Date(at.getTime() + parseOffset(offset(at))).toISOString().slice(0, 16),
    fromLocal: (value) => atClock(Date.parse(`${value}Z`)),
  }
}

/** The milliseconds of "11/16/2026, GMT+01:00"; without an offset, the zone is at UTC. */
function parseOffset(text: string): number {
  const [, sign, hours, minutes, seconds] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? []
  const milliseconds = (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000
  return sign === '-' ? -milliseconds : milliseconds
}

const known = new Map<string, TimeFormat>()

/** Without preferences, and for values that are not valid any more: UTC, in American English. */
export function timeFormatFor({ timeZone, locale }: Partial<TimePreferences> = {}): TimeFormat {
  const key = `${locale} ${timeZone}`
  const cached = known.get(key)
  if (cached) return cached
  const validZone = timeZone ? canonicalTimeZone(timeZone) : null
  const format = createTimeFormat(isLocale(locale) ? locale : 'en', validZone ?? 'UTC')
  known.set(key, format)
  return format
}
