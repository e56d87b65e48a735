import { z } from 'zod'
import { type Scope, type ScopeMember, scopePath } from '@/core/scope'
import { DialogForm } from '@/core/ui/dialog-form'
import { resendMemberInvitation, revokeMemberInvitation } from '../actions'
import { findInvitedEmail } from '../invitations'

/** What an admin is about to do to an invitation. The caller has checked the permission. */
export async function InvitationDialog({
  act,
  actor,
  id,
}: {
  act: 'resend' | 'revoke'
  actor: ScopeMember & { scope: Scope }
  id: string
}) {
  const { slug } = actor.scope
  const email = z.uuid().safeParse(id).success ? await findInvitedEmail(actor, id) : undefined
  const list = scopePath({ slug }, '/members/invited')
  const props = {
    frame: 'page' as const,
    path: `${list}/${id}/${act}`,
    cancelHref: list,
    crumbs: [{ label: 'Invited', href: list }],
    fields: { scope: slug, id },
    isSensitive: true,
    reason: email ? undefined : 'This invitation no longer exists.',
  }
  if (act === 'resend')
    return (
      <DialogForm
        {...props}
        title={`Resend the invitation${email ? ` to ${email}` : ''}?`}
        consequences={['Sends a new link, which works for 7 days.', 'Earlier links stop working.']}
        action={resendMemberInvitation}
        submit="Resend"
      />
    )
  return (
    <DialogForm
      {...props}
      title={`Revoke the invitation${email ? ` for ${email}` : ''}?`}
      consequences={['The link in their email stops working.', 'You can invite them again.']}
      action={revokeMemberInvitation}
      submit="Revoke"
      isDangerous
    />
  )
}
