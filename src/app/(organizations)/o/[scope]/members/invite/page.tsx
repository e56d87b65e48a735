import { defaultRole } from '@/core/auth/roles'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { DialogForm } from '@/core/ui/dialog-form'
import { TextField } from '@/core/ui/form'
import { RoleField } from '../../../../_components/role-field'
import { inviteMembers } from '../../../../actions'
import { can } from '../../../../policy'

export const metadata = { title: 'Invite members' }

export default async function InviteMembersPage({ params }: PageProps<'/o/[scope]/members/invite'>) {
  const { scope: name } = await params
  const { scope } = await requirePermission(can('members.invite'), `/o/${name}/members/invite`, name)
  const list = scopePath(scope, '/members')
  return (
    <DialogForm
      frame="page"
      title={`Invite members to ${scope.name}`}
      path={`${list}/invite`}
      cancelHref={list}
      crumbs={[{ label: 'Members', href: list }]}
      action={inviteMembers}
      fields={{ scope: scope.slug }}
      submit="Send invitations"
      isSensitive
    >
      <TextField
        label="Emails"
        name="emails"
        rows={3}
        autoComplete="off"
        spellCheck={false}
        required
        hint="Separate multiple emails with commas or new lines. Links work for 7 days."
        data-dialog-focus="field"
      />
      <RoleField selected={defaultRole} />
    </DialogForm>
  )
}
