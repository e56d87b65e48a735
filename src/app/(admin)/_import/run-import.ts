import 'server-only'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { isAllowed } from '@/core/auth/policy'
import { lockUsers } from '@/core/auth/transaction-as'
import type { Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { passwords, users } from '@/core/db/schema'
import type { ClientInfo } from '@/core/http/client-ip'
import { defineJob, type JobFor } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { deleteInvitations, inviteImported } from '../invitations'
import { can } from '../policy'
import { importRows, imports } from '../schema'
import { countRoles } from './roles'

/** Rows of one transaction. Each invitation enqueues an email, and a transaction may not take longer than a few seconds. */
const batchSize = 200

/** How long one job works. The queue gives a job that runs for a minute to another worker. */
const maxJobMs = 20_000

/**
 * Imports the rows that are left, in batches. If the worker dies, the next attempt resumes after the last batch. After a while
 * it enqueues itself again, in the transaction of its last batch.
 */
export const importUsers: JobFor<{ importId: string }> = defineJob('admin.import_users', {
  data: z.object({ importId: z.uuid() }),
  run: async ({ importId }) => {
    const endsAt = Date.now() + maxJobMs
    for (let isOver = false; !isOver; ) {
      isOver = await inTransaction(async (tx) => {
        if (await importBatch(tx, importId)) return true
        if (Date.now() < endsAt) return false
        await enqueue(tx, importUsers, { importId })
        return true
      })
    }
  },
})

/** Imports the next rows and deletes them from the table of rows, in one transaction. Returns whether the import is over. */
export async function importBatch(tx: Transaction, importId: string): Promise<boolean> {
  const [found] = await tx.select({ createdBy: imports.createdBy }).from(imports).where(eq(imports.id, importId))
  if (!found) return true
  // Users are locked first, everywhere. An admin who loses the permission imports no further row.
  const mayImport = await isStillAllowed(tx, found.createdBy)
  const [running] = await tx
    .select({ id: imports.id })
    .from(imports)
    .where(and(eq(imports.id, importId), eq(imports.status, 'running')))
    .for('update')
  if (!running) return true
  const rows = mayImport ? await findRows(tx, importId) : []
  if (rows.length === 0) {
    await endImport(tx, importId, { status: mayImport ? 'done' : 'canceled' })
    return true
  }
  await importRowsOf(tx, importId, rows, found.createdBy)
  return false
}

async function isStillAllowed(tx: Transaction, createdBy: string | null): Promise<boolean> {
  if (createdBy === null) return true
  return isAllowed((await lockUsers(tx, [createdBy])).get(createdBy), can('users.import'))
}

const todo = (importId: string) => and(eq(importRows.importId, importId), isNull(importRows.problem))

const findRows = (tx: Transaction, importId: string) =>
  tx
    .select({
      row: importRows.row,
      email: importRows.email,
      name: importRows.name,
      role: sql<NonNullable<typeof importRows.$inferSelect.role>>`${importRows.role}`,
      hash: importRows.hash,
    })
    .from(importRows)
    .where(todo(importId))
    .orderBy(asc(importRows.row))
    .limit(batchSize)

type Found = Awaited<ReturnType<typeof findRows>>[number]

async function importRowsOf(tx: Transaction, importId: string, rows: Found[], createdBy: string | null): Promise<void> {
  const created = await createUsers(tx, importId, rows, createdBy)
  const withoutHash = rows.filter(({ hash }) => hash === null)
  const taken = await findTaken(tx, withoutHash)
  const invited = withoutHash.filter(({ email }) => !taken.has(email))
  await inviteImported(tx, invited, createdBy ?? undefined)
  const done = [...rows.filter(({ email }) => created.has(email)), ...invited].map(({ row }) => row)
  const numbers = new Set(done)
  // Users who signed up since the dry run.
  const late = rows.map(({ row }) => row).filter((row) => !numbers.has(row))
  const ofImport = (which: number[]) => and(eq(importRows.importId, importId), inArray(importRows.row, which))
  if (done.length > 0) await tx.delete(importRows).where(ofImport(done))
  if (late.length > 0) await tx.update(importRows).set({ problem: 'exists', hash: null }).where(ofImport(late))
  await tx
    .update(imports)
    .set({
      imported: sql`${imports.imported} + ${created.size}`,
      invited: sql`${imports.invited} + ${invited.length}`,
      problems: sql`${imports.problems} + ${late.length}`,
    })
    .where(eq(imports.id, importId))
}

/** Creates the users who have a hash. The admin vouches for their emails. Returns the emails of those who did not exist. */
async function createUsers(
  tx: Transaction,
  importId: string,
  rows: Found[],
  createdBy: string | null,
): Promise<Set<string>> {
  const hashes = new Map(rows.flatMap(({ email, hash }) => (hash === null ? [] : [[email, hash] as const])))
  const values = rows
    .filter(({ email }) => hashes.has(email))
    .map(({ email, name, role }) => ({ email, name, role, emailVerifiedAt: sql`now()` }))
  if (values.length === 0) return new Set()
  const created = await tx
    .insert(users)
    .values(values)
    .onConflictDoNothing()
    .returning({ id: users.id, email: users.email, role: users.role })
  if (created.length === 0) return new Set()
  await tx.insert(passwords).values(created.map(({ id, email }) => ({ userId: id, hash: hashes.get(email) ?? '' })))
  const emails = created.map(({ email }) => email)
  await deleteInvitations(tx, emails)
  await recordAuditEvent(
    tx,
    'person.joined',
    ...created.map(({ id, role }) => ({
      actorId: createdBy ?? undefined,
      targetId: id,
      details: { way: 'import', role, import: importId },
    })),
  )
  return new Set(emails)
}

async function findTaken(tx: Transaction, rows: Found[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const emails = rows.map(({ email }) => email)
  const found = await tx
    .select({ email: sql<string>`lower(${users.email})` })
    .from(users)
    .where(inArray(sql`lower(${users.email})`, emails))
  return new Set(found.map(({ email }) => email))
}

/** Records the start of an import, with the number of users of each role. An import that never ends leaves this event. */
export async function recordStart(
  tx: Transaction,
  importId: string,
  by: { actorId?: string; client?: ClientInfo } = {},
): Promise<void> {
  const counts = await countRoles(importId, tx)
  const details = {
    import: importId,
    count: counts.reduce((sum, { count }) => sum + count, 0),
    ...Object.fromEntries(counts.map(({ role, count }) => [role, count])),
  }
  await recordAuditEvent(tx, 'users.import_started', { ...by, details })
}

/**
 * Ends a running import: records it, and deletes the rows that were not imported, with their hashes. The actor of the event is
 * the admin who started it: another one who cancels it has not imported anything. It has none if that admin lost the permission:
 * what ends the import then is not done by them.
 */
export async function endImport(
  tx: Transaction,
  importId: string,
  { status, canceledBy }: { status: 'done' | 'canceled'; canceledBy?: string },
): Promise<void> {
  const [ended] = await tx
    .update(imports)
    .set({ status, endedAt: sql`now()` })
    .where(eq(imports.id, importId))
    .returning({
      createdBy: imports.createdBy,
      count: imports.imported,
      invited: imports.invited,
      skipped: imports.problems,
    })
  if (!ended) return
  await tx.delete(importRows).where(todo(importId))
  const { createdBy, ...counts } = ended
  await recordAuditEvent(tx, 'users.imported', {
    actorId: status === 'done' || canceledBy ? (createdBy ?? undefined) : undefined,
    details: {
      import: importId,
      ...counts,
      ...(status === 'canceled' && { isCanceled: true }),
      ...(canceledBy && { canceledBy }),
    },
  })
}
