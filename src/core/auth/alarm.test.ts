import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { asRequest } from '../../../tests/support/next-headers'
import { db, pool } from '../db/client'
import { tokens, users } from '../db/schema'
import { lookAtAlarm, raiseAlarm } from './alarm'
import { alarmLink, makeLink } from './link'

const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const raise = (token: string) => asRequest({}, () => raiseAlarm(token))
const emailOf = async (id: string) =>
  (await db.select({ email: users.email }).from(users).where(eq(users.id, id)))[0]?.email

/** Somebody whose address a stranger has changed twice: once to one of theirs, and on to another. */
async function takenOver() {
  await pool.query('truncate users cascade')
  const [person] = await db
    .insert(users)
    .values({ email: 'second@evil.example', name: 'Ada' })
    .returning({ id: users.id })
  const userId = person?.id ?? ''
  // Each notice goes to the address before it.
  const owners = tokenOf(await makeLink(alarmLink, { userId, email: 'Ada@example.com' }))
  await new Promise((resolve) => setTimeout(resolve, 5))
  const strangers = tokenOf(await makeLink(alarmLink, { userId, email: 'first@evil.example' }))
  return { userId, owners, strangers }
}

test('the owner has their address back, and the link that the stranger got is dead', async () => {
  const { userId, owners, strangers } = await takenOver()
  expect(await raise(owners)).toEqual({ email: 'Ada@example.com' })
  await expect(raise(strangers)).rejects.toMatchObject({ code: 'not_found' })
  expect(await emailOf(userId)).toBe('Ada@example.com')
  expect(await db.select({ purpose: tokens.purpose }).from(tokens).where(eq(tokens.userId, userId))).toEqual([])
})

test('a stranger who is quicker with a link of their own does not take the owner’s away', async () => {
  const { userId, owners, strangers } = await takenOver()
  expect(await raise(strangers)).toEqual({ email: 'first@evil.example' })
  expect(await lookAtAlarm(owners)).toEqual({ email: 'first@evil.example', formerEmail: 'Ada@example.com' })
  expect(await raise(owners)).toEqual({ email: 'Ada@example.com' })
  expect(await emailOf(userId)).toBe('Ada@example.com')
})

test('an address that its owner has used to join anew by then stays there, however it is spelled', async () => {
  const { userId, owners } = await takenOver()
  await db.insert(users).values({ email: 'ada@example.com', name: 'Ada' })
  expect(await raise(owners)).toEqual({ email: 'second@evil.example' })
  expect(await emailOf(userId)).toBe('second@evil.example')
})
