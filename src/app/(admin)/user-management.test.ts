import { and, eq, inArray, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '@/core/auth/policy'
import type { Actor } from '@/core/auth/session/actor'
import { hashToken, newToken } from '@/core/auth/tokens/token'
import { db } from '@/core/db/client'
import { auditEvents, sessions, users } from '@/core/db/schema'
import type { AppModule } from '@/core/module'
import { appScopeId } from '@/core/scope'
import { modules } from '@/modules'
import { asRequest } from '../../../tests/app/support/next-headers'
import { undoToken } from './undo'
import { changeRole, changeRoles, endAllSessions, suspend, undoRoleChange, undoSuspension } from './user-management'

async function newUser(role: Role): Promise<Actor> {
  const [user] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: `A ${role}`, role })
    .returning({ id: users.id, email: users.email, name: users.name, role: users.role })
  if (!user) throw new Error('no user')
  return user
}

let admin: Actor
let viewer: Actor
let editor: Actor
beforeEach(async () => {
  ;[admin, viewer, editor] = [await newUser('admin'), await newUser('viewer'), await newUser('editor')]
})

const as = <T>(work: () => Promise<T>) => asRequest({}, work)
const rolesOf = async (...ids: string[]) => {
  const rows = await db.select({ id: users.id, role: users.role }).from(users).where(inArray(users.id, ids))
  return ids.map((id) => rows.find((row) => row.id === id)?.role)
}
const isSuspended = async (id: string) =>
  (await db.select({ at: users.suspendedAt }).from(users).where(eq(users.id, id)))[0]?.at !== null
const eventsOf = (kind: string) =>
  db
    .select({ targetId: auditEvents.targetId, details: auditEvents.details })
    .from(auditEvents)
    .where(and(eq(auditEvents.actorId, admin.id), eq(auditEvents.kind, kind)))
    .orderBy(auditEvents.id)

describe('changing the role of several users', () => {
  test('changes those who have another, with one event each, and tells the modules', async () => {
    const told: unknown[] = []
    const fake: AppModule = { name: 'fake', title: 'Fake', onRightsChange: async (_, change) => void told.push(change) }
    modules.push(fake)
    try {
      const { count } = await as(() => changeRoles(admin, [viewer.id, editor.id, crypto.randomUUID()], 'editor'))
      expect(count).toBe(1)
    } finally {
      modules.splice(modules.indexOf(fake), 1)
    }
    expect(await rolesOf(viewer.id, editor.id)).toEqual(['editor', 'editor'])
    expect(await eventsOf('role.changed')).toEqual([{ targetId: viewer.id, details: { from: 'viewer', to: 'editor' } }])
    expect(told).toEqual([{ userIds: [viewer.id], role: 'editor', actorId: admin.id, scopeId: appScopeId }])
  })

  test('is rejected for oneself, and then changes no one', async () => {
    await expect(as(() => changeRoles(admin, [viewer.id, admin.id], 'editor'))).rejects.toMatchObject({
      code: 'invalid_input',
      fields: { ids: ['You can’t change your own role here.'] },
    })
    expect(await rolesOf(viewer.id, admin.id)).toEqual(['viewer', 'admin'])
  })

  test('is rejected once the caller is no longer an admin', async () => {
    await newUser('admin')
    await db.update(users).set({ role: 'viewer' }).where(eq(users.id, admin.id))
    await expect(as(() => changeRoles(admin, [editor.id], 'admin'))).rejects.toMatchObject({ code: 'forbidden' })
    expect(await rolesOf(editor.id)).toEqual(['editor'])
  })

  test('is undone to what each had before', async () => {
    const { undo = '' } = await as(() => changeRoles(admin, [viewer.id, editor.id], 'admin'))
    expect(await as(() => undoRoleChange(admin, undo))).toBe(2)
    expect(await rolesOf(viewer.id, editor.id)).toEqual(['viewer', 'editor'])
    await expect(as(() => undoRoleChange(admin, undo))).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is not undone for those who were changed again since', async () => {
    const { undo = '' } = await as(() => changeRoles(admin, [viewer.id, editor.id], 'admin'))
    await as(() => changeRole(admin, viewer.id, 'editor'))
    expect(await as(() => undoRoleChange(admin, undo))).toBe(1)
    expect(await rolesOf(viewer.id, editor.id)).toEqual(['editor', 'editor'])
  })

  test('has nothing to undo if nothing changed', async () => {
    expect(await as(() => changeRoles(admin, [viewer.id], 'viewer'))).toEqual({ count: 0 })
  })
})

