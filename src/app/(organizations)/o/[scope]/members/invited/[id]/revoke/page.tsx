import { requirePermission } from '@/core/auth/session/actor'
import { InvitationDialog } from '../../../../../../_components/invitation-dialog'
import { can } from '../../../../../../policy'

export const metadata = { title: 'Revoke invitation' }

export default async function RevokePage({ params }: PageProps<'/o/[scope]/members/invited/[id]/revoke'>) {
  const { scope, id } = await params
  const path = `/o/${scope}/members/invited/${id}/revoke`
  const actor = await requirePermission(can('members.invite'), path, scope)
  return <InvitationDialog act="revoke" actor={actor} id={id} />
}
