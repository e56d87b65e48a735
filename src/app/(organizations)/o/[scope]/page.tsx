import { redirect } from 'next/navigation'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { scopePagesFor } from '@/core/search/commands'
import { can } from '../../policy'

/** The first page of the organization that the member may open. */
export default async function OrganizationPage({ params }: PageProps<'/o/[scope]'>) {
  const { scope: name } = await params
  const { scope } = await requirePermission(can('members.read'), `/o/${name}`, name)
  redirect(scopePagesFor(scope)[0]?.href ?? scopePath(scope, '/members'))
}
