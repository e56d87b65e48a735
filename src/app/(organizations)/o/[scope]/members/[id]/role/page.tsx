import { requirePermission } from '@/core/auth/session/actor'
import { MemberDialog } from '../../../../../_components/member-dialog'
import { can } from '../../../../../policy'

export const metadata = { title: 'Change role' }

export default async function MemberRolePage({ params }: PageProps<'/o/[scope]/members/[id]/role'>) {
  const { scope, id } = await params
  const actor = await requirePermission(can('members.change_role'), `/o/${scope}/members/${id}/role`, scope)
  return <MemberDialog act="role" actor={actor} id={id} />
}
