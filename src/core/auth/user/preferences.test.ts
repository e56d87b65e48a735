import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { db } from '../../db/client'
import { users } from '../../db/schema'
import { keepBrowserPreferences, updatePreferences } from './preferences'

async function newUser(): Promise<string> {
  const email = `preferences-${crypto.randomUUID()}@example.com`
  const [user] = await db.insert(users).values({ email, name: 'Ada' }).returning({ id: users.id })
  return user?.id ?? ''
}
const stored = async (id: string) =>
  (await db.select({ timeZone: users.timeZone, locale: users.locale }).from(users).where(eq(users.id, id)))[0]

test('preferences are stored, and an empty text removes them', async () => {
  const id = await newUser()
  expect(await stored(id)).toEqual({ timeZone: null, locale: null })
  await updatePreferences(id, { timeZone: 'Europe/Berlin', locale: 'en-GB' })
  expect(await stored(id)).toEqual({ timeZone: 'Europe/Berlin', locale: 'en-GB' })
  await updatePreferences(id, { timeZone: '', locale: '' })
  expect(await stored(id)).toEqual({ timeZone: null, locale: null })
})

test('unknown values are rejected at their fields, and change nothing', async () => {
  const id = await newUser()
  await expect(updatePreferences(id, { timeZone: 'Mars/Olympus', locale: 'xx' })).rejects.toMatchObject({
    code: 'invalid_input',
    fields: { timeZone: [expect.any(String)], locale: [expect.any(String)] },
  })
  await expect(updatePreferences(id, { timeZone: '+02:00', locale: 'en-GB' })).rejects.toThrow()
  expect(await stored(id)).toEqual({ timeZone: null, locale: null })
})

test('what the browser says is kept only for a user who has no time zone yet, and only if it is valid', async () => {
  const id = await newUser()
  await keepBrowserPreferences(id, { timeZone: 'Mars/Olympus', locale: 'en-US' })
  expect(await stored(id)).toEqual({ timeZone: null, locale: null })
  await keepBrowserPreferences(id, { timeZone: 'Asia/Tokyo', locale: 'ja-JP' })
  expect(await stored(id)).toEqual({ timeZone: 'Asia/Tokyo', locale: null })
  await keepBrowserPreferences(id, { timeZone: 'Europe/Berlin', locale: 'en-GB' })
  expect(await stored(id)).toEqual({ timeZone: 'Asia/Tokyo', locale: null })
})
