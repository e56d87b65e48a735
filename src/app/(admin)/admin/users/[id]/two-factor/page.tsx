import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Turn off two-factor' }

export default async function TurnOffTwoFactorPage({
  params,
  searchParams,
}: PageProps<'/admin/users/[id]/two-factor'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.reset'), `/admin/users/${id}/two-factor`)
  return <UserDialog act="two-factor" frame="page" actor={actor} id={id} query={await searchParams} />
}
