import { requirePermission } from '@/core/auth/session/actor'
import { InvitationDialog } from '../../../../../_components/invitation-dialog'
import { can } from '../../../../../policy'

export default async function RevokeInvitationDialog({ params }: PageProps<'/admin/invitations/[id]/revoke'>) {
  const { id } = await params
  await requirePermission(can('users.invite'), `/admin/invitations/${id}/revoke`)
  return <InvitationDialog act="revoke" frame="dialog" id={id} />
}
