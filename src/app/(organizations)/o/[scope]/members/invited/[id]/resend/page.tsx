import { requirePermission } from '@/core/auth/session/actor'
import { InvitationDialog } from '../../../../../../_components/invitation-dialog'
import { can } from '../../../../../../policy'

export const metadata = { title: 'Resend invitation' }

export default async function ResendPage({ params }: PageProps<'/o/[scope]/members/invited/[id]/resend'>) {
  const { scope, id } = await params
  const path = `/o/${scope}/members/invited/${id}/resend`
  const actor = await requirePermission(can('members.invite'), path, scope)
  return <InvitationDialog act="resend" actor={actor} id={id} />
}
