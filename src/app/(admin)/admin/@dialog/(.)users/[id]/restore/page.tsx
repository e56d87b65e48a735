import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../../_components/user-dialog'
import { can } from '../../../../../policy'

export default async function RestoreDialog({ params, searchParams }: PageProps<'/admin/users/[id]/restore'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.suspend'), `/admin/users/${id}/restore`)
  return <UserDialog act="restore" frame="dialog" actor={actor} id={id} query={await searchParams} />
}
