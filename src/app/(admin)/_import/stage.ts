import 'server-only'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Role } from '@/core/auth/roles'
import { db, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { importRows, imports } from '../schema'
import { maxRows, uploadError } from './problems'
import { readRecords } from './read-records'
import { type Row, toRow } from './to-row'

/** Rows that are held in memory, and written in one transaction. */
const batchSize = 500

interface Staging {
  createdBy: string | null
  /** No row may have a role above it. */
  highestRole: Role
  /** Known only once the file arrives. */
  fileName: () => string
  /** Runs a transaction: with the permission of the admin, or without one on the command line. */
  transact: <Data>(work: (tx: Transaction) => Promise<Data>) => Promise<Data>
}

/**
 * Reads a file into the table of rows, in batches, and finds the problem of each row: the dry run. Changes no user. Returns the
 * id of the import. After an error nothing is left of it.
 */
export async function stageImport(source: AsyncIterable<Uint8Array>, staging: Staging): Promise<string> {
  const importId = await createImport(staging)
  try {
    let count = 0
    let batch: Row[] = []
    for await (const record of readRecords(source)) {
      if (++count > maxRows) throw uploadError('rows')
      batch.push(toRow(record, staging.highestRole))
      if (batch.length < batchSize) continue
      await addRows(staging, importId, batch)
      batch = []
    }
    if (count === 0) throw uploadError('empty')
    await addRows(staging, importId, batch)
    await staging.transact((tx) =>
      tx
        .update(imports)
        .set({ status: 'ready', fileName: staging.fileName() })
        .where(and(eq(imports.id, importId), eq(imports.status, 'reading'))),
    )
    return importId
  } catch (error) {
    await db.delete(imports).where(eq(imports.id, importId))
    throw error
  }
}

/** Replaces an earlier import of the same admin that was not started, so that files do not pile up. */
function createImport({ createdBy, transact }: Staging): Promise<string> {
  return transact(async (tx) => {
    if (createdBy)
      await tx
        .delete(imports)
        .where(and(eq(imports.createdBy, createdBy), inArray(imports.status, ['reading', 'ready'])))
    const [created] = await tx.insert(imports).values({ createdBy }).returning({ id: imports.id })
    if (!created) throw new Error('the import was not created')
    return created.id
  })
}

async function addRows({ transact }: Staging, importId: string, batch: Row[]): Promise<void> {
  if (batch.length === 0) return
  await transact(async (tx) => {
    const rows = await findConflicts(tx, importId, batch)
    const problems = rows.filter(({ problem }) => problem !== null).length
    const withHash = rows.filter(({ hash }) => hash !== null).length
    const updated = await tx
      .update(imports)
      .set({
        total: sql`${imports.total} + ${rows.length}`,
        problems: sql`${imports.problems} + ${problems}`,
        withHash: sql`${imports.withHash} + ${withHash}`,
      })
      .where(and(eq(imports.id, importId), eq(imports.status, 'reading')))
      .returning({ id: imports.id })
    if (updated.length === 0) throw new AppError('conflict', 'This upload was replaced by another one.')
    await tx.insert(importRows).values(rows.map((row) => ({ ...row, importId })))
  })
}

/** Adds the problems that only the database and the other rows tell: existing users, and emails that occur twice. */
async function findConflicts(tx: Transaction, importId: string, batch: Row[]): Promise<Row[]> {
  const emails = batch.filter(({ problem }) => problem === null).map(({ email }) => email)
  if (emails.length === 0) return batch
  const found = await tx
    .select({ email: sql<string>`lower(${users.email})` })
    .from(users)
    .where(inArray(sql`lower(${users.email})`, emails))
  const earlier = await tx
    .select({ email: importRows.email })
    .from(importRows)
    .where(and(eq(importRows.importId, importId), inArray(importRows.email, emails), isNull(importRows.problem)))
  const existing = new Set(found.map(({ email }) => email))
  const seen = new Set(earlier.map(({ email }) => email))
  return batch.map((row): Row => {
    if (row.problem) return row
    if (existing.has(row.email)) return { ...row, hash: null, problem: 'exists' }
    if (seen.has(row.email)) return { ...row, hash: null, problem: 'duplicate' }
    seen.add(row.email)
    return row
  })
}
