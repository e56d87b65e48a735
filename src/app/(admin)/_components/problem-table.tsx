import type { Route } from 'next'
import Link from 'next/link'
import { buttonVariants } from '@/core/ui/button'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { findProblems, problemsPerPage } from '../_import/imports'
import { describeProblem } from '../_import/problems'

/** The rows of the file that are skipped, and why. */
export async function ProblemTable({
  importId,
  path,
  after,
  total,
}: {
  importId: string
  path: string
  /** The last row of the page before. */
  after: number
  total: number
}) {
  const isRow = Number.isInteger(after) && after > 0 && after < 2 ** 31
  const found = await findProblems(importId, isRow ? after : 0)
  const rows = found.slice(0, problemsPerPage)
  const next = found.length > problemsPerPage ? rows.at(-1)?.row : undefined
  return (
    <div className="grid gap-3">
      <h2 className="font-[550] text-sm">Skipped rows ({total.toLocaleString('en')})</h2>
      <Table label="Skipped rows">
        <TableHead>
          <tr>
            <TableHeading>Row</TableHeading>
            <TableHeading>Email</TableHeading>
            <TableHeading>Problem</TableHeading>
          </tr>
        </TableHead>
        <TableBody>
          {rows.map(({ row, email, problem }) => (
            <TableRow key={row}>
              <TableCell className="text-muted-foreground">{row}</TableCell>
              <TableCell className="wrap-anywhere">{email}</TableCell>
              <TableCell>{describeProblem(problem)}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
      {(next !== undefined || isRow) && (
        <nav aria-label="Pages" className="flex gap-2">
          {isRow && (
            <Link href={path as Route} prefetch={false} className={buttonVariants({ variant: 'outline' })}>
              First page
            </Link>
          )}
          {next !== undefined && (
            <Link
              href={`${path}?after=${next}` as Route}
              prefetch={false}
              className={buttonVariants({ variant: 'outline' })}
            >
              Next page
            </Link>
          )}
        </nav>
      )}
    </div>
  )
}