describe('suspending users', () => {
  test('is undone for those whom it suspended, not for those who were suspended before', async () => {
    await as(() => suspend(admin, [editor.id]))
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { count, undo = '' } = await as(() => suspend(admin, [viewer.id, editor.id]))
    expect(count).toBe(1)
    expect(await as(() => undoSuspension(admin, undo))).toBe(1)
    expect([await isSuspended(viewer.id), await isSuspended(editor.id)]).toEqual([false, true])
    expect(await eventsOf('person.restored')).toEqual([{ targetId: viewer.id, details: null }])
  })
})

describe('undoing is rejected', () => {
  const expectRejected = async (by: Actor, token: string) => {
    await expect(as(() => undoSuspension(by, token))).rejects.toMatchObject({ code: 'not_found' })
    expect(await isSuspended(viewer.id)).toBe(true)
  }

  test('for another admin, for another kind of change, and for a token that was made up', async () => {
    const { undo = '' } = await as(() => suspend(admin, [viewer.id]))
    await expectRejected(await newUser('admin'), undo)
    for (const token of ['', 'x'.repeat(120), `${undo.startsWith('A') ? 'B' : 'A'}${undo.slice(1)}`])
      await expectRejected(admin, token)
    await expect(as(() => undoRoleChange(admin, undo))).rejects.toMatchObject({ code: 'not_found' })
  })

  test('after ten minutes', async () => {
    const { undo = '' } = await as(() => suspend(admin, [viewer.id]))
    const at = new Date(Date.now() - 11 * 60_000).toISOString()
    await expectRejected(admin, undoToken(admin, at))
    expect(await as(() => undoSuspension(admin, undo))).toBe(1)
  })

  test('once the caller is no longer an admin', async () => {
    const { undo = '' } = await as(() => suspend(admin, [viewer.id]))
    await newUser('admin')
    await db.update(users).set({ role: 'viewer' }).where(eq(users.id, admin.id))
    await expect(as(() => undoSuspension(admin, undo))).rejects.toMatchObject({ code: 'forbidden' })
    expect(await isSuspended(viewer.id)).toBe(true)
  })
})

describe('signing out several users', () => {
  const startSession = (userId: string) => db.insert(sessions).values({ userId, tokenHash: hashToken(newToken()) })
  const countSessions = async (userId: string) =>
    (await db.select({ count: sql<number>`count(*)::int` }).from(sessions).where(eq(sessions.userId, userId)))[0]?.count

  test('ends all their sessions, with one event for each who had any', async () => {
    for (const { id } of [viewer, viewer, editor]) await startSession(id)
    const none = await newUser('viewer')
    expect(await as(() => endAllSessions(admin, [viewer.id, editor.id, none.id]))).toBe(2)
    expect([await countSessions(viewer.id), await countSessions(editor.id)]).toEqual([0, 0])
    const events = await eventsOf('session.revoked')
    expect(new Map(events.map(({ targetId, details }) => [targetId, details]))).toEqual(
      new Map([
        [viewer.id, { count: 2 }],
        [editor.id, { count: 1 }],
      ]),
    )
  })

  test('is rejected for oneself, and then signs no one out', async () => {
    await startSession(viewer.id)
    await expect(as(() => endAllSessions(admin, [viewer.id, admin.id]))).rejects.toMatchObject({
      code: 'invalid_input',
    })
    expect(await countSessions(viewer.id)).toBe(1)
  })
})
