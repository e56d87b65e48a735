import { UserPlus } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import { requirePermission } from '@/core/auth/session/actor'
import { AppError } from '@/core/errors'
import { buttonVariants } from '@/core/ui/button'
import { MenuNavigation } from '@/core/ui/menu-navigation'
import { Page } from '@/core/ui/page'
import { SelectionForm } from '@/core/ui/selection-form'
import { EmptyState } from '@/core/ui/surface'
import { ExportLink } from '../../_components/export-link'
import { ListFooter } from '../../_components/list-footer'
import { SelectionBar } from '../../_components/selection-bar'
import { UserFilters } from '../../_components/user-filters'
import { UserTable } from '../../_components/user-table'
import { UserTabs } from '../../_components/user-tabs'
import { changedListUrl, exportUrl, listUrl } from '../../list-url'
import { listUserRows } from '../../list-users'
import { can } from '../../policy'
import { countTabs, formatRange } from '../../user-counts'
import { type PageQuery, parsePageQuery } from '../../user-query'

export const metadata = { title: 'Users' }

export default async function UsersPage({ searchParams }: PageProps<'/admin/users'>) {
  const { done, ...params } = await searchParams
  const query = parsePageQuery(params)
  const actor = await requirePermission(can('users.read'), listUrl(query))
  const [{ users, secondFactors, previousCursor, nextCursor }, { total, tabs }] = await Promise.all([
    findPage(actor.id, query),
    countTabs(query),
  ])
  const isFirst = previousCursor === null
  const range = formatRange(total, { shown: users.length, isFirst, isLast: nextCursor === null })
  return (
    <Page
      title="Users"
      crumbs={[{ label: 'Admin', href: '/admin/overview' }]}
      lead="Everyone with an account, and what they can do."
      actions={<ExportLink href={exportUrl(query)} from={listUrl(query)} />}
      primary={
        <Link href={'/admin/invitations/new' as Route} prefetch={false} className={buttonVariants()}>
          <UserPlus aria-hidden="true" />
          <span>
            Invite<span className="max-sm:sr-only"> users</span>
          </span>
        </Link>
      }
    >
      <UserTabs current={query.status ?? 'all'} query={query} counts={tabs} />
      <MenuNavigation>
        <UserFilters query={query} />
        {users.length === 0 ? (
          <NoUsers query={query} />
        ) : (
          // Another list, or the list after an action, begins without a selection.
          <SelectionForm key={done ? crypto.randomUUID() : listUrl(query)} action="/admin/users/role">
            <UserTable users={users} secondFactors={secondFactors} actorId={actor.id} query={query} />
            <SelectionBar />
            <input type="hidden" name="from" value={listUrl(query)} />
          </SelectionForm>
        )}
        {users.length > 0 && (
          <ListFooter range={range} query={query} previousCursor={previousCursor} nextCursor={nextCursor} />
        )}
      </MenuNavigation>
    </Page>
  )
}

async function findPage(actorId: string, query: PageQuery) {
  try {
    return await listUserRows(actorId, query)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_input') redirect(changedListUrl(query, {}))
    throw error
  }
}

function NoUsers({ query }: { query: PageQuery }) {
  const isFiltered = Boolean(query.search || query.role || query.seen || query.status)
  return (
    <EmptyState
      title={isFiltered ? 'No users match' : 'This page is empty'}
      action={
        <Link href="/admin/users" prefetch={false} className={buttonVariants({ variant: 'outline' })}>
          {isFiltered ? 'Clear filters' : 'Back to first page'}
        </Link>
      }
    >
      {query.search
        ? 'Try the start of a name or email, or a full user ID.'
        : isFiltered
          ? 'Remove a filter to see more users.'
          : 'Some users were deleted in the meantime.'}
    </EmptyState>
  )
}
