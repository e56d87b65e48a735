import type { Route } from 'next'
import Link from 'next/link'
import { requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { TitledCard } from '@/core/ui/surface'
import { AuditFeed } from '../../../../_components/audit-feed'
import { UserPage } from '../../../../_components/user-page'
import { EventQuery, findHistory } from '../../../../audit'
import { readList } from '../../../../list-url'
import { can } from '../../../../policy'
import { findUserPage, findWalk, requireUserId, userMetadata, userPath } from '../../../../user-page'

export const generateMetadata = userMetadata

export default async function UserActivityPage({ params, searchParams }: PageProps<'/admin/users/[id]/activity'>) {
  const { id } = await params
  const { list: givenList, ...query } = await searchParams
  const list = readList(givenList)
  const path = userPath(id, 'activity', list?.url)
  const actor = await requirePermission(can('users.read'), path)
  requireUserId(id)
  const { before, after } = EventQuery.parse(query)
  const [data, { events, older }, walk] = await Promise.all([
    findUserPage(actor, id),
    findHistory(id, { before, after }),
    findWalk(actor, id, 'activity', list),
  ])
  const isFirstPage = before === undefined && after === undefined
  return (
    <UserPage data={data} current="activity" path={path} walk={walk}>
      <TitledCard
        title="Activity"
        footer={
          (!isFirstPage || older !== undefined) && (
            <>
              {!isFirstPage && <PageLink href={path}>Newest</PageLink>}
              {older !== undefined && <PageLink href={pathWithQuery(path, { before: older })}>Older</PageLink>}
            </>
          )
        }
      >
        {events.length > 0 ? (
          <AuditFeed events={events} isOnUserPage />
        ) : (
          <p className="px-4.5 pt-2 pb-4.5 text-muted-foreground text-sm">
            {isFirstPage ? 'No activity yet.' : 'No older activity.'}
          </p>
        )}
      </TitledCard>
    </UserPage>
  )
}

function PageLink({ href, children }: { href: Route; children: string }) {
  return (
    <Link href={href} prefetch={false} className={buttonVariants({ variant: 'outline', size: 'small' })}>
      {children}
    </Link>
  )
}
