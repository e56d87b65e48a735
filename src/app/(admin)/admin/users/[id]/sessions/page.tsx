import { getSession, requirePermission } from '@/core/auth/session/actor'
import { UserPage } from '../../../../_components/user-page'
import { UserSessions } from '../../../../_components/user-sessions'
import { readList } from '../../../../list-url'
import { can } from '../../../../policy'
import { findUserPage, findWalk, requireUserId, userMetadata, userPath } from '../../../../user-page'

export const generateMetadata = userMetadata

export default async function UserSessionsPage({ params, searchParams }: PageProps<'/admin/users/[id]/sessions'>) {
  const { id } = await params
  const list = readList((await searchParams).list)
  const path = userPath(id, 'sessions', list?.url)
  const actor = await requirePermission(can('users.read'), path)
  requireUserId(id)
  const [data, session, walk] = await Promise.all([
    findUserPage(actor, id),
    getSession(),
    findWalk(actor, id, 'sessions', list),
  ])
  return (
    <UserPage data={data} current="sessions" path={path} walk={walk}>
      <UserSessions user={data.user} currentSessionId={session?.id} path={path} hasStart />
    </UserPage>
  )
}
