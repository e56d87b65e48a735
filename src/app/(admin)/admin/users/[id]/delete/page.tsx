import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Delete user' }

export default async function DeleteUserPage({ params, searchParams }: PageProps<'/admin/users/[id]/delete'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.delete'), `/admin/users/${id}/delete`)
  return <UserDialog act="delete" frame="page" actor={actor} id={id} query={await searchParams} />
}
