import { asRequest } from '../../../tests/support/next-headers'

// The line above comes first: it stands in for Next before anything else asks for headers.

import { eq, type SQL, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { defineAction } from '@/core/action'
import { getActor } from '@/core/auth/actor'
import { signOut } from '@/core/auth/browser-session'
import { type Role, roles, signedIn } from '@/core/auth/policy'
import { db, pool } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { defineHandler, defineRoute } from '@/core/handler'
import { signedInAs } from '../../../tests/support/people'
import accountModule from './module'
import { apiTokens } from './schema'
import { createToken, findBearer, lifetimes, listTokens, revokeToken, rolesUpTo } from './tokens'

async function newPerson(role: Role = 'editor'): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`
  const [person] = await db.insert(users).values({ email, name: 'Ada', role }).returning({ id: users.id })
  return person?.id ?? ''
}
const make = (userId: string, given: Partial<{ name: string; role: Role; days: number }> = {}) =>
  asRequest({ 'user-agent': 'test' }, () =>
    createToken(userId, { name: 'A script', role: 'viewer', days: 30, ...given }),
  )
const revoke = (userId: string, id: string) => asRequest({}, () => revokeToken(userId, id))
const setToken = (userId: string, values: { expiresAt?: SQL; lastUsedAt?: SQL }) =>
  db.update(apiTokens).set(values).where(eq(apiTokens.userId, userId))
const setOwner = (userId: string, values: { role?: Role; suspendedAt?: SQL | null }) =>
  db.update(users).set(values).where(eq(users.id, userId))
const kindsOf = (userId: string) =>
  db
    .select({ kind: auditEvents.kind, actorId: auditEvents.actorId, details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.targetId, userId))
    .orderBy(auditEvents.id)

let owner = ''
beforeEach(async () => {
  owner = await newPerson()
})

describe('a token', () => {
  test('says by its beginning what it is, and is stored as a hash only', async () => {
    const token = await make(owner)
    expect(token).toMatch(/^plinth_[\w-]{43}$/)
    const { rows } = await db.execute<{ row: string }>(
      sql`select t::text as row from account_api_tokens t where user_id = ${owner}`,
    )
    expect(rows).toHaveLength(1)
    const [, secret = ''] = token.split(/plinth_/)
    expect(rows[0]?.row).not.toContain(secret)
    expect(rows[0]?.row).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
  })

  test('has a name like a person’s', async () => {
    await make(owner, { name: '  Backup of the library ' })
    expect(await listTokens(owner)).toMatchObject([{ name: 'Backup of the library', role: 'viewer' }])
    for (const name of ['', ' ', 'x'.repeat(101), 'two\nlines', '\u202eabc'])
      await expect(make(owner, { name }), name).rejects.toMatchObject({
        code: 'invalid_input',
        fields: { name: [/1 to 100/] },
      })
  })

  test.each(lifetimes)('for %i days ends by the database’s clock', async (days) => {
    const token = await make(owner, { days })
    const [row] = await db
      .select({
        isRight: sql<boolean>`${apiTokens.expiresAt} - ${apiTokens.createdAt} = make_interval(days => ${days})`,
      })
      .from(apiTokens)
      .where(eq(apiTokens.userId, owner))
    expect(row?.isRight).toBe(true)
    await setToken(owner, { expiresAt: sql`now() + interval '1 minute'` })
    expect(await findBearer(token)).not.toBeNull()
    await setToken(owner, { expiresAt: sql`now()` })
    expect(await findBearer(token)).toBeNull()
    expect(await listTokens(owner)).toMatchObject([{ isExpired: true }])
  })

  test('is never made above its owner, by the role that the owner has at that moment', async () => {
    expect(rolesUpTo('viewer')).toEqual(['viewer'])
    expect(rolesUpTo('admin')).toEqual(roles)
    await expect(make(owner, { role: 'admin' })).rejects.toMatchObject({ code: 'forbidden' })
    await setOwner(owner, { role: 'viewer' })
    await expect(make(owner, { role: 'editor' })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await listTokens(owner)).toEqual([])
    expect(await kindsOf(owner)).toEqual([])
  })

  test('is one of at most 50, also when many are made at once', async () => {
    const row = { userId: owner, name: 'x', role: 'viewer' as const, expiresAt: sql`now() + interval '1 day'` }
    await db
      .insert(apiTokens)
      .values(Array.from({ length: 47 }, (_, index) => ({ ...row, hash: Buffer.from(`${owner}${index}`) })))
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => make(owner)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' })
    expect(await listTokens(owner)).toHaveLength(50)
    expect(await make(await newPerson())).toBeTruthy()
  })

  test('is revoked by its owner only; for others it is not there', async () => {
    const token = await make(owner)
    const [{ id } = { id: '' }] = await listTokens(owner)
    await expect(revoke(await newPerson('admin'), id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await findBearer(token)).not.toBeNull()
    await revoke(owner, id)
    expect(await findBearer(token)).toBeNull()
    await expect(revoke(owner, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await kindsOf(owner)).toEqual([
      { kind: 'api_token.created', actorId: owner, details: { tokenId: id, role: 'viewer', days: 30 } },
      { kind: 'api_token.revoked', actorId: owner, details: { tokenId: id } },
    ])
  })

  test('goes with its owner, and with the alarm that somebody else was in the account', async () => {
    const other = await newPerson()
    const [first, second, kept] = [await make(owner), await make(owner, { role: 'editor' }), await make(other)]
    await db.transaction(async (tx) => accountModule.revoke?.(tx, owner, new Date()))
    expect([await findBearer(first), await findBearer(second)]).toEqual([null, null])
    expect((await findBearer(kept))?.user.id).toBe(other)
    await db.delete(users).where(eq(users.id, other))
    expect(await findBearer(kept)).toBeNull()
  })

  test('is told to its owner by mail, in the same transaction', async () => {
    await make(owner)
    await expect(make(owner, { role: 'admin' })).rejects.toThrow()
    const { rows } = await db.execute<{ data: unknown }>(
      sql`select data from jobs.job where name = 'mail.account.token_made' and data ->> 'userId' = ${owner}`,
    )
    expect(rows).toEqual([{ data: { userId: owner, role: 'viewer', days: 30 } }])
  })
})

describe('whoever calls with a token', () => {
  test('is its owner', async () => {
    const bearer = await findBearer(await make(owner))
    const [row] = await listTokens(owner)
    expect(bearer).toEqual({
      user: { id: owner, email: expect.stringContaining('@'), name: 'Ada', role: 'viewer' },
      expires: row?.expiresAt,
    })
  })

  test.each(roles.flatMap((of) => roles.map((now) => [of, now] as const)))(
    'has the lower of the token’s role (%s) and the owner’s (%s)',
    async (ofToken, ofOwner) => {
      const id = await newPerson('admin')
      const token = await make(id, { role: ofToken })
      await setOwner(id, { role: ofOwner })
      const lower = roles[Math.min(roles.indexOf(ofToken), roles.indexOf(ofOwner))]
      expect((await findBearer(token))?.user.role).toBe(lower)
    },
  )

  test('is nobody while the owner is suspended', async () => {
    const token = await make(owner)
    await setOwner(owner, { suspendedAt: sql`now()` })
    expect(await findBearer(token)).toBeNull()
    await setOwner(owner, { suspendedAt: null })
    expect(await findBearer(token)).not.toBeNull()
  })

  test('costs one query; whoever calls with anything else costs none', async () => {
    const token = await make(owner)
    await findBearer(token)
    const queries = vi.spyOn(pool, 'query')
    await findBearer(token)
    expect(queries).toHaveBeenCalledTimes(1)
    const secret = token.slice('plinth_'.length)
    for (const other of [
      '',
      'x',
      secret,
      `Plinth_${secret}`,
      `${token}x`,
      token.slice(0, -1),
      'plinth_',
      "plinth_' or 1=1 --",
    ])
      expect(await findBearer(other), other).toBeNull()
    expect(queries).toHaveBeenCalledTimes(1)
    queries.mockRestore()
  })

  test('is noted, at most once in five minutes, also when many come at once', async () => {
    const token = await make(owner)
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

describe('a token is taken', () => {
  const context = { params: Promise.resolve({}) }
  const anything = { summary: 'Try it', answers: { 200: z.unknown() } }
  const { GET, POST } = defineRoute({
    GET: defineHandler({ ...anything, allow: signedIn, run: ({ actor }) => actor }),
    POST: defineHandler({ ...anything, allow: { ...signedIn, roles: ['admin'] }, run: ({ actor }) => actor }),
  })
  const call = (serve: typeof GET, headers: Record<string, string>, method = 'GET') =>
    asRequest(headers, () => serve(new Request('http://localhost:3000/x', { method, headers }), context))

  test('by every guarded route handler, which sees the role that it has there', async () => {
    const admin = await newPerson('admin')
    const low = { authorization: `Bearer ${await make(admin)}` }
    const high = { authorization: `Bearer ${await make(admin, { role: 'admin' })}` }
    expect(await (await call(GET, low)).json()).toMatchObject({ id: admin, role: 'viewer' })
    expect((await call(POST, low, 'POST')).status).toBe(403)
    expect((await call(POST, high, 'POST')).status).toBe(200)
  })

  test('from the header alone, whatever cookie is beside it, and from no cookie', async () => {
    const token = await make(owner)
    const cookie = `plinth.session=${await signedInAs('admin')}`
    expect(await (await call(GET, { authorization: `Bearer ${token}`, cookie })).json()).toMatchObject({ id: owner })
    await setToken(owner, { expiresAt: sql`now()` })
    expect((await call(GET, { authorization: `Bearer ${token}`, cookie })).status).toBe(401)
    await setToken(owner, { expiresAt: sql`now() + interval '1 day'` })
    expect((await call(GET, { cookie: `plinth.session=${token}` })).status).toBe(401)
  })

  test('neither by pages nor by actions', async () => {
    const headers = { authorization: `Bearer ${await make(owner)}`, 'sec-fetch-site': 'same-origin' }
    expect(await asRequest(headers, getActor)).toBeNull()
    const act = defineAction({ allow: signedIn, input: z.object({}), run: async () => 'done' })
    expect(await asRequest(headers, () => act({}))).toMatchObject({ ok: false, error: { code: 'unauthenticated' } })
  })

  test('not by signing out, which changes nothing', async () => {
    const token = await make(owner)
    await asRequest({ authorization: `Bearer ${token}` }, signOut)
    expect(await findBearer(token)).not.toBeNull()
    expect((await kindsOf(owner)).map(({ kind }) => kind)).toEqual(['api_token.created'])
  })
})
