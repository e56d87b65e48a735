import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { appSlug } from '@/brand'
import { recordAuditEvent } from '../audit/record-audit-event'
import { db, type Transaction } from '../db/client'
import { inTransaction } from '../db/in-transaction'
import { auditEvents, sessions, users } from '../db/schema'
import { withRequest } from '../http/request'
import { definePolicy, type Role } from './policy'
import { getSession } from './session/actor'
import { hashToken, newToken } from './tokens/token'
import { type LockedActor, transactionAs, transactionAsSelf } from './transaction-as'
import { setRole } from './user/rights'

const { can } = definePolicy({ 'things.write': ['editor', 'admin'], 'things.delete': ['admin'] })

async function newUser(role: Role) {
  const [user] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', role })
    .returning({ id: users.id, role: users.role })
  if (!user) throw new Error('no user')
  return user
}
const set = (id: string, change: { role?: Role; isSuspended?: boolean }) =>
  db
    .update(users)
    .set({ ...(change.role && { role: change.role }), ...(change.isSuspended && { suspendedAt: sql`now()` }) })
    .where(eq(users.id, id))
const eventsOf = async (id: string) =>
  (await db.select({ kind: auditEvents.kind }).from(auditEvents).where(eq(auditEvents.actorId, id))).length

let admin: Awaited<ReturnType<typeof newUser>>
let editor: Awaited<ReturnType<typeof newUser>>
beforeEach(async () => {
  // The first admin stays, because the database does not let the last one be removed.
  ;[, admin, editor] = (await Promise.all([newUser('admin'), newUser('admin'), newUser('editor')])) as [
    unknown,
    typeof admin,
    typeof editor,
  ]
})

const write = (actor: { id: string; role: Role }, allow = can('things.write')) =>
  transactionAs(actor, allow, async (tx, lockedActor) => {
    await recordAuditEvent(tx, 'thing.written', { actorId: lockedActor.id })
    return lockedActor.role
  })

