import { appSlug } from '@/brand'
import { hashToken, newToken } from '@/core/auth/tokens/token'
import { asRequest } from '../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { eq, type SQL, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { defineAction } from '@/core/action'
import { type Role, roles, signedIn } from '@/core/auth/policy'
import { getActor } from '@/core/auth/session/actor'
import { signOut } from '@/core/auth/session/browser-session'
import { db, pool } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { auditEvents, users } from '@/core/db/schema'
import { defineHandler, defineRoute } from '@/core/handler'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import accountModule from './module'
import { apiTokens } from './schema'
import { createToken, findBearer, lifetimes, listTokens, revokeToken, rolesUpTo } from './tokens'

async function newUser(role: Role = 'editor'): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`
  const [user] = await db.insert(users).values({ email, name: 'Ada', role }).returning({ id: users.id })
  return user?.id ?? ''
}
const createTestToken = (userId: string, given: Partial<{ name: string; role: Role; days: number }> = {}) =>
  asRequest({ 'user-agent': 'test' }, () =>
    createToken(userId, { name: 'A script', role: 'viewer', days: 30, ...given }),
  )
const revoke = (userId: string, id: string) => asRequest({}, () => revokeToken(userId, id))
const setToken = (userId: string, values: { expiresAt?: SQL; lastUsedAt?: SQL }) =>
  db.update(apiTokens).set(values).where(eq(apiTokens.userId, userId))
const setOwner = (userId: string, values: { role?: Role; suspendedAt?: SQL | null }) =>
  db.update(users).set(values).where(eq(users.id, userId))
const auditEventsOf = (userId: string) =>
  db
    .select({ kind: auditEvents.kind, actorId: auditEvents.actorId, details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.targetId, userId))
    .orderBy(auditEvents.id)

let owner = ''
beforeEach(async () => {
  owner = await newUser()
})

describe('a token', () => {
  test('has a recognizable prefix, and is stored only as a hash', async () => {
    const token = await createTestToken(owner)
    expect(token).toMatch(new RegExp(`^${appSlug}_[\\w-]{43}$`))
    const { rows } = await db.execute<{ row: string }>(
      sql`select t::text as row from account_api_tokens t where user_id = ${owner}`,
    )
    expect(rows).toHaveLength(1)
    const [, secret = ''] = token.split(new RegExp(`${appSlug}_`))
    expect(rows[0]?.row).not.toContain(secret)
    expect(rows[0]?.row).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
  })

  test('has a name with the same rules as a user name', async () => {
    await createTestToken(owner, { name: '  Backup of the library ' })
    expect(await listTokens(owner)).toMatchObject([{ name: 'Backup of the library', role: 'viewer' }])
    for (const name of ['', ' ', 'x'.repeat(101), 'two\nlines', '\u202eabc'])
      await expect(createTestToken(owner, { name }), name).rejects.toMatchObject({
        code: 'invalid_input',
        fields: { name: [/up to 100/] },
      })
  })

  test.each(lifetimes)('for %i days expires by the clock of the database', async (days) => {
    const token = await createTestToken(owner, { days })
    const [row] = await db
      .select({
        isRight: sql<boolean>`${apiTokens.expiresAt} - ${apiTokens.createdAt} = make_interval(days => ${days})`,
      })
      .from(apiTokens)
      .where(eq(apiTokens.userId, owner))
    expect(row?.isRight).toBe(true)
    await setToken(owner, { expiresAt: sql`now() + interval '1 minute'` })
    expect(await findBearer(token)).not.toBeNull()
    await setToken(owner, { expiresAt: sql`now() - interval '1 minute'` })
    expect(await findBearer(token)).toBeNull()
    expect(await listTokens(owner)).toMatchObject([{ isExpired: true }])
  })

  test('cannot be created with a higher role than its owner has at that moment', async () => {
    expect(rolesUpTo('viewer')).toEqual(['viewer'])
    expect(rolesUpTo('admin')).toEqual(roles)
    await expect(createTestToken(owner, { role: 'admin' })).rejects.toMatchObject({ code: 'forbidden' })
    await setOwner(owner, { role: 'viewer' })
    await expect(createTestToken(owner, { role: 'editor' })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await listTokens(owner)).toEqual([])
    expect(await auditEventsOf(owner)).toEqual([])
  })

  test('is one of at most 50 per user, also when many are created at once', async () => {
    const row = { userId: owner, name: 'x', role: 'viewer' as const, expiresAt: sql`now() + interval '1 day'` }
    await db
      .insert(apiTokens)
      .values(Array.from({ length: 47 }, (_, index) => ({ ...row, hash: Buffer.from(`${owner}${index}`) })))
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => createTestToken(owner)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' })
    expect(await listTokens(owner)).toHaveLength(50)
    expect(await createTestToken(await newUser())).toBeTruthy()
  })

  test('can be revoked only by its owner; others get not_found', async () => {
    const token = await createTestToken(owner)
    const [{ id } = { id: '' }] = await listTokens(owner)
    await expect(revoke(await newUser('admin'), id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await findBearer(token)).not.toBeNull()
    await revoke(owner, id)
    expect(await findBearer(token)).toBeNull()
    await expect(revoke(owner, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await auditEventsOf(owner)).toEqual([
      { kind: 'api_token.created', actorId: owner, details: { tokenId: id, role: 'viewer', days: 30 } },
      { kind: 'api_token.revoked', actorId: owner, details: { tokenId: id } },
    ])
  })

  test('is deleted with its owner, and when the owner reports a compromise', async () => {
    const other = await newUser()
    const [first, second, otherToken] = [
      await createTestToken(owner),
      await createTestToken(owner, { role: 'editor' }),
      await createTestToken(other),
    ]
    await inTransaction(async (tx) => accountModule.revoke?.(tx, owner, new Date()))
    expect([await findBearer(first), await findBearer(second)]).toEqual([null, null])
    expect((await findBearer(otherToken))?.user.id).toBe(other)
    await db.delete(users).where(eq(users.id, other))
    expect(await findBearer(otherToken)).toBeNull()
  })

  test('notifies its owner by email, in the same transaction', async () => {
    await createTestToken(owner)
    await expect(createTestToken(owner, { role: 'admin' })).rejects.toThrow()
    const { rows } = await db.execute<{ data: unknown }>(
      sql`select data from jobs.job where name = 'mail.account.token_made' and data ->> 'userId' = ${owner}`,
    )
    expect(rows).toEqual([{ data: { userId: owner, role: 'viewer', days: 30, cause: expect.any(String) } }])
  })
})

describe('a caller with a token', () => {
  test('is the owner of the token', async () => {
    const bearer = await findBearer(await createTestToken(owner))
    const [row] = await listTokens(owner)
    expect(bearer).toEqual({
      user: { id: owner, email: expect.stringContaining('@'), name: 'Ada', role: 'viewer' },
      expires: row?.expiresAt,
      ceiling: 'viewer',
    })
  })

  test.each(roles.flatMap((of) => roles.map((now) => [of, now] as const)))(
    'has the lower of the token’s role (%s) and the owner’s (%s)',
    async (ofToken, ofOwner) => {
      const id = await newUser('admin')
      const token = await createTestToken(id, { role: ofToken })
      await setOwner(id, { role: ofOwner })
      const lower = roles[Math.min(roles.indexOf(ofToken), roles.indexOf(ofOwner))]
      expect((await findBearer(token))?.user.role).toBe(lower)
    },
  )

  test('is not authenticated while the owner is suspended', async () => {
    const token = await createTestToken(owner)
    await setOwner(owner, { suspendedAt: sql`now()` })
    expect(await findBearer(token)).toBeNull()
    await setOwner(owner, { suspendedAt: null })
    expect(await findBearer(token)).not.toBeNull()
  })

  test('costs one query; a malformed token costs none', async () => {
    const token = await createTestToken(owner)
    await findBearer(token)
    const queries = vi.spyOn(pool, 'query')
    await findBearer(token)
    expect(queries).toHaveBeenCalledTimes(1)
    const secret = token.slice(`${appSlug}_`.length)
    for (const other of [
      '',
      'x',
      secret,
      `${appSlug.toUpperCase()}_${secret}`,
      `${token}x`,
      token.slice(0, -1),
      `${appSlug}_`,
      `${appSlug}_' or 1=1 --`,
    ])
      expect(await findBearer(other), other).toBeNull()
    expect(queries).toHaveBeenCalledTimes(1)
    queries.mockRestore()
  })

  test('stays valid after the app was renamed, and only with the prefix that it was made with', async () => {
    const secret = newToken()
    await createTestToken(owner)
    await db
      .update(apiTokens)
      .set({ hash: hashToken(`former-name_${secret}`) })
      .where(eq(apiTokens.userId, owner))
    expect(await findBearer(`former-name_${secret}`)).toMatchObject({ user: { id: owner } })
    expect(await findBearer(`${appSlug}_${secret}`)).toBeNull()
  })

  test('updates lastUsedAt at most once in five minutes, also with concurrent requests', async () => {
    const token = await createTestToken(owner)
    const lastUse = async () => (await listTokens(owner))[0]?.lastUsedAt?.getTime()
    expect(await lastUse()).toBeUndefined()
    await findBearer(token)
    const first = await lastUse()
    expect(first).toBeGreaterThan(Date.now() - 60_000)
    await setToken(owner, { lastUsedAt: sql`now() - interval '4 minutes 50 seconds'` })
    const before = await lastUse()
    await findBearer(token)
    expect(await lastUse()).toBe(before)
    await setToken(owner, { lastUsedAt: sql`now() - interval '5 minutes 1 second'` })
    const version = async () =>
      (await db.execute<{ xmin: string }>(sql`select xmin::text from account_api_tokens where user_id = ${owner}`))
        .rows[0]?.xmin
    const writes = new Set([await version()])
    await Promise.all(Array.from({ length: 8 }, async () => [await findBearer(token), writes.add(await version())]))
    expect(await lastUse()).toBeGreaterThan(before ?? 0)
    expect(writes.size).toBe(2)
  })
})

