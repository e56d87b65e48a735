import 'server-only'
import { getSession } from '../auth/session/actor'
import { type TimeFormat, timeFormatFor } from './time-format'

/** Formats times as the signed-in user has chosen. Only on pages that are rendered per request. */
export async function getTimeFormat(): Promise<TimeFormat> {
  return timeFormatFor((await getSession())?.preferences)
}
