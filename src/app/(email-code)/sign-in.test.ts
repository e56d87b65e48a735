import { asRequest } from '../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { eq, sql } from 'drizzle-orm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { replacePassword } from '@/core/auth/flows/change-password'
import { db, pool } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { auditEvents, identities, passwords, rateLimits, sessions, tokens, users } from '@/core/db/schema'
import { codeEmail, lockedEmail } from './emails'
import { prune } from './prune'
import { requestCode } from './request-code'
import { deleteRequestsOf, findOwnRequest, hasLockedCodes, lockAttempts, peekLink } from './requests'
import { failures, requests } from './schema'
import { findSecrets } from './secrets'
import { signInWithCode, signInWithLink } from './sign-in'

// Makes every request last, so that its time tells nothing: the security suite measures that.
vi.mock('@/core/auth/flows/hide-duration', () => ({ hideDuration: (work: () => Promise<void>) => work() }))

async function newUser(given: Partial<typeof users.$inferInsert> = {}) {
  const email = `${crypto.randomUUID()}@example.com`
  const values = { email, name: 'Ada', emailVerifiedAt: new Date(), ...given }
  const [user] = await db.insert(users).values(values).returning({ id: users.id })
  return { id: user?.id ?? '', email }
}

/** Runs the work as one browser, which keeps its cookies. */
const inBrowser = <T>(work: () => Promise<T>) => asRequest({ 'user-agent': 'test' }, work)

/** Asks for a code as this browser. Returns what the email would contain. */
async function ask(email: string, next = '/dashboard') {
  const before = await db.select({ id: requests.id }).from(requests)
  await requestCode(email, next)
  const all = await db.select({ id: requests.id, linkHash: requests.linkHash, userId: requests.userId }).from(requests)
  const request = all.find(({ id }) => !before.some((earlier) => earlier.id === id))
  const secrets = request && findSecrets(request)
  if (!request || !secrets) throw new Error('no request')
  return { ...secrets, id: request.id, userId: request.userId }
}

const wrongFor = (code: string) => (code === '000000' ? '111111' : '000000')
const sessionsOf = async (userId: string) =>
  (await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.userId, userId))).length
const eventsOf = (userId: string) =>
  db
    .select({ kind: auditEvents.kind, details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.targetId, userId))
    .orderBy(auditEvents.id)
/** The emails that wait in the queue. */
const queued = async (name: string) =>
  (await pool.query('select data from jobs.job where name = $1', [name])).rows.map(({ data }) => data)

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const table of [requests, tokens, rateLimits]) await db.delete(table)
})

const incorrect = { code: 'invalid_credentials', message: expect.stringContaining('Incorrect code') }
const usedUp = { code: 'invalid_credentials', message: expect.stringContaining('Too many incorrect codes') }
const expired = { code: 'not_found' }

