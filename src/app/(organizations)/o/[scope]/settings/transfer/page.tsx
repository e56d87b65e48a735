import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { DialogForm } from '@/core/ui/dialog-form'
import { SelectField } from '@/core/ui/form'
import { transferOrganization } from '../../../../actions'
import { findOtherMembers } from '../../../../members'
import { can } from '../../../../policy'

export const metadata = { title: 'Transfer organization' }

export default async function TransferPage({ params }: PageProps<'/o/[scope]/settings/transfer'>) {
  const { scope: name } = await params
  const actor = await requirePermission(can('organization.transfer'), `/o/${name}/settings/transfer`, name)
  const { scope } = actor
  const others = await findOtherMembers(actor)
  const settings = scopePath(scope, '/settings')
  return (
    <DialogForm
      frame="page"
      title={`Transfer ${scope.name}`}
      path={`${settings}/transfer`}
      cancelHref={settings}
      crumbs={[{ label: 'Settings', href: settings }]}
      consequences={['They become an admin and you become an editor.']}
      reason={others.length === 0 ? 'There’s no other active member. Invite one first.' : undefined}
      action={transferOrganization}
      fields={{ scope: scope.slug }}
      submit="Transfer"
      isSensitive
    >
      <SelectField label="Member" name="userId">
        {others.map(({ id, name: memberName, email }) => (
          <option key={id} value={id}>
            {memberName} ({email})
          </option>
        ))}
      </SelectField>
    </DialogForm>
  )
}
