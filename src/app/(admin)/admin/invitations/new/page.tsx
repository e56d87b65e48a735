import { isAllowed } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { NewInvitationDialog } from '../../../_components/invitation-dialog'
import { can } from '../../../policy'

export const metadata = { title: 'Invite users' }

export default async function InvitePage() {
  const { role } = await requirePermission(can('users.invite'), '/admin/invitations/new')
  return <NewInvitationDialog frame="page" canImport={isAllowed(role, can('users.import'))} />
}
