import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { DialogForm } from '@/core/ui/dialog-form'
import { leaveOrganization } from '../../../../actions'
import { findMember } from '../../../../members'
import { can } from '../../../../policy'

export const metadata = { title: 'Leave organization' }

export default async function LeavePage({ params }: PageProps<'/o/[scope]/settings/leave'>) {
  const { scope: name } = await params
  const actor = await requirePermission(can('members.leave'), `/o/${name}/settings/leave`, name)
  const { scope } = actor
  const member = await findMember(actor, actor.id)
  const settings = scopePath(scope, '/settings')
  return (
    <DialogForm
      frame="page"
      title={`Leave ${scope.name}?`}
      path={`${settings}/leave`}
      cancelHref={member?.isLastAdmin ? scopePath(scope, '/members') : settings}
      crumbs={[{ label: 'Settings', href: settings }]}
      consequences={[`You’ll lose access to everything in ${scope.name}.`, 'An admin can invite you again.']}
      reason={
        member?.isLastAdmin ? `You’re the last admin of ${scope.name}. Make another member an admin first.` : undefined
      }
      action={leaveOrganization}
      fields={{ scope: scope.slug }}
      submit="Leave organization"
      isDangerous
    />
  )
}
