import { requirePermission } from '@/core/auth/session/actor'
import { UsersDialog } from '../../../_components/users-dialog'
import { can } from '../../../policy'

export const metadata = { title: 'Change roles' }

export default async function ChangeRolesPage({ searchParams }: PageProps<'/admin/users/role'>) {
  const actor = await requirePermission(can('users.change_role'), '/admin/users')
  return <UsersDialog act="role" frame="page" actor={actor} query={await searchParams} />
}
