import 'server-only'
import { and, asc, desc, eq, gt, inArray, isNotNull, lt, or, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import type { Actor } from '@/core/auth/session/actor'
import { transactionAs } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { log } from '@/core/log'
import { can } from '../policy'
import { importRows, imports } from '../schema'
import { endImport, importUsers, recordStart } from './run-import'

/** Starts an import after the dry run. It runs on behalf of this admin. */
export async function startImport(actor: Actor, importId: string): Promise<void> {
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('users.import'), async (tx) => {
    const started = await tx
      .update(imports)
      .set({ status: 'running', createdBy: actor.id })
      .where(and(eq(imports.id, importId), eq(imports.status, 'ready')))
      .returning({ id: imports.id })
    if (started.length === 0) throw new AppError('not_found', 'This import was started before, or no longer exists.')
    await recordStart(tx, importId, { actorId: actor.id, client })
    await enqueue(tx, importUsers, { importId })
  })
}

/** Stops a running import after the current rows, or discards one that was not started. Returns whether it still exists. */
export async function cancelImport(actor: Actor, importId: string): Promise<boolean> {
  return transactionAs(actor, can('users.import'), async (tx) => {
    const [found] = await tx
      .select({ status: imports.status })
      .from(imports)
      .where(and(eq(imports.id, importId), inArray(imports.status, ['reading', 'ready', 'running'])))
      .for('update')
    if (!found) throw new AppError('not_found', 'This import is over, or no longer exists.')
    if (found.status === 'running') await endImport(tx, importId, { status: 'canceled', canceledBy: actor.id })
    else await tx.delete(imports).where(eq(imports.id, importId))
    return found.status === 'running'
  })
}

/** Ends what an admin imports: their account was compromised. */
export async function endImportsOf(tx: Transaction, userId: string): Promise<void> {
  const found = await tx
    .select({ id: imports.id, status: imports.status })
    .from(imports)
    .where(and(eq(imports.createdBy, userId), inArray(imports.status, ['reading', 'ready', 'running'])))
    .for('update')
  for (const { id, status } of found) {
    if (status === 'running') await endImport(tx, id, { status: 'canceled' })
    else await tx.delete(imports).where(eq(imports.id, id))
  }
}

const columns = {
  id: imports.id,
  fileName: imports.fileName,
  status: imports.status,
  total: imports.total,
  withHash: imports.withHash,
  problems: imports.problems,
  imported: imports.imported,
  invited: imports.invited,
  createdAt: imports.createdAt,
}

export type Import = Awaited<ReturnType<typeof findImports>>[number]

/** The latest imports of all admins. */
export const findImports = () =>
  db.select(columns).from(imports).orderBy(desc(imports.createdAt), desc(imports.id)).limit(20)

export async function findImport(importId: string): Promise<Import | undefined> {
  if (!z.uuid().safeParse(importId).success) return undefined
  const [found] = await db.select(columns).from(imports).where(eq(imports.id, importId))
  return found
}

export const problemsPerPage = 100

/** Rows with a problem, in the order of the file. One more than fits on a page, which tells that there is another. */
export const findProblems = (importId: string, after = 0, limit = problemsPerPage + 1) =>
  db
    .select({
      row: importRows.row,
      email: importRows.email,
      problem: sql<NonNullable<typeof importRows.$inferSelect.problem>>`${importRows.problem}`,
    })
    .from(importRows)
    .where(and(eq(importRows.importId, importId), isNotNull(importRows.problem), gt(importRows.row, after)))
    .orderBy(asc(importRows.row))
    .limit(limit)

/** Deletes imports after a week, and after a day those that were not started: their rows contain hashes. */
export const pruneImports = defineJob('admin.prune_imports', {
  data: z.object({}),
  cron: '47 * * * *',
  run: async () => {
    const isWaiting = inArray(imports.status, ['reading', 'ready'])
    const { rowCount: oldImports } = await db
      .delete(imports)
      .where(
        or(
          lt(imports.createdAt, sql`now() - interval '7 days'`),
          and(isWaiting, lt(imports.createdAt, sql`now() - interval '1 day'`)),
        ),
      )
    log.info({ oldImports }, 'expired rows deleted')
  },
})
