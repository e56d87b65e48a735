import { appName } from '@/brand'
import { newPasswordRules } from '@/core/auth/password/rules'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { ExpiredLinkPage, FormPage } from '@/core/ui/form-page'
import { NewPasswordField } from '@/core/ui/new-password-field'
import { UserFieldInputs } from '@/core/ui/user-field-inputs'
import { acceptInvitation } from '../actions'
import { findInvitationByToken, isOpenToInvited } from '../invitations'

/** Anyone who has the link sees the invitation. */
export const access = 'public'

export const metadata = { title: 'Join', robots: { index: false } }

/** Target of the invitation link. Opening it changes nothing, because mail scanners open links; the button does. */
export default async function JoinPage({ searchParams }: PageProps<'/join'>) {
  const { token } = await searchParams
  const invitation = typeof token === 'string' && isOpenToInvited() ? await findInvitationByToken(token) : null
  if (!invitation) {
    return (
      <ExpiredLinkPage
        lead="Invitations work once, for 7 days, and can be revoked. If you already accepted, sign in. Otherwise, ask for a new one."
        href="/signin"
        label="Sign in"
      />
    )
  }
  return (
    <FormPage title={`Join ${appName}`} lead={`You were invited as ${invitation.email}.`}>
      <ActionForm action={acceptInvitation} className="grid gap-5">
        <FormMessage />
        <input type="hidden" name="token" value={token} />
        <input type="email" name="username" autoComplete="username" value={invitation.email} readOnly hidden />
        <Field label="Name" name="name" autoComplete="name" required hint="Shown to other users." />
        <UserFieldInputs place="signup" />
        <NewPasswordField
          label="Password"
          name="password"
          autoComplete="new-password"
          required
          {...newPasswordRules()}
        />
        <SubmitButton size="form">Join</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
