import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../../_components/user-dialog'
import { can } from '../../../../../policy'

export default async function ImpersonateDialog({ params, searchParams }: PageProps<'/admin/users/[id]/impersonate'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.impersonate'), `/admin/users/${id}/impersonate`)
  return <UserDialog act="impersonate" frame="dialog" actor={actor} id={id} query={await searchParams} />
}