describe('a transaction on behalf of a user', () => {
  test('runs while the user has the permission', async () => {
    expect(await write(editor)).toBe('editor')
    expect(await eventsOf(editor.id)).toBe(1)
  })

  test.each([
    ['demoted', 'forbidden', () => set(editor.id, { role: 'viewer' })],
    ['suspended', 'unauthenticated', () => set(editor.id, { isSuspended: true })],
    ['deleted', 'unauthenticated', () => db.delete(users).where(eq(users.id, editor.id))],
  ])('does nothing once the user is %s, whatever role the caller passes', async (_, code, happens) => {
    await happens()
    await expect(write(editor)).rejects.toMatchObject({ code })
    expect(await eventsOf(editor.id)).toBe(0)
  })

  test('uses the current role, but never a higher one than the caller passes', async () => {
    await set(admin.id, { role: 'editor' })
    expect(await write(admin)).toBe('editor')
    await expect(write(admin, can('things.delete'))).rejects.toMatchObject({ code: 'forbidden' })
    await set(editor.id, { role: 'admin' })
    expect(await write(editor)).toBe('editor')
  })

  test('changes no user who has a higher role, suspended or not, and gives no such role', async () => {
    const viewer = await newUser('viewer')
    const change = (userId: string, role: Role) => {
      const work = (tx: Transaction, locked: LockedActor) =>
        setRole(tx, locked, { userId, role }, { ip: null, userAgent: null })
      return transactionAs(editor, can('things.write'), work, { locks: [userId] })
    }
    await change(viewer.id, 'editor')
    const tooHigh = { code: 'forbidden', message: expect.stringMatching(/higher role than you|above your own/) }
    await expect(change(viewer.id, 'admin')).rejects.toMatchObject(tooHigh)
    await expect(change(admin.id, 'editor')).rejects.toMatchObject(tooHigh)
    await set(admin.id, { isSuspended: true })
    await expect(change(admin.id, 'editor')).rejects.toMatchObject(tooHigh)
  })

  test('waits for a concurrent demotion, and then does nothing', async () => {
    let writing: Promise<unknown> | undefined
    await inTransaction(async (tx) => {
      await tx.update(users).set({ role: 'viewer' }).where(eq(users.id, editor.id))
      writing = write(editor).catch((error) => error.code)
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    expect(await writing).toBe('forbidden')
    expect(await eventsOf(editor.id)).toBe(0)
  })

  test('does not deadlock when two users change each other at the same time', async () => {
    const other = await newUser('admin')
    let runs = 0
    const demote = (by: typeof admin, to: typeof admin) =>
      transactionAs(
        by,
        can('things.delete'),
        async (tx) => {
          runs++
          await new Promise((resolve) => setTimeout(resolve, 20))
          await tx.update(users).set({ role: 'viewer' }).where(eq(users.id, to.id))
        },
        { locks: [to.id] },
      ).then(
        () => 'done',
        (error) => error.code,
      )
    expect((await Promise.all([demote(admin, other), demote(other, admin)])).sort()).toEqual(['done', 'forbidden'])
    // In a deadlock, both would have begun.
    expect(runs).toBe(1)
  })
})

/** Runs `work` in a request with a session of the user. */
async function withSession(userId: string, work: (sessionId: string) => Promise<unknown>) {
  const token = newToken()
  const [session] = await db
    .insert(sessions)
    .values({ userId, tokenHash: hashToken(token) })
    .returning({ id: sessions.id })
  return withRequest({ id: 'test', headers: new Headers({ cookie: `${appSlug}.session=${token}` }) }, async () => {
    expect((await getSession())?.user.id).toBe(userId)
    return work(session?.id ?? '')
  })
}

const renameSelf = (userId: string) =>
  transactionAsSelf(userId, async (tx) => {
    await recordAuditEvent(tx, 'thing.renamed', { actorId: userId })
    return 'renamed'
  })

describe.each([
  ['a transaction on behalf of a user', write],
  ['a transaction on the user’s own account', ({ id }: typeof editor) => renameSelf(id)],
])('%s', (_, run) => {
  test('does nothing once the session has ended', async () => {
    await withSession(editor.id, async (id) => {
      await expect(run(editor)).resolves.toBeDefined()
      await db.delete(sessions).where(eq(sessions.id, id))
      await expect(run(editor)).rejects.toMatchObject({ code: 'unauthenticated' })
    })
    expect(await eventsOf(editor.id)).toBe(1)
  })

  test('waits while the session is being ended, and then does nothing', async () => {
    await withSession(editor.id, async (id) => {
      let running: Promise<unknown> | undefined
      await inTransaction(async (tx) => {
        await tx.delete(sessions).where(eq(sessions.id, id))
        running = run(editor).catch((error) => error.code)
        await new Promise((resolve) => setTimeout(resolve, 50))
      })
      expect(await running).toBe('unauthenticated')
    })
    expect(await eventsOf(editor.id)).toBe(0)
  })
})

test('nobody changes their own account once they are suspended', async () => {
  await expect(renameSelf(editor.id)).resolves.toBe('renamed')
  await set(editor.id, { isSuspended: true })
  await expect(renameSelf(editor.id)).rejects.toMatchObject({ code: 'unauthenticated' })
})

describe('while an admin impersonates the user', () => {
  const impersonate = async (work: () => Promise<unknown>) => {
    const [token, ownToken] = [newToken(), newToken()]
    const [own] = await db
      .insert(sessions)
      .values({ userId: admin.id, tokenHash: hashToken(ownToken) })
      .returning({ id: sessions.id })
    await db
      .insert(sessions)
      .values({ userId: editor.id, tokenHash: hashToken(token), impersonatorSessionId: own?.id ?? null })
    const head = new Headers({ cookie: `${appSlug}.session=${token}` })
    return withRequest({ id: 'test', headers: head }, async () => {
      expect((await getSession())?.user.id).toBe(editor.id)
      return work()
    })
  }

  test.each([
    ['the admin is demoted', () => set(admin.id, { role: 'editor' })],
    ['the admin is suspended', () => set(admin.id, { isSuspended: true })],
    ['the user becomes an admin', () => set(editor.id, { role: 'admin' })],
  ])('a transaction does nothing once %s', async (_, happens) => {
    await expect(impersonate(() => write(editor))).resolves.toBe('editor')
    await expect(
      impersonate(async () => {
        await happens()
        return write(editor)
      }),
    ).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await eventsOf(editor.id)).toBe(1)
  })
})
