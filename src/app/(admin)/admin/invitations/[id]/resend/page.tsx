import { requirePermission } from '@/core/auth/session/actor'
import { InvitationDialog } from '../../../../_components/invitation-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Resend invitation' }

export default async function ResendInvitationPage({ params }: PageProps<'/admin/invitations/[id]/resend'>) {
  const { id } = await params
  await requirePermission(can('users.invite'), `/admin/invitations/${id}/resend`)
  return <InvitationDialog act="resend" frame="page" id={id} />
}
