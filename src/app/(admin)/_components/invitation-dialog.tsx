import type { Route } from 'next'
import Link from 'next/link'
import { z } from 'zod'
import { defaultRole } from '@/core/auth/roles'
import { DialogForm } from '@/core/ui/dialog-form'
import { TextField } from '@/core/ui/form'
import { inviteUsers, resendInvitation, revokeInvitation } from '../actions'
import { findInvitedEmail, isOpenToInvited } from '../invitations'
import { RoleField } from './role-field'

type Frame = 'dialog' | 'page'

const list = '/admin/invitations'
const frameProps = (frame: Frame, path: string) => ({
  frame,
  path,
  cancelHref: list as Route,
  crumbs: [{ label: 'Invitations', href: list as Route }],
  isSensitive: true,
})
const closedReason = () =>
  isOpenToInvited() ? undefined : 'Sign-up is closed. Set AUTH_SIGNUP to invite or open to send invitations.'

export const NewInvitationDialog = ({ frame, canImport }: { frame: Frame; canImport: boolean }) => (
  <DialogForm
    {...frameProps(frame, `${list}/new`)}
    title="Invite users"
    reason={closedReason()}
    action={inviteUsers}
    fields={{ returnTo: list }}
    submit="Send invitations"
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
    {canImport && (
      <p className="text-muted-foreground text-sm">
        Have a list of users?{' '}
        <Link href="/admin/users/import" prefetch={false} className="underline underline-offset-4">
          Import a file
        </Link>
      </p>
    )}
  </DialogForm>
)

/** What an admin is about to do to an invitation, as a dialog or as a page. The caller has checked the permission. */
export async function InvitationDialog({ act, frame, id }: { act: 'resend' | 'revoke'; frame: Frame; id: string }) {
  const email = z.uuid().safeParse(id).success ? await findInvitedEmail(id) : undefined
  const props = { ...frameProps(frame, `${list}/${id}/${act}`), fields: { id, returnTo: list } }
  const missingReason = email ? undefined : 'This invitation no longer exists.'
  if (act === 'resend') {
    return (
      <DialogForm
        {...props}
        title={`Resend the invitation${email ? ` to ${email}` : ''}?`}
        consequences={['Sends a new link, which works for 7 days.', 'Earlier links stop working.']}
        reason={missingReason ?? closedReason()}
        action={resendInvitation}
        submit="Resend"
      />
    )
  }
  return (
    <DialogForm
      {...props}
      title={`Revoke the invitation${email ? ` of ${email}` : ''}?`}
      consequences={['The link in their email stops working.', 'You can invite them again.']}
      reason={missingReason}
      action={revokeInvitation}
      submit="Revoke"
      isDangerous
    />
  )
}
