import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { db } from '../../db/client'
import { users } from '../../db/schema'
import { AppError, type FieldErrors } from '../../errors'
import { isLocale } from '../../time/locales'
import type { TimePreferences } from '../../time/time-format'
import { canonicalTimeZone } from '../../time/time-zones'

/** Stores how the user wants to see times. An empty text means that they choose nothing. */
export async function updatePreferences(userId: string, typed: { timeZone: string; locale: string }): Promise<void> {
  const timeZone = typed.timeZone === '' ? null : canonicalTimeZone(typed.timeZone)
  const fields: FieldErrors = {}
  if (typed.timeZone !== '' && timeZone === null) fields.timeZone = ['Choose a time zone from the list']
  if (typed.locale !== '' && !isLocale(typed.locale)) fields.locale = ['Choose a language from the list']
  if (Object.keys(fields).length > 0) throw new AppError('invalid_input', undefined, { fields })
  const preferences: TimePreferences = { timeZone, locale: typed.locale || null }
  await db
    .update(users)
    .set({ ...preferences, updatedAt: sql`now()` })
    .where(eq(users.id, userId))
}

/** Stores what the browser says, for a user who has no time zone yet. Ignores what is not valid. */
export async function keepBrowserPreferences(userId: string, given: TimePreferences): Promise<void> {
  const timeZone = given.timeZone === null ? null : canonicalTimeZone(given.timeZone)
  if (timeZone === null) return
  const locale = isLocale(given.locale) ? given.locale : null
  await db
    .update(users)
    .set({ timeZone, locale: sql`coalesce(${users.locale}, ${locale}::text)` })
    .where(and(eq(users.id, userId), isNull(users.timeZone)))
}
