import { Upload } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { defaultRole, roles } from '@/core/auth/roles'
import { getSession, requirePermission } from '@/core/auth/session/actor'
import { Button, buttonVariants } from '@/core/ui/button'
import { hintClass } from '@/core/ui/control'
import { Facts } from '@/core/ui/facts'
import { Input, Label } from '@/core/ui/input'
import { Page } from '@/core/ui/page'
import { reauthenticationPath } from '@/core/ui/reauthenticate'
import { RelativeTime } from '@/core/ui/relative-time'
import { Alert, Card, TitledCard } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { ImportState } from '../../../_components/import-state'
import { findImports, type Import } from '../../../_import/imports'
import { describeUploadProblem, maxMegabytes, maxRows } from '../../../_import/problems'
import { can } from '../../../policy'

export const metadata = { title: 'Import users' }

const path = '/admin/users/import'

export default async function ImportPage({ searchParams }: PageProps<'/admin/users/import'>) {
  await requirePermission(can('users.import'), path)
  const [{ problem }, session, imports] = await Promise.all([searchParams, getSession(), findImports()])
  const problemText = describeUploadProblem(problem)
  return (
    <Page
      title="Import users"
      crumbs={[{ label: 'Users', href: '/admin/users' }]}
      lead="From a CSV or JSON file. You’ll see a report first; nothing changes until you start the import."
      isNarrow
    >
      <div className="grid gap-4">
        {problemText && (
          <Alert tone="danger" role="alert">
            {problemText}
          </Alert>
        )}
        <Card>{session?.isReauthenticated ? <UploadForm /> : <ConfirmFirst />}</Card>
        <Columns />
        {imports.length > 0 && <RecentImports imports={imports} />}
      </div>
    </Page>
  )
}

/** A plain form: the file is read while it is sent, which no server action can do. */
const UploadForm = () => (
  <form
    action="/api/admin/users/import"
    method="post"
    encType="multipart/form-data"
    className="grid justify-items-start gap-3"
  >
    <div className="grid w-full gap-1.5">
      <Label htmlFor="import-file">File</Label>
      <Input
        id="import-file"
        type="file"
        name="file"
        accept=".csv,.json,.jsonl,.ndjson,text/csv,application/json"
        required
        aria-describedby="import-file-hint"
      />
      <p id="import-file-hint" className={hintClass}>
        Up to {maxRows.toLocaleString('en')} rows and {maxMegabytes} MB, in UTF-8.
      </p>
    </div>
    <Button type="submit">
      <Upload aria-hidden="true" />
      Check file
    </Button>
  </form>
)

const ConfirmFirst = () => (
  <div className="grid justify-items-start gap-3">
    <p className="text-muted-foreground text-sm">
      An import can create users with any role. Confirm it’s you before you choose a file.
    </p>
    <a href={reauthenticationPath(path)} className={buttonVariants({ variant: 'outline' })}>
      Confirm it’s you
    </a>
  </div>
)

const Columns = () => (
  <TitledCard title="Columns">
    <Facts
      facts={[
        { label: 'email', value: 'Required' },
        { label: 'name', value: 'The start of the email if empty' },
        { label: 'role', value: `${roles.join(', ')}; ${defaultRole} if empty` },
        { label: 'hash', value: 'argon2id, bcrypt, scrypt or PBKDF2; an invitation if empty' },
        { label: 'email_verified', value: 'An invitation if false or empty' },
      ]}
    />
  </TitledCard>
)

const RecentImports = ({ imports }: { imports: Import[] }) => (
  <Table label="Recent imports">
    <TableHead>
      <tr>
        <TableHeading>Recent imports</TableHeading>
        <TableHeading>State</TableHeading>
        <TableHeading>Uploaded</TableHeading>
      </tr>
    </TableHead>
    <TableBody>
      {imports.map(({ id, fileName, status, createdAt }) => (
        <TableRow key={id}>
          <TableCell>
            <Link
              href={`${path}/${id}` as Route}
              prefetch={false}
              className="wrap-anywhere font-medium hover:underline"
            >
              {fileName || 'Unnamed file'}
            </Link>
          </TableCell>
          <TableCell>
            <ImportState status={status} />
          </TableCell>
          <TableCell className="whitespace-nowrap text-muted-foreground">
            <RelativeTime at={createdAt} />
          </TableCell>
        </TableRow>
      ))}
    </TableBody>
  </Table>
)
