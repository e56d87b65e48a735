import { requirePermission } from '@/core/auth/session/actor'
import { UsersDialog } from '../../../../_components/users-dialog'
import { can } from '../../../../policy'

export default async function SignOutUsersDialog({ searchParams }: PageProps<'/admin/users/sign-out'>) {
  const actor = await requirePermission(can('users.sign_out'), '/admin/users')
  return <UsersDialog act="sign-out" frame="dialog" actor={actor} query={await searchParams} />
}
