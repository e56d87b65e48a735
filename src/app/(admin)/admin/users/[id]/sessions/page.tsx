import { getSession, requirePermission } from '@/core/auth/session/actor'
import { UserPage } from '../../../../_components/user-page'
import { UserSessions } from '../../../../_components/user-sessions'
import { can } from '../../../../policy'
import { findUserPage, requireUserId, userMetadata, userPath } from '../../../../user-page'

export const generateMetadata = userMetadata

export default async function UserSessionsPage({ params }: PageProps<'/admin/users/[id]/sessions'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.read'), userPath(id, 'sessions'))
  requireUserId(id)
  const [data, session] = await Promise.all([findUserPage(actor, id), getSession()])
  return (
    <UserPage data={data} current="sessions">
      <UserSessions user={data.user} currentSessionId={session?.id} path={userPath(id, 'sessions')} hasStart />
    </UserPage>
  )
}
