import 'server-only'
import { eq } from 'drizzle-orm'
import { adminRole } from '@/core/auth/roles'
import { db } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { imports } from '../schema'
import { findImport, findProblems, problemsPerPage } from './imports'
import { describeProblem } from './problems'
import { countRoles, describeRoles } from './roles'
import { importBatch, recordStart } from './run-import'
import { stageImport } from './stage'

interface ImportFile {
  name: string
  content: AsyncIterable<Uint8Array>
}

interface Options {
  /** Without it, only the report is printed. */
  isConfirmed: boolean
  print: (line: string) => void
}

/** For `npm run user -- import`: prints the report of the dry run and then imports, without an admin and without the worker. */
export async function importFile({ name, content }: ImportFile, { isConfirmed, print }: Options): Promise<void> {
  const staging = { createdBy: null, highestRole: adminRole, fileName: () => name, transact: inTransaction } as const
  const importId = await stageImport(content, staging)
  try {
    await printReport(importId, print)
    if (!isConfirmed) {
      print('Nothing was changed. Add --yes to import them.')
      return
    }
    await inTransaction(async (tx) => {
      await tx.update(imports).set({ status: 'running' }).where(eq(imports.id, importId))
      await recordStart(tx, importId)
    })
    for (let isOver = false; !isOver; ) isOver = await inTransaction((tx) => importBatch(tx, importId))
    const done = await findImport(importId)
    print(`Imported: ${done?.imported}. Invited: ${done?.invited}. Skipped: ${done?.problems}.`)
  } finally {
    await db.delete(imports).where(eq(imports.id, importId))
  }
}

async function printReport(importId: string, print: Options['print']): Promise<void> {
  for (let after = 0; ; ) {
    const page = await findProblems(importId, after, problemsPerPage)
    for (const { row, email, problem } of page) print(`Row ${row}: ${email}: ${describeProblem(problem)}`)
    const last = page.at(-1)
    if (!last) break
    after = last.row
  }
  const report = await findImport(importId)
  if (!report) return
  const { total, problems, withHash } = report
  print(`Rows: ${total}. To import: ${withHash}. To invite: ${total - problems - withHash}. To skip: ${problems}.`)
  if (total > problems) print(`Roles: ${describeRoles(await countRoles(importId))}.`)
}
