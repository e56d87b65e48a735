import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { asRequest } from '../../../tests/support/next-headers'
import { defineAction } from '../action'
import { record } from '../audit/record'
import { db } from '../db/client'
import { auditEvents, sessions, users } from '../db/schema'
import { withRequest } from '../request'
import { startImpersonation, stopImpersonation } from './impersonation'
import { definePolicy, signedIn } from './policy'
import { endSession, findSession } from './sessions'
import { hashToken, newToken } from './token'

const { can } = definePolicy({ 'things.write': ['viewer', 'editor', 'admin'] })
const from = { ip: null, userAgent: null }

async function newPerson(role: 'viewer' | 'admin') {
  const [person] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: `A ${role}`, role })
    .returning({ id: users.id, email: users.email })
  return person ?? { id: '', email: '' }
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
  const head = { cookie: `plinth.session=${token}`, 'sec-fetch-site': 'same-origin' }
  return asRequest(head, () => withRequest({ id: 'test', headers: new Headers(head) }, work))
}

/** Starts acting, and returns the token that the browser then has. */
const act = (token: string, userId: string) =>
  as(token, async () => {
    await startImpersonation(userId)
    const { cookies } = await import('next/headers')
    return (await cookies()).get('plinth.session')?.value ?? ''
  })

let admin: Awaited<ReturnType<typeof newPerson>>
let person: Awaited<ReturnType<typeof newPerson>>
let own: Awaited<ReturnType<typeof newSession>>
beforeEach(async () => {
  admin = await newPerson('admin')
  person = await newPerson('viewer')
  own = await newSession(admin.id)
})

test('an admin who acts for somebody is that person, and both are known', async () => {
  const session = await findSession(await act(own.token, person.id))
  expect(session?.user).toMatchObject({ id: person.id, email: person.email, role: 'viewer' })
  expect(session?.actingAdmin).toEqual({ id: admin.id, name: 'A admin', sessionId: own.id })
  expect(session?.isConfirmed).toBe(false)
})

test('stopping brings the admin back under another token; the acting one is dead, and no confirmation was gained', async () => {
  await db.update(sessions).set({ confirmedAt: sql`now() - interval '2 hours'` }).where(eq(sessions.id, own.id))
  const acting = await act(own.token, person.id)
  const back = await as(acting, async () => {
    await stopImpersonation()
    const { cookies } = await import('next/headers')
    return (await cookies()).get('plinth.session')?.value ?? ''
  })
  expect(await findSession(acting)).toBeNull()
  expect(await findSession(own.token)).toBeNull()
  expect(await findSession(back)).toMatchObject({ user: { id: admin.id }, actingAdmin: null, isConfirmed: false })
})

describe('acting ends at once', () => {
  test.each([
    [
      'after half an hour',
      () =>
        db
          .update(sessions)
          .set({ createdAt: sql`now() - interval '30 minutes 1 second'` })
          .where(eq(sessions.userId, person.id)),
    ],
    ['when the admin’s own session is ended', () => db.delete(sessions).where(eq(sessions.id, own.id))],
    [
      'when the admin’s own session has run out',
      () => db.update(sessions).set({ lastSeenAt: sql`now() - interval '13 hours'` }).where(eq(sessions.id, own.id)),
    ],
    [
      'when the admin is suspended',
      () => db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, admin.id)),
    ],
    ['when the admin is none any more', () => db.update(users).set({ role: 'editor' }).where(eq(users.id, admin.id))],
    [
      'when the person is suspended',
      () => db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, person.id)),
    ],
    ['when the person ends it', () => db.delete(sessions).where(eq(sessions.userId, person.id))],
  ])('%s', async (_, happens) => {
    await newPerson('admin')
    const acting = await act(own.token, person.id)
    expect(await findSession(acting)).not.toBeNull()
    await happens()
    expect(await findSession(acting)).toBeNull()
  })
})

test('who signs out while acting is out altogether', async () => {
  const acting = await act(own.token, person.id)
  await endSession(acting, from)
  expect(await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, own.id))).toEqual([])
})

describe('nobody can act', () => {
  test('for an admin, for somebody who is suspended, or for nobody', async () => {
    const other = await newPerson('admin')
    const suspended = await newPerson('viewer')
    await db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, suspended.id))
    for (const id of [other.id, admin.id, suspended.id, crypto.randomUUID()])
      await expect(act(own.token, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('twice over', async () => {
    const acting = await act(own.token, person.id)
    await expect(act(acting, (await newPerson('viewer')).id)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('and nobody can stop who does not', async () => {
    await expect(as(own.token, stopImpersonation)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('an admin who acts', () => {
  const write = (allow: Parameters<typeof defineAction>[0]['allow'], isSensitive = false) =>
    defineAction({
      allow,
      isSensitive,
      input: z.object({}),
      run: async ({ actor }) => {
        await record(db, 'thing.done', { actorId: actor.id, targetId: actor.id })
        return {}
      },
    })

  test('may do what the person’s role may, written down with the admin', async () => {
    const acting = await act(own.token, person.id)
    expect(await as(acting, () => write(can('things.write'))({}))).toMatchObject({ ok: true })
    const [event] = await db
      .select({ details: auditEvents.details })
      .from(auditEvents)
      .where(sql`${auditEvents.actorId} = ${person.id} and ${auditEvents.kind} = 'thing.done'`)
    expect(event?.details).toEqual({ acting_admin: admin.id })
  })

  test.each([
    ['what is the person’s own', write(signedIn)],
    ['anything sensitive', write(can('things.write'), true)],
  ])('may not touch %s', async (_, action) => {
    const acting = await act(own.token, person.id)
    expect(await as(acting, () => action({}))).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  })
})

test('beginning and end are written down, with who and whom', async () => {
  const acting = await act(own.token, person.id)
  await as(acting, stopImpersonation)
  const events = await db
    .select({ kind: auditEvents.kind, actorId: auditEvents.actorId })
    .from(auditEvents)
    .where(eq(auditEvents.targetId, person.id))
    .orderBy(auditEvents.id)
  expect(events).toEqual([
    { kind: 'impersonation.started', actorId: admin.id },
    { kind: 'impersonation.ended', actorId: admin.id },
  ])
})
