import { ScrollText } from 'lucide-react'
import Link from 'next/link'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { EmptyState } from '@/core/ui/surface'
import { EventFeed } from '../../../_components/event-feed'
import { EventQuery, findEvents } from '../../../audit'
import { can } from '../../../policy'

export const metadata = { title: 'Audit log' }

export default async function OrganizationAuditPage({ params, searchParams }: PageProps<'/o/[scope]/audit'>) {
  const { scope: name } = await params
  const actor = await requirePermission(can('organization.audit'), `/o/${name}/audit`, name)
  const { events, older } = await findEvents(actor, EventQuery.parse(await searchParams))
  return (
    <Page title="Audit log" lead={`What happened in ${actor.scope.name}.`}>
      {events.length === 0 ? (
        <EmptyState icon={ScrollText} title="No events">
          Changes to members and settings appear here.
        </EmptyState>
      ) : (
        <EventFeed events={events} />
      )}
      {older && (
        <p className="mt-3">
          <Link
            href={pathWithQuery(scopePath(actor.scope, '/audit'), { before: older })}
            prefetch={false}
            className={buttonVariants({ variant: 'outline', size: 'small' })}
          >
            Older events
          </Link>
        </p>
      )}
    </Page>
  )
}
