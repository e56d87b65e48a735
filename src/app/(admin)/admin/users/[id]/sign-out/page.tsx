import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Sign out everywhere' }

export default async function SignOutPage({ params, searchParams }: PageProps<'/admin/users/[id]/sign-out'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.sign_out'), `/admin/users/${id}/sign-out`)
  return <UserDialog act="sign-out" frame="page" actor={actor} id={id} query={await searchParams} />
}