describe('a code', () => {
  test('signs in, once, in the browser that asked, and leads to the page that was wanted', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { code } = await ask(user.email.toUpperCase(), '/account')
      expect(code).toMatch(/^\d{6}$/)
      expect(await findOwnRequest()).toEqual({ email: user.email, next: '/account' })
      expect(await signInWithCode(` ${code.slice(0, 3)} ${code.slice(3)} `)).toEqual({
        next: '/account',
        secondFactor: null,
      })
      expect(await sessionsOf(user.id)).toBe(1)
      await expect(signInWithCode(code)).rejects.toMatchObject(expired)
    })
    expect(await sessionsOf(user.id)).toBe(1)
    expect(await eventsOf(user.id)).toEqual([
      { kind: 'email_code.requested', details: { isKnown: true } },
      { kind: 'session.started', details: { way: 'email_code' } },
    ])
  })

  test('does not work in another browser, whether that has asked for one or not', async () => {
    const user = await newUser()
    const { code } = await inBrowser(() => ask(user.email))
    await expect(inBrowser(() => signInWithCode(code))).rejects.toMatchObject(expired)
    await inBrowser(async () => {
      const own = await ask(user.email)
      if (own.code !== code) await expect(signInWithCode(code)).rejects.toMatchObject(incorrect)
    })
    expect(await sessionsOf(user.id)).toBe(0)
  })

  test('stops working when the browser asks for another', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const first = await ask(user.email)
      const second = await ask(user.email)
      if (first.code !== second.code) await expect(signInWithCode(first.code)).rejects.toMatchObject(incorrect)
      expect(await peekLink(first.linkToken)).toBeNull()
      await signInWithCode(second.code)
    })
    expect(await sessionsOf(user.id)).toBe(1)
  })

  test('still works after another browser has asked for one', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { code } = await ask(user.email)
      await inBrowser(() => ask(user.email))
      await signInWithCode(code)
    })
    expect(await sessionsOf(user.id)).toBe(1)
  })

  test('works for 10 minutes', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { code, linkToken } = await ask(user.email)
      const [row] = await db
        .select({ seconds: sql<number>`extract(epoch from ${requests.expiresAt} - now())::float` })
        .from(requests)
      expect(row?.seconds).toBeGreaterThan(9 * 60)
      expect(row?.seconds).toBeLessThanOrEqual(10 * 60)
      await db.update(requests).set({ expiresAt: sql`now() - interval '1 second'` })
      await expect(signInWithCode(code)).rejects.toMatchObject(expired)
      expect(await peekLink(linkToken)).toBeNull()
      await expect(signInWithLink(linkToken, code)).rejects.toMatchObject(expired)
    })
    expect(await sessionsOf(user.id)).toBe(0)
  })

  test('can be entered wrongly 5 times, however many attempts run at once', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { code } = await ask(user.email)
      const attempts = Array.from({ length: 12 }, () => signInWithCode(wrongFor(code)).catch((error) => error.message))
      const messages = await Promise.all(attempts)
      expect(messages.filter((message) => message.startsWith('Incorrect code'))).toHaveLength(5)
      expect(messages.filter((message) => message.startsWith('Too many incorrect codes'))).toHaveLength(7)
      await expect(signInWithCode(code)).rejects.toMatchObject(usedUp)
    })
    expect(await db.select({ count: failures.failures }).from(failures)).toContainEqual({ count: 5 })
    expect((await eventsOf(user.id)).filter(({ kind }) => kind === 'signin.failed')).toHaveLength(5)
  })

  test('is used up by one of ten attempts that run at once', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { code } = await ask(user.email)
      const attempts = Array.from({ length: 10 }, () => signInWithCode(code).catch(() => null))
      expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1)
    })
    expect(await sessionsOf(user.id)).toBe(1)
  })

  test.each(['', '12345', '1234567', 'abcdef'])('must have 6 digits: %j is not counted as wrong', async (typed) => {
    const user = await newUser()
    await inBrowser(async () => {
      await ask(user.email)
      await expect(signInWithCode(typed)).rejects.toMatchObject({ code: 'invalid_input' })
    })
    expect(await db.select({ count: requests.failures }).from(requests)).toEqual([{ count: 0 }])
  })

  test('is not stored, and differs from request to request', async () => {
    const user = await newUser()
    const all: Awaited<ReturnType<typeof ask>>[] = []
    for (let times = 0; times < 5; times++) all.push(await inBrowser(() => ask(user.email)))
    expect(new Set(all.map(({ linkToken }) => linkToken)).size).toBe(5)
    expect(new Set(all.map(({ code }) => code)).size).toBeGreaterThan(1)
    const { rows } = await pool.query('select to_jsonb(r)::text as text from email_code_requests r')
    for (const { text } of rows)
      for (const secret of [user.email, ...all.flatMap(({ code, linkToken }) => [`"${code}"`, linkToken])])
        expect(text).not.toContain(secret)
  })
})

describe('a sign-in', () => {
  /** Signs in a user who has been prepared like this. Returns whether it counts as a reauthentication. */
  async function isReauthentication(prepare: (userId: string) => Promise<unknown>): Promise<boolean> {
    for (const name of ['GOOGLE', 'GITHUB']) {
      vi.stubEnv(`AUTH_${name}_ID`, 'an-id')
      vi.stubEnv(`AUTH_${name}_SECRET`, 'a-secret')
    }
    const user = await newUser()
    await prepare(user.id)
    await inBrowser(async () => signInWithCode((await ask(user.email)).code))
    const [session] = await db
      .select({ at: sessions.reauthenticatedAt })
      .from(sessions)
      .where(eq(sessions.userId, user.id))
    return session?.at.getTime() !== 0
  }
  const connect = (provider: string) => (userId: string) =>
    db.insert(identities).values({ provider, providerAccountId: userId, userId })

  test('counts as a reauthentication for a user who has no better way to do that', async () => {
    expect(await isReauthentication(async () => {})).toBe(true)
    // GitHub does not say when they authenticated there.
    for (const provider of ['github', 'removed']) expect(await isReauthentication(connect(provider))).toBe(true)
  })

  test('is no reauthentication for a user with a password, or with a provider that can ask again', async () => {
    expect(await isReauthentication((userId) => db.insert(passwords).values({ userId, hash: 'x' }))).toBe(false)
    expect(await isReauthentication(connect('google'))).toBe(false)
  })
})

