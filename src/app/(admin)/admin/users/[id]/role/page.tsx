import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Change role' }

export default async function ChangeRolePage({ params, searchParams }: PageProps<'/admin/users/[id]/role'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.change_role'), `/admin/users/${id}/role`)
  return <UserDialog act="role" frame="page" actor={actor} id={id} query={await searchParams} />
}
