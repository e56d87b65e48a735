import { getTimeFormat } from '../time/get-time-format'
import type { TimeFormat } from '../time/time-format'
import { formatRelativeTime } from './format-relative-time'

/** A date relative to now, with the exact time on hover, in the time zone of the user. */
export async function RelativeTime({ at }: { at: Date }) {
  return <RelativeTimeIn times={await getTimeFormat()} at={at} />
}

/** A time in a list, which gets the format once for all rows. */
export function RelativeTimeIn({ times, at }: { times: TimeFormat; at: Date }) {
  return (
    <time dateTime={at.toISOString()} title={times.dateTime(at)}>
      {formatRelativeTime(at, times)}
    </time>
  )
}