describe('a token is accepted', () => {
  const context = { params: Promise.resolve({}) }
  const anyOperation = { summary: 'Try it', responses: { 200: z.unknown() } }
  const { GET, POST } = defineRoute({
    GET: defineHandler({ ...anyOperation, allow: signedIn, run: ({ actor }) => actor }),
    POST: defineHandler({ ...anyOperation, allow: { ...signedIn, roles: ['admin'] }, run: ({ actor }) => actor }),
  })
  const call = (serve: typeof GET, headers: Record<string, string>, method = 'GET') =>
    asRequest(headers, () => serve(new Request('http://localhost:3000/x', { method, headers }), context))

  test('by every guarded route handler, with the role of the token', async () => {
    const admin = await newUser('admin')
    const low = { authorization: `Bearer ${await createTestToken(admin)}` }
    const high = { authorization: `Bearer ${await createTestToken(admin, { role: 'admin' })}` }
    expect(await (await call(GET, low)).json()).toMatchObject({ id: admin, role: 'viewer' })
    expect((await call(POST, low, 'POST')).status).toBe(403)
    expect((await call(POST, high, 'POST')).status).toBe(200)
  })

  test('only in the Authorization header, which wins over a session cookie', async () => {
    const token = await createTestToken(owner)
    const cookie = `${appSlug}.session=${await newSessionToken('admin')}`
    expect(await (await call(GET, { authorization: `Bearer ${token}`, cookie })).json()).toMatchObject({ id: owner })
    await setToken(owner, { expiresAt: sql`now() - interval '1 minute'` })
    expect((await call(GET, { authorization: `Bearer ${token}`, cookie })).status).toBe(401)
    await setToken(owner, { expiresAt: sql`now() + interval '1 day'` })
    expect((await call(GET, { cookie: `${appSlug}.session=${token}` })).status).toBe(401)
  })

  test('neither by pages nor by actions', async () => {
    const headers = { authorization: `Bearer ${await createTestToken(owner)}`, 'sec-fetch-site': 'same-origin' }
    expect(await asRequest(headers, getActor)).toBeNull()
    const action = defineAction({ allow: signedIn, input: z.object({}), run: async () => 'done' })
    expect(await asRequest(headers, () => action({}))).toMatchObject({ ok: false, error: { code: 'unauthenticated' } })
  })

  test('not by sign-out, which does not revoke it', async () => {
    const token = await createTestToken(owner)
    await asRequest({ authorization: `Bearer ${token}` }, signOut)
    expect(await findBearer(token)).not.toBeNull()
    expect((await auditEventsOf(owner)).map(({ kind }) => kind)).toEqual(['api_token.created'])
  })
})
