import { ScrollText } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { requirePermission } from '@/core/auth/session/actor'
import { getTimeFormat } from '@/core/time/get-time-format'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { EmptyState } from '@/core/ui/surface'
import { AuditFeed } from '../../_components/audit-feed'
import { AuditFilters } from '../../_components/audit-filters'
import { ExportLink } from '../../_components/export-link'
import { EventQuery, findEvents, findKinds } from '../../audit'
import { recordFirstAccess } from '../../list-users'
import { can } from '../../policy'

export const metadata = { title: 'Audit log' }

export default async function AuditPage({ searchParams }: PageProps<'/admin/audit'>) {
  const actor = await requirePermission(can('audit.read'), '/admin/audit')
  const query = EventQuery.parse(await searchParams)
  const times = await getTimeFormat()
  const [{ events, older, newer, matches }, kinds] = await Promise.all([findEvents(query, times), findKinds()])
  if (query.user && matches && matches.names.length > 0)
    await recordFirstAccess('search', actor.id, { search: query.user }, matches.names.length)
  const { before, after, ...filter } = query
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const pageHref = (cursor: { before?: string | undefined; after?: string | undefined }) =>
    pathWithQuery('/admin/audit', { ...filter, ...cursor })
  return (
    <Page
      title="Audit log"
      crumbs={[{ label: 'Admin', href: '/admin' }]}
      actions={
        !matches?.hasMore && (
          <ExportLink
            href={pathWithQuery('/api/admin/audit/export' as Route, filter)}
            from={pageHref({ before, after })}
          />
        )
      }
      lead={`What happened, and who did it. You can’t edit or delete events. Times are in ${times.timeZone}.`}
    >
      <AuditFilters filter={filter} kinds={kinds} times={times} />
      {matches && matches.names.length > 0 && (
        <p role="status" className="mb-3 text-muted-foreground text-sm">
          Events by or about {listFormat.format(matches.names)}.
          {matches.hasMore && ' More users match: type more of the name or email.'}
        </p>
      )}
      {events.length > 0 ? <AuditFeed events={events} hasDays /> : <NoEvents isFiltered={isFiltered} />}
      <nav aria-label="Pages" className="mt-4 flex justify-end gap-2 empty:hidden">
        {newer !== undefined && (
          <Link href={pageHref({ after: newer })} prefetch={false} className={pageLinkClass}>
            Newer
          </Link>
        )}
        {older !== undefined && (
          <Link href={pageHref({ before: older })} prefetch={false} className={pageLinkClass}>
            Older
          </Link>
        )}
      </nav>
    </Page>
  )
}

const listFormat = new Intl.ListFormat('en')
const pageLinkClass = buttonVariants({ variant: 'outline', size: 'small' })

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyState icon={ScrollText} title="No events yet">
        Sign-ins, account changes and admin actions will appear here.
      </EmptyState>
    )
  return (
    <EmptyState
      title="No matching events"
      action={
        <Link href="/admin/audit" prefetch={false} className={buttonVariants({ variant: 'outline' })}>
          Clear filters
        </Link>
      }
    >
      Search by name, email or user ID. Deleted users can only be found by ID.
    </EmptyState>
  )
}
