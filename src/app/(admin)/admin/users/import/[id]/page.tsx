import type { Route } from 'next'
import Link from 'next/link'
import { requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { EmptyState } from '@/core/ui/surface'
import { CancelImport, Progress, StartImport, Summary } from '../../../../_components/import-report'
import { ImportState } from '../../../../_components/import-state'
import { ProblemTable } from '../../../../_components/problem-table'
import { RefreshEvery } from '../../../../_components/refresh-every'
import { findImport } from '../../../../_import/imports'
import { countRoles } from '../../../../_import/roles'
import { can } from '../../../../policy'

export const metadata = { title: 'Import report' }

const refreshSeconds = 3

export default async function ImportReportPage({ params, searchParams }: PageProps<'/admin/users/import/[id]'>) {
  const [{ id }, { after }] = await Promise.all([params, searchParams])
  const path = `/admin/users/import/${id}`
  await requirePermission(can('users.import'), path)
  const found = await findImport(id)
  const crumbs = [
    { label: 'Users', href: '/admin/users' as Route },
    { label: 'Import users', href: '/admin/users/import' as Route },
  ]
  if (!found) {
    return (
      <Page title="Import report" crumbs={crumbs}>
        <EmptyState
          title="This import no longer exists"
          action={
            <Link href="/admin/users/import" prefetch={false} className={buttonVariants({ variant: 'outline' })}>
              Import another file
            </Link>
          }
        >
          Imports are deleted after 7 days, and after a day if they were not started.
        </EmptyState>
      </Page>
    )
  }
  const { status, fileName, problems } = found
  const roles = status === 'ready' ? await countRoles(id) : []
  const isChanging = status === 'running' || status === 'reading'
  return (
    <Page
      title="Import report"
      crumbs={crumbs}
      lead={
        <>
          {fileName || 'Unnamed file'}: <ImportState status={status} />
        </>
      }
    >
      {isChanging && <RefreshEvery seconds={refreshSeconds} />}
      <div className="grid gap-4">
        <Summary found={found} roles={roles} />
        {status === 'ready' && <StartImport found={found} roles={roles} path={path} />}
        {status === 'running' && <Progress found={found} />}
        {(status === 'ready' || status === 'running') && <CancelImport found={found} />}
        {problems > 0 && <ProblemTable importId={id} path={path} after={Number(after) || 0} total={problems} />}
      </div>
    </Page>
  )
}
