import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../../_components/user-dialog'
import { can } from '../../../../../policy'

export default async function SendResetDialog({ params, searchParams }: PageProps<'/admin/users/[id]/reset'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.reset'), `/admin/users/${id}/reset`)
  return <UserDialog act="reset" frame="dialog" actor={actor} id={id} query={await searchParams} />
}
