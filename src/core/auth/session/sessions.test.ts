import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { db } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { passwords, sessions, users } from '../../db/schema'
import { replacePassword } from '../flows/change-password'
import { endSession, findSession, listSessions, revokeSessions } from './sessions'
import { createPasswordSession, insertSession } from './start-session'

const client = { userAgent: 'test', ip: '192.0.2.1' }
let userId = ''
let token = ''
beforeEach(async () => {
  await db.execute(sql`truncate users cascade`)
  const [user] = await db
    .insert(users)
    .values({ email: 'Ada@Example.com', name: 'Ada', role: 'editor' })
    .returning({ id: users.id })
  userId = user?.id ?? ''
  await db.insert(passwords).values({ userId, hash: 'the-hash' })
  token = await start()
})

const start = async () => (await createPasswordSession(userId, 'the-hash', client))?.token ?? ''

const age = (column: 'createdAt' | 'lastSeenAt', interval: string) =>
  db
    .update(sessions)
    .set({ [column]: sql`now() - ${interval}::interval` })
    .where(eq(sessions.userId, userId))

describe('a session', () => {
  test('is found by its token, with the user and the role', async () => {
    const session = await findSession(token)
    expect(session?.user).toEqual({ id: userId, email: 'Ada@Example.com', name: 'Ada', role: 'editor' })
    expect(session?.expires).toBeInstanceOf(Date)
    expect(session?.image).toBeNull()
    await db.update(users).set({ image: '/picture' })
    expect((await findSession(token))?.image).toBe('/picture')
  })

  test('is stored as a hash: the row does not contain the token', async () => {
    const { rows } = await db.execute<{ row: string }>(sql`select s::text as row from sessions s`)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(token)
    expect(rows[0]?.row).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
  })

  test('is not found by a wrong token', async () => {
    const [row] = await db.select({ hash: sessions.tokenHash }).from(sessions)
    const wrong = [
      '',
      'x',
      `${token}x`,
      token.slice(1),
      `${token.slice(0, -1)}!`,
      "' or 1=1 --",
      row?.hash.toString('base64url') ?? '',
    ]
    for (const candidate of wrong) expect(await findSession(candidate), candidate).toBeNull()
  })

  test('is not found after it was ended, and ending it twice is no error', async () => {
    await endSession(token, client)
    await endSession(token, client)
    expect(await findSession(token)).toBeNull()
  })

  test('shows a new role at the next read', async () => {
    await db.update(users).set({ role: 'viewer' }).where(eq(users.id, userId))
    expect((await findSession(token))?.user.role).toBe('viewer')
  })

  test('is not found while the user is suspended', async () => {
    await db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, userId))
    expect(await findSession(token)).toBeNull()
  })

  test('is deleted with the user', async () => {
    await db.delete(users).where(eq(users.id, userId))
    expect(await findSession(token)).toBeNull()
  })

  test.each([
    ['editor', 'lastSeenAt', '6 days 23 hours', true],
    ['editor', 'lastSeenAt', '7 days 1 second', false],
    ['editor', 'createdAt', '29 days 23 hours', true],
    ['editor', 'createdAt', '30 days 1 second', false],
    ['admin', 'lastSeenAt', '11 hours', true],
    ['admin', 'lastSeenAt', '12 hours 1 second', false],
    ['admin', 'createdAt', '23 hours', true],
    ['admin', 'createdAt', '24 hours 1 second', false],
  ] as const)('of an %s whose %s is %s ago is valid: %s', async (role, column, interval, isValid) => {
    await db.update(users).set({ role }).where(eq(users.id, userId))
    await age(column, interval)
    expect((await findSession(token)) !== null).toBe(isValid)
  })

  test('is updated at most once in five minutes', async () => {
    const seen = async () => (await db.select({ at: sessions.lastSeenAt }).from(sessions))[0]?.at.getTime() ?? 0
    const first = await seen()
    await findSession(token)
    expect(await seen()).toBe(first)
    await age('lastSeenAt', '6 minutes')
    await findSession(token)
    expect(await seen()).toBeGreaterThanOrEqual(first)
  })
})

test('two users cannot have the same email, in any spelling', async () => {
  await expect(db.insert(users).values({ email: 'ADA@example.COM', name: 'Other' })).rejects.toThrow()
})

