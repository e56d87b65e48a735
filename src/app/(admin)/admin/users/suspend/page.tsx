import { requirePermission } from '@/core/auth/session/actor'
import { UsersDialog } from '../../../_components/users-dialog'
import { can } from '../../../policy'

export const metadata = { title: 'Suspend users' }

export default async function SuspendUsersPage({ searchParams }: PageProps<'/admin/users/suspend'>) {
  const actor = await requirePermission(can('users.suspend'), '/admin/users')
  return <UsersDialog act="suspend" frame="page" actor={actor} query={await searchParams} />
}
