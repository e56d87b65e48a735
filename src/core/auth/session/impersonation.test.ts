import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appSlug } from '@/brand'
import { asRequest } from '../../../../tests/app/support/next-headers'
import { defineAction } from '../../action'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { db } from '../../db/client'
import { auditEvents, sessions, users } from '../../db/schema'
import { withRequest } from '../../http/request'
import { definePolicy, signedIn } from '../policy'
import { hashToken, newToken } from '../tokens/token'
import { getSession } from './actor'
import { startImpersonation, stopImpersonation } from './impersonation'
import { endSession, findSession } from './sessions'

const { can } = definePolicy({ 'things.write': ['viewer', 'editor', 'admin'], 'users.impersonate': ['admin'] })
const client = { ip: null, userAgent: null }

async function newUser(role: 'viewer' | 'admin') {
  const [user] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: `A ${role}`, role })
    .returning({ id: users.id, email: users.email })
  return user ?? { id: '', email: '' }
}
async function newSession(userId: string) {
  const token = newToken()
  const [session] = await db
    .insert(sessions)
    .values({ userId, tokenHash: hashToken(token) })
    .returning({ id: sessions.id })
  return { token, id: session?.id ?? '' }
}

const as = <T>(token: string, work: () => Promise<T>) => {
  const head = { cookie: `${appSlug}.session=${token}`, 'sec-fetch-site': 'same-origin' }
  return asRequest(head, () => withRequest({ id: 'test', headers: new Headers(head) }, work))
}

/** Starts impersonation, and returns the new session token of the browser. */
const impersonate = (token: string, userId: string) =>
  as(token, async () => {
    const session = await getSession()
    await startImpersonation(session?.user ?? assert.fail(), can('users.impersonate'), userId)
    const { cookies } = await import('next/headers')
    return (await cookies()).get(`${appSlug}.session`)?.value ?? ''
  })

let admin: Awaited<ReturnType<typeof newUser>>
let user: Awaited<ReturnType<typeof newUser>>
let own: Awaited<ReturnType<typeof newSession>>
beforeEach(async () => {
  admin = await newUser('admin')
  user = await newUser('viewer')
  own = await newSession(admin.id)
})

test('the session of an admin who impersonates a user names both', async () => {
  const session = await findSession(await impersonate(own.token, user.id))
  expect(session?.user).toMatchObject({ id: user.id, email: user.email, role: 'viewer' })
  expect(session?.impersonatedBy).toEqual({ id: admin.id, name: 'A admin', sessionId: own.id })
  expect(session?.isReauthenticated).toBe(false)
})

test('stopping restores the admin’s session with a new token and does not count as reauthentication', async () => {
  await db.update(sessions).set({ reauthenticatedAt: sql`now() - interval '2 hours'` }).where(eq(sessions.id, own.id))
  const impersonationToken = await impersonate(own.token, user.id)
  const adminToken = await as(impersonationToken, async () => {
    await stopImpersonation()
    const { cookies } = await import('next/headers')
    return (await cookies()).get(`${appSlug}.session`)?.value ?? ''
  })
  expect(await findSession(impersonationToken)).toBeNull()
  expect(await findSession(own.token)).toBeNull()
  expect(await findSession(adminToken)).toMatchObject({
    user: { id: admin.id },
    impersonatedBy: null,
    isReauthenticated: false,
  })
})

describe('impersonation ends at once', () => {
  test.each([
    [
      'after half an hour',
      () =>
        db
          .update(sessions)
          .set({ createdAt: sql`now() - interval '30 minutes 1 second'` })
          .where(eq(sessions.userId, user.id)),
    ],
    ['when the admin’s own session is ended', () => db.delete(sessions).where(eq(sessions.id, own.id))],
    [
      'when the admin’s own session has expired',
      () => db.update(sessions).set({ lastSeenAt: sql`now() - interval '13 hours'` }).where(eq(sessions.id, own.id)),
    ],
    [
      'when the admin is suspended',
      () => db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, admin.id)),
    ],
    ['when the admin is demoted', () => db.update(users).set({ role: 'editor' }).where(eq(users.id, admin.id))],
    [
      'when the user is suspended',
      () => db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, user.id)),
    ],
    ['when the user becomes an admin', () => db.update(users).set({ role: 'admin' }).where(eq(users.id, user.id))],
    ['when the user ends the session', () => db.delete(sessions).where(eq(sessions.userId, user.id))],
  ])('%s', async (_, happens) => {
    await newUser('admin')
    const impersonationToken = await impersonate(own.token, user.id)
    expect(await findSession(impersonationToken)).not.toBeNull()
    await happens()
    expect(await findSession(impersonationToken)).toBeNull()
  })
})

test('signing out while impersonating also ends the admin’s own session', async () => {
  const impersonationToken = await impersonate(own.token, user.id)
  await endSession(impersonationToken, client)
  expect(await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, own.id))).toEqual([])
})

describe('impersonation is rejected', () => {
  test('for an admin, a suspended user, or an unknown id', async () => {
    const other = await newUser('admin')
    const suspended = await newUser('viewer')
    await db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, suspended.id))
    for (const id of [other.id, admin.id, suspended.id, crypto.randomUUID()])
      await expect(impersonate(own.token, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('while already impersonating', async () => {
    const impersonationToken = await impersonate(own.token, user.id)
    await expect(impersonate(impersonationToken, (await newUser('viewer')).id)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('when stopped without having been started', async () => {
    await expect(as(own.token, stopImpersonation)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('an admin who impersonates a user', () => {
  const write = (allow: Parameters<typeof defineAction>[0]['allow'], isSensitive = false) =>
    defineAction({
      allow,
      isSensitive,
      input: z.object({}),
      run: async ({ actor }) => {
        await recordAuditEvent(db, 'thing.done', { actorId: actor.id, targetId: actor.id })
        return {}
      },
    })

  test('may do what the user’s role may, and the audit event names the admin', async () => {
    const impersonationToken = await impersonate(own.token, user.id)
    expect(await as(impersonationToken, () => write(can('things.write'))({}))).toMatchObject({ ok: true })
    const [event] = await db
      .select({ details: auditEvents.details })
      .from(auditEvents)
      .where(sql`${auditEvents.actorId} = ${user.id} and ${auditEvents.kind} = 'thing.done'`)
    expect(event?.details).toEqual({ acting_admin: admin.id })
  })

  test.each([
    ['what only the user may do', write(signedIn)],
    ['anything sensitive', write(can('things.write'), true)],
  ])('may not do %s', async (_, action) => {
    const impersonationToken = await impersonate(own.token, user.id)
    expect(await as(impersonationToken, () => action({}))).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  })
})

test('start and end are recorded in the audit log, with the admin and the user', async () => {
  const impersonationToken = await impersonate(own.token, user.id)
  await as(impersonationToken, stopImpersonation)
  const events = await db
    .select({ kind: auditEvents.kind, actorId: auditEvents.actorId })
    .from(auditEvents)
    .where(eq(auditEvents.targetId, user.id))
    .orderBy(auditEvents.id)
  expect(events).toEqual([
    { kind: 'impersonation.started', actorId: admin.id },
    { kind: 'impersonation.ended', actorId: admin.id },
  ])
})