test.each(['a user', 'nobody'])('attempts for an email of %s wait for each other', async (whose) => {
  const email = whose === 'a user' ? (await newUser()).email : `${crypto.randomUUID()}@example.com`
  const waiting = async () =>
    (
      await pool.query(`select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    ).rowCount
  await inBrowser(async () => {
    const { code } = await ask(email)
    let attempt: Promise<unknown> = Promise.resolve()
    await inTransaction(async (tx) => {
      await lockAttempts(tx, email)
      attempt = signInWithCode(wrongFor(code)).catch((error) => error.message)
      await vi.waitFor(async () => expect(await waiting()).toBe(1), 3_000)
      expect(await db.select({ count: requests.failures }).from(requests)).toEqual([{ count: 0 }])
    })
    expect(await attempt).toContain('Incorrect code')
  })
})

describe('nobody can sign in', () => {
  const unusable: [string, Partial<typeof users.$inferInsert>][] = [
    ['a suspended user', { suspendedAt: new Date() }],
    ['an unverified email', { emailVerifiedAt: null }],
  ]
  test.each(unusable)('as %s: no email is sent, and no code is correct', async (_, given) => {
    const user = await newUser(given)
    await inBrowser(async () => {
      const { code, linkToken, userId, id } = await ask(user.email)
      expect(userId).toBeNull()
      await codeEmail.work({ requestId: id, cause: null }, { id: 'test' })
      await expect(signInWithCode(code)).rejects.toMatchObject(incorrect)
      expect(await peekLink(linkToken)).toBeNull()
    })
    expect(await sessionsOf(user.id)).toBe(0)
  })

  test('who was suspended, or changed the email, after asking', async () => {
    for (const change of [{ suspendedAt: new Date() }, { email: `${crypto.randomUUID()}@example.com` }]) {
      const user = await newUser()
      await inBrowser(async () => {
        const { code, linkToken } = await ask(user.email)
        await db.update(users).set(change).where(eq(users.id, user.id))
        await expect(signInWithCode(code)).rejects.toMatchObject(incorrect)
        expect(await peekLink(linkToken)).toBeNull()
        await expect(signInWithLink(linkToken, code)).rejects.toMatchObject(incorrect)
      })
      expect(await sessionsOf(user.id)).toBe(0)
    }
  })

  test('with a code from before the user reported a compromise', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { code } = await ask(user.email)
      await inTransaction((tx) => deleteRequestsOf(tx, user.id))
      await expect(signInWithCode(code)).rejects.toMatchObject(expired)
    })
  })

  test('with a code or link from before the user had a new password', async () => {
    const [user, other] = [await newUser(), await newUser()]
    await inBrowser(async () => {
      const { code, linkToken } = await ask(user.email)
      await inBrowser(() => ask(other.email))
      const client = { ip: null, userAgent: null }
      await inTransaction((tx) => replacePassword(tx, user.id, 'a hash', { client }))
      await expect(signInWithCode(code)).rejects.toMatchObject(expired)
      await expect(signInWithLink(linkToken, code)).rejects.toMatchObject(expired)
    })
    expect(await db.select({ userId: requests.userId }).from(requests)).toEqual([{ userId: other.id }])
  })
})

test('an unknown email gets a request, a job and the same errors, and no user', async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const before = (await queued('mail.email_code.code')).length
  await inBrowser(async () => {
    const { code, userId } = await ask(email)
    expect(userId).toBeNull()
    expect(await findOwnRequest()).toEqual({ email, next: '/dashboard' })
    for (let tries = 0; tries < 5; tries++) await expect(signInWithCode(code)).rejects.toMatchObject(incorrect)
    await expect(signInWithCode(code)).rejects.toMatchObject(usedUp)
  })
  expect(await queued('mail.email_code.code')).toHaveLength(before + 1)
  expect(await db.select({ id: users.id }).from(users).where(eq(users.email, email))).toEqual([])
})

describe('a link', () => {
  test('signs in the browser that asked, without the code; looking at it changes nothing', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { linkToken } = await ask(user.email)
      for (let times = 0; times < 3; times++)
        expect(await peekLink(linkToken)).toEqual({ email: user.email, isSameBrowser: true, isLocked: false })
      expect(await sessionsOf(user.id)).toBe(0)
      await signInWithLink(linkToken, '')
      expect(await sessionsOf(user.id)).toBe(1)
      await expect(signInWithLink(linkToken, '')).rejects.toMatchObject(expired)
    })
  })

  test('needs the code in another browser, where wrong ones count and a missing one does not', async () => {
    const user = await newUser()
    await inBrowser(async () => {
      const { linkToken, code } = await ask(user.email)
      await inBrowser(async () => {
        expect(await peekLink(linkToken)).toEqual({ email: user.email, isSameBrowser: false, isLocked: false })
        await expect(signInWithLink(linkToken, '')).rejects.toMatchObject({ code: 'invalid_input' })
        await expect(signInWithLink(linkToken, wrongFor(code))).rejects.toMatchObject(incorrect)
        expect(await db.select({ count: requests.failures }).from(requests)).toEqual([{ count: 1 }])
        await signInWithLink(linkToken, code)
      })
      await expect(signInWithCode(code)).rejects.toMatchObject(expired)
    })
    expect(await sessionsOf(user.id)).toBe(1)
    expect(await db.select({ hash: tokens.hash }).from(tokens).where(eq(tokens.purpose, 'email_code'))).toEqual([])
  })

  test('that was made up belongs to nobody', async () => {
    expect(await inBrowser(() => peekLink('x'.repeat(43)))).toBeNull()
    await expect(inBrowser(() => signInWithLink('x'.repeat(43), '123456'))).rejects.toMatchObject(expired)
  })
})

describe('after 100 wrong codes', () => {
  test('only links work, in the browser that asked, until the user has signed in with one', async () => {
    const user = await newUser()
    await db.insert(failures).values({ userId: user.id, failures: 99 })
    const notices = (await queued('mail.email_code.locked')).length
    await inBrowser(async () => {
      const { code } = await ask(user.email)
      await expect(signInWithCode(wrongFor(code))).rejects.toMatchObject(incorrect)
    })
    expect(await hasLockedCodes(user.id)).toBe(true)
    expect((await eventsOf(user.id)).map(({ kind }) => kind)).toContain('email_code.locked')
    expect(await queued('mail.email_code.locked')).toHaveLength(notices + 1)
    await inBrowser(async () => {
      const { code, linkToken } = await ask(user.email)
      await expect(signInWithCode(code)).rejects.toMatchObject(incorrect)
      await signInWithLink(linkToken, '')
    })
    expect(await sessionsOf(user.id)).toBe(1)
    expect(await hasLockedCodes(user.id)).toBe(false)
    await inBrowser(async () => signInWithCode((await ask(user.email)).code))
    expect(await sessionsOf(user.id)).toBe(2)
  })

  test('the count goes no further, and one notice is sent', async () => {
    const user = await newUser()
    await db.insert(failures).values({ userId: user.id, failures: 100 })
    const notices = (await queued('mail.email_code.locked')).length
    await inBrowser(async () => {
      const { code } = await ask(user.email)
      await expect(signInWithCode(wrongFor(code))).rejects.toMatchObject(incorrect)
    })
    const [row] = await db.select({ count: failures.failures }).from(failures).where(eq(failures.userId, user.id))
    expect(row?.count).toBe(100)
    expect(await queued('mail.email_code.locked')).toHaveLength(notices)
  })
})

test('the sixth request for an email from one IP sends nothing, and looks the same', async () => {
  const user = await newUser()
  const owners: (string | null)[] = []
  for (let times = 0; times < 6; times++) owners.push((await inBrowser(() => ask(user.email))).userId)
  expect(owners).toEqual([...Array(5).fill(user.id), null])
})

test('a rotated AUTH_SECRET does not end codes that are on their way', async () => {
  const user = await newUser()
  const before = process.env.AUTH_SECRET ?? ''
  await inBrowser(async () => {
    const { code } = await ask(user.email)
    process.env.AUTH_SECRET = `another-secret-Vq3kX0pYw8sTn5bRj2mCz7,${before}`
    try {
      await signInWithCode(code)
    } finally {
      process.env.AUTH_SECRET = before
    }
  })
  expect(await sessionsOf(user.id)).toBe(1)
})

test('expired requests are deleted hourly, and no others', async () => {
  const [old, alive] = [await newUser(), await newUser()]
  await inBrowser(() => ask(old.email))
  await db.update(requests).set({ expiresAt: sql`now() - interval '1 second'` })
  await inBrowser(() => ask(alive.email))
  await prune.work({}, { id: 'test' })
  expect(await db.select({ userId: requests.userId }).from(requests)).toEqual([{ userId: alive.id }])
  expect(prune.cron).toBe('37 * * * *')
})

test('the emails have the code and the link, or only the link', () => {
  const [withCode, withoutCode] = codeEmail.samples()
  expect(withCode).toMatchObject({ code: '481902', action: { url: expect.stringContaining('/signin/email/link') } })
  expect(withCode?.preheader).toContain('481902')
  expect(withCode?.subject).not.toContain('481902')
  expect(withoutCode).not.toHaveProperty('code')
  expect(lockedEmail.samples()).toHaveLength(1)
})
