import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../../_components/user-dialog'
import { can } from '../../../../../policy'

export default async function TurnOffTwoFactorDialog({
  params,
  searchParams,
}: PageProps<'/admin/users/[id]/two-factor'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.reset'), `/admin/users/${id}/two-factor`)
  return <UserDialog act="two-factor" frame="dialog" actor={actor} id={id} query={await searchParams} />
}
