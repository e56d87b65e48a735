import Link from 'next/link'
import { getSession, requirePermission } from '@/core/auth/session/actor'
import { TitledCard } from '@/core/ui/surface'
import { AuditFeed } from '../../../_components/audit-feed'
import { UserDangerCard, UserDetailsCard, UserSecurityCard } from '../../../_components/user-cards'
import { UserPage } from '../../../_components/user-page'
import { UserSessions } from '../../../_components/user-sessions'
import { findHistory } from '../../../audit'
import { readList } from '../../../list-url'
import { can } from '../../../policy'
import {
  findFieldFacts,
  findModuleFacts,
  findUserPage,
  findWalk,
  requireUserId,
  userMetadata,
  userPath,
} from '../../../user-page'

export const generateMetadata = userMetadata

const shownSessions = 5
const shownEvents = 8

export default async function UserOverviewPage({ params, searchParams }: PageProps<'/admin/users/[id]'>) {
  const { id } = await params
  const list = readList((await searchParams).list)
  const path = userPath(id, '', list?.url)
  const actor = await requirePermission(can('users.read'), path)
  requireUserId(id)
  const [data, fieldFacts, moduleFacts, { events }, session, walk] = await Promise.all([
    findUserPage(actor, id),
    findFieldFacts(id),
    findModuleFacts(id),
    findHistory(id, {}, shownEvents),
    getSession(),
    findWalk(actor, id, '', list),
  ])
  const { user, isSelf } = data
  return (
    <UserPage data={data} current="" path={path} walk={walk}>
      {/* In one column the facts come first. On a wide screen they are beside the lists, above what is dangerous. */}
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18.75rem] lg:grid-rows-[auto_1fr] lg:gap-x-5">
        <div className="grid gap-4 lg:col-start-2">
          <UserDetailsCard user={user} fieldFacts={fieldFacts} />
          <UserSecurityCard user={user} isSelf={isSelf} moduleFacts={moduleFacts} path={path} />
        </div>
        <div className="grid gap-4 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <UserSessions
            user={user}
            sessions={user.sessions.slice(0, shownSessions)}
            currentSessionId={session?.id}
            path={path}
            footer={
              user.sessions.length > shownSessions && (
                <Link
                  href={userPath(id, 'sessions', list?.url)}
                  prefetch={false}
                  className="py-1 hover:text-foreground"
                >
                  View all {user.sessions.length} sessions
                </Link>
              )
            }
          />
          <TitledCard
            title="Recent activity"
            after={
              events.length > 0 && (
                <Link
                  href={userPath(id, 'activity', list?.url)}
                  prefetch={false}
                  className="py-1 hover:text-foreground"
                >
                  View all<span className="sr-only"> activity</span>
                </Link>
              )
            }
          >
            {events.length > 0 ? (
              <AuditFeed events={events} isOnUserPage />
            ) : (
              <p className="px-4.5 pt-2 pb-4.5 text-muted-foreground text-sm">No activity yet.</p>
            )}
          </TitledCard>
        </div>
        {!isSelf && (
          <div className="lg:col-start-2">
            <UserDangerCard user={user} path={path} />
          </div>
        )}
      </div>
    </UserPage>
  )
}