describe('starting a session', () => {
  test('fails if the password has changed since it was checked', async () => {
    expect(await createPasswordSession(userId, 'another-hash', client)).toBeNull()
    expect(await db.select({ id: sessions.id }).from(sessions)).toHaveLength(1)
  })

  test('fails if the user was suspended since the password was checked', async () => {
    await db.update(users).set({ suspendedAt: sql`now()` })
    await expect(createPasswordSession(userId, 'the-hash', client)).rejects.toMatchObject({
      code: 'invalid_credentials',
    })
    expect(await db.select({ id: sessions.id }).from(sessions)).toHaveLength(1)
  })

  test('waits for a concurrent password change, and starts no session with the old password', async () => {
    for (let round = 0; round < 20; round++) {
      const old = `hash-${round}`
      await db.update(passwords).set({ hash: old })
      const change = inTransaction(async (tx) => {
        await tx.update(passwords).set({ hash: 'new' })
        await tx.execute(sql`select pg_sleep(0.01)`)
        await tx.delete(sessions)
      })
      const [started] = await Promise.all([createPasswordSession(userId, old, client), change])
      const alive = started ? await findSession(started.token) : null
      expect(alive).toBeNull()
    }
  })

  test('before a concurrent password change that waits for it: the change ends the session', async () => {
    const { promise: locked, resolve: noteLock } = Promise.withResolvers<void>()
    const signIn = inTransaction(async (tx) => {
      await tx.select({ hash: passwords.hash }).from(passwords).where(eq(passwords.userId, userId)).for('update')
      noteLock()
      await new Promise((resolve) => setTimeout(resolve, 300))
      await insertSession(tx, { userId, method: 'password', client })
    })
    await locked
    await Promise.all([signIn, inTransaction((tx) => replacePassword(tx, userId, 'new', { client }))])
    expect(await db.select({ id: sessions.id }).from(sessions)).toEqual([])
  })

  test('ends the least recently used session when there would be more than twenty', async () => {
    await age('lastSeenAt', '1 hour')
    const tokens: string[] = []
    for (let count = 0; count < 20; count++) tokens.push(await start())
    expect(await db.select({ id: sessions.id }).from(sessions)).toHaveLength(20)
    expect(await findSession(token)).toBeNull()
    expect(await findSession(tokens.at(-1) ?? '')).not.toBeNull()
  })

  test('creates a unique token of 256 bits each time', async () => {
    const tokens: string[] = []
    // As many at once as the pool has connections.
    for (let round = 0; round < 5; round++) tokens.push(...(await Promise.all(Array.from({ length: 10 }, start))))
    expect(new Set(tokens).size).toBe(50)
    for (const made of tokens) expect(Buffer.from(made, 'base64url')).toHaveLength(32)
    expect(await db.select({ id: sessions.id }).from(sessions)).toHaveLength(20)
  })
})

describe('a user’s sessions', () => {
  const idOf = async (of: string) => (await findSession(of))?.id ?? ''
  const alive = async (tokens: string[]) =>
    (await Promise.all(tokens.map((each) => findSession(each)))).map((session) => session !== null)

  test('are listed, the most recent first, without expired ones and without secrets', async () => {
    const second = await start()
    await db
      .update(sessions)
      .set({ lastSeenAt: sql`now() - interval '1 hour'` })
      .where(eq(sessions.id, await idOf(token)))
    const old = await start()
    await db
      .update(sessions)
      .set({ lastSeenAt: sql`now() - interval '8 days'` })
      .where(eq(sessions.id, await idOf(old)))
    const listed = await listSessions(userId)
    expect(listed.map(({ id }) => id)).toEqual([await idOf(second), await idOf(token)])
    expect(listed[0]).toEqual({
      id: expect.any(String),
      userAgent: 'test',
      isImpersonation: false,
      ip: '192.0.2.1',
      createdAt: expect.any(Date),
      lastSeenAt: expect.any(Date),
    })
  })

  test('can be ended one at a time, all but one, or all', async () => {
    const tokens = [token, await start(), await start(), await start()]
    expect(await revokeSessions(db, userId, { only: await idOf(tokens[1] ?? '') })).toBe(1)
    expect(await alive(tokens)).toEqual([true, false, true, true])
    expect(await revokeSessions(db, userId, { except: await idOf(tokens[2] ?? '') })).toBe(2)
    expect(await alive(tokens)).toEqual([false, false, true, false])
    expect(await revokeSessions(db, userId)).toBe(1)
    expect(await alive(tokens)).toEqual([false, false, false, false])
  })

  test('cannot be listed or ended by another user', async () => {
    const [other] = await db.insert(users).values({ email: 'eve@example.com', name: 'Eve' }).returning({ id: users.id })
    expect(await revokeSessions(db, other?.id ?? '', { only: await idOf(token) })).toBe(0)
    expect(await listSessions(other?.id ?? '')).toEqual([])
    expect(await findSession(token)).not.toBeNull()
  })
})
