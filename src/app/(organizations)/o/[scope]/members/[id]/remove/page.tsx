import { requirePermission } from '@/core/auth/session/actor'
import { MemberDialog } from '../../../../../_components/member-dialog'
import { can } from '../../../../../policy'

export const metadata = { title: 'Remove member' }

export default async function MemberRemovePage({ params }: PageProps<'/o/[scope]/members/[id]/remove'>) {
  const { scope, id } = await params
  const actor = await requirePermission(can('members.remove'), `/o/${scope}/members/${id}/remove`, scope)
  return <MemberDialog act="remove" actor={actor} id={id} />
}
