import { eq } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { asRequest } from '../../../../tests/app/support/next-headers'
import { db, pool } from '../../db/client'
import { tokens, users } from '../../db/schema'
import { defineSecurityNotice, encryptRecipient, noticeData } from '../security-notice'
import { createTrustedDevice, selectTrustedSince, verifyTrustedDevice } from '../session/trusted-device'
import { encrypt } from '../tokens/encrypt'
import { peekCompromiseReport, reportCompromise } from './report-compromise'

const sent = vi.hoisted(() => ({ text: '' }))
vi.mock('nodemailer', () => ({
  createTransport: () => ({ sendMail: async ({ text }: { text: string }) => void Object.assign(sent, { text }) }),
}))

const notice = defineSecurityNotice('test.notice', {
  data: z.object({ ...noticeData, formerTo: z.string().optional() }),
  write: ({ formerTo }) => ({ subject: 'Changed', paragraphs: [], ...(formerTo && { formerTo }) }),
  samples: [],
})

/** The token in a notice that is sent now, of what happened so many seconds ago. */
async function createToken({ userId, email }: { userId: string; email?: string }, secondsAgo: number): Promise<string> {
  const at = new Date(Date.now() - secondsAgo * 1000).toISOString()
  const cause = encrypt('mail', JSON.stringify({ at, device: null, ip: null, isByAdmin: false }))
  const formerTo = email === undefined ? undefined : encryptRecipient({ address: email })
  await notice.work({ userId, cause, formerTo }, { id: crypto.randomUUID(), isRetry: false })
  return /token=([\w-]+)/.exec(sent.text)?.[1] ?? ''
}
const report = (token: string) => asRequest({}, () => reportCompromise(token))
const emailOf = async (id: string) =>
  (await db.select({ email: users.email }).from(users).where(eq(users.id, id)))[0]?.email

/** A user whose email an attacker has changed twice, each time to an email of the attacker. */
async function createTakenOverUser() {
  await pool.query('truncate users cascade')
  const [user] = await db
    .insert(users)
    .values({ email: 'second@evil.example', name: 'Ada' })
    .returning({ id: users.id })
  const userId = user?.id ?? ''
  // Each notice goes to the email that was replaced. That to the owner is late: a mail server rejected the first attempt.
  const strangers = await createToken({ userId, email: 'first@evil.example' }, 1)
  return { userId, owners: await createToken({ userId, email: 'Ada@example.com' }, 2), strangers }
}

test('the owner gets the email back, and the attacker’s link stops working', async () => {
  const { userId, owners: ownerToken, strangers: attackerToken } = await createTakenOverUser()
  expect(await report(ownerToken)).toEqual({ email: 'Ada@example.com' })
  await expect(report(attackerToken)).rejects.toMatchObject({ code: 'not_found' })
  expect(await emailOf(userId)).toBe('Ada@example.com')
  expect(await db.select({ purpose: tokens.purpose }).from(tokens).where(eq(tokens.userId, userId))).toEqual([])
})

test('devices are no longer trusted, also those of a user without a password', async () => {
  const { userId, owners: ownerToken } = await createTakenOverUser()
  const since = async () => (await selectTrustedSince(db, userId))[0]?.trustedSince
  const device = createTrustedDevice(userId, await since())
  expect(verifyTrustedDevice(userId, await since(), device)).toMatch(/^[\w-]{22}$/)
  await report(ownerToken)
  expect(verifyTrustedDevice(userId, await since(), device)).toBeUndefined()
})

test('an attacker who uses their own link first does not invalidate the owner’s link', async () => {
  const { userId, owners: ownerToken, strangers: attackerToken } = await createTakenOverUser()
  expect(await report(attackerToken)).toEqual({ email: 'first@evil.example' })
  expect(await peekCompromiseReport(ownerToken)).toEqual({
    email: 'first@evil.example',
    formerEmail: 'Ada@example.com',
  })
  expect(await report(ownerToken)).toEqual({ email: 'Ada@example.com' })
  expect(await emailOf(userId)).toBe('Ada@example.com')
})

test('nor does the link of another notice, which the attacker got before the owner got theirs', async () => {
  const { userId, owners: ownerToken } = await createTakenOverUser()
  expect(await report(await createToken({ userId }, 60))).toEqual({ email: 'second@evil.example' })
  expect(await report(ownerToken)).toEqual({ email: 'Ada@example.com' })
})

test('an email with which the owner has signed up again stays with the new account, in any spelling', async () => {
  const { userId, owners: ownerToken } = await createTakenOverUser()
  await db.insert(users).values({ email: 'ada@example.com', name: 'Ada' })
  expect(await report(ownerToken)).toEqual({ email: 'second@evil.example' })
  expect(await emailOf(userId)).toBe('second@evil.example')
})

test('an email that a sign-up takes at the same moment stays with the new account', async () => {
  const { userId, owners: ownerToken } = await createTakenOverUser()
  const signUp = await pool.connect()
  await signUp.query('begin')
  await signUp.query(`insert into users (email, name) values ('ada@example.com', 'Ada')`)
  const { rows } = await signUp.query('select pg_backend_pid() as pid')
  const reported = report(ownerToken)
  const isWaiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
  await vi.waitUntil(async () => (await pool.query(isWaiting, [rows[0]?.pid])).rowCount === 1, { timeout: 50_000 })
  await signUp.query('commit')
  signUp.release()
  expect(await reported).toEqual({ email: 'second@evil.example' })
  expect(await emailOf(userId)).toBe('second@evil.example')
})
