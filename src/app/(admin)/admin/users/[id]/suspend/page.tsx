import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Suspend user' }

export default async function SuspendPage({ params, searchParams }: PageProps<'/admin/users/[id]/suspend'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.suspend'), `/admin/users/${id}/suspend`)
  return <UserDialog act="suspend" frame="page" actor={actor} id={id} query={await searchParams} />
}
