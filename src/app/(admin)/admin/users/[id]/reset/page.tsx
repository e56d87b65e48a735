import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Send password reset' }

export default async function SendResetPage({ params, searchParams }: PageProps<'/admin/users/[id]/reset'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.reset'), `/admin/users/${id}/reset`)
  return <UserDialog act="reset" frame="page" actor={actor} id={id} query={await searchParams} />
}
