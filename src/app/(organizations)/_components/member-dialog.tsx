import { z } from 'zod'
import { type Scope, type ScopeMember, scopePath } from '@/core/scope'
import { DialogForm } from '@/core/ui/dialog-form'
import { changeMemberRole, removeMember } from '../actions'
import { findMember } from '../members'
import { RoleField } from './role-field'

/** What an admin is about to do to a member. The caller has checked the permission. */
export async function MemberDialog({
  act,
  actor,
  id,
}: {
  act: 'role' | 'remove'
  actor: ScopeMember & { scope: Scope }
  id: string
}) {
  const { slug, name: organization } = actor.scope
  const member = z.uuid().safeParse(id).success ? await findMember(actor, id) : undefined
  const list = scopePath({ slug }, '/members')
  const props = {
    frame: 'page' as const,
    path: `${list}/${id}/${act}`,
    cancelHref: list,
    crumbs: [{ label: 'Members', href: list }],
    fields: { scope: slug, userId: id },
    isSensitive: true,
    reason: reasonFor(member, organization),
  }
  if (act === 'role')
    return (
      <DialogForm
        {...props}
        title={`Change the role of ${member?.name ?? 'a former member'}`}
        action={changeMemberRole}
        submit="Change role"
      >
        {member && <RoleField selected={member.role} />}
      </DialogForm>
    )
  return (
    <DialogForm
      {...props}
      title={`Remove ${member?.name ?? 'a former member'} from ${organization}?`}
      consequences={[
        `They lose access to everything in ${organization} at once.`,
        'What they created stays.',
        'You can invite them again.',
      ]}
      action={removeMember}
      submit="Remove"
      isDangerous
    />
  )
}

function reasonFor(member: { isLastAdmin: boolean; name: string } | undefined, organization: string) {
  if (!member) return 'This user is no longer a member.'
  if (!member.isLastAdmin) return undefined
  return `${member.name} is the last admin of ${organization}. Make another member an admin first.`
}
