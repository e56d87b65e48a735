import { fromNow } from './from-now'

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A moment in words; exactly, on hover. */
export function Moment({ at }: { at: Date }) {
  return (
    <time dateTime={at.toISOString()} title={`${exact.format(at)} UTC`}>
      {fromNow(at)}
    </time>
  )
}
