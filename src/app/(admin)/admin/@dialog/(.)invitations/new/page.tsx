import { isAllowed } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { NewInvitationDialog } from '../../../../_components/invitation-dialog'
import { can } from '../../../../policy'

export default async function InviteDialog() {
  const { role } = await requirePermission(can('users.invite'), '/admin/invitations/new')
  return <NewInvitationDialog frame="dialog" canImport={isAllowed(role, can('users.import'))} />
}
