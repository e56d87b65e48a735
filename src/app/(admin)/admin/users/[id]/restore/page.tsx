import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Restore user' }

export default async function RestorePage({ params, searchParams }: PageProps<'/admin/users/[id]/restore'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.suspend'), `/admin/users/${id}/restore`)
  return <UserDialog act="restore" frame="page" actor={actor} id={id} query={await searchParams} />
}
