import { requirePermission } from '@/core/auth/session/actor'
import { UsersDialog } from '../../../_components/users-dialog'
import { can } from '../../../policy'

export const metadata = { title: 'Sign out users' }

export default async function SignOutUsersPage({ searchParams }: PageProps<'/admin/users/sign-out'>) {
  const actor = await requirePermission(can('users.sign_out'), '/admin/users')
  return <UsersDialog act="sign-out" frame="page" actor={actor} query={await searchParams} />
}
