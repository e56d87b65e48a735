import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../../_components/user-dialog'
import { can } from '../../../../../policy'

export default async function DeleteUserDialog({ params, searchParams }: PageProps<'/admin/users/[id]/delete'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.delete'), `/admin/users/${id}/delete`)
  return <UserDialog act="delete" frame="dialog" actor={actor} id={id} query={await searchParams} />
}
