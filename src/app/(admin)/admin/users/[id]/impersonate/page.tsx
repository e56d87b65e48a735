import { requirePermission } from '@/core/auth/session/actor'
import { UserDialog } from '../../../../_components/user-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Impersonate user' }

export default async function ImpersonatePage({ params, searchParams }: PageProps<'/admin/users/[id]/impersonate'>) {
  const { id } = await params
  const actor = await requirePermission(can('users.impersonate'), `/admin/users/${id}/impersonate`)
  return <UserDialog act="impersonate" frame="page" actor={actor} id={id} query={await searchParams} />
}
