import { requirePermission } from '@/core/auth/session/actor'
import { UsersDialog } from '../../../../_components/users-dialog'
import { can } from '../../../../policy'

export default async function SuspendUsersDialog({ searchParams }: PageProps<'/admin/users/suspend'>) {
  const actor = await requirePermission(can('users.suspend'), '/admin/users')
  return <UsersDialog act="suspend" frame="dialog" actor={actor} query={await searchParams} />
}
