import { passwordHint } from '@/core/auth/people'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { acceptInvitation } from '../actions'
import { isOpenToInvited, lookAtInvitation } from '../invitations'

export const metadata = { title: 'Join', robots: { index: false } }

/** Behind the link in the mail. Opening it makes nobody, for programs open links too; the button does. */
export default async function JoinPage({ searchParams }: PageProps<'/join'>) {
  const { token } = await searchParams
  const invitation = typeof token === 'string' && isOpenToInvited() ? await lookAtInvitation(token) : null
  if (!invitation) {
    return (
      <FormPage
        title="This link does not work any more"
        lead="An invitation works once, for a week, until it is taken back. Perhaps you have used it: then sign in. Otherwise ask for another."
      >
        <a href="/signin" className={buttonVariants()}>
          Sign in
        </a>
      </FormPage>
    )
  }
  return (
    <FormPage title="Join" lead={`You are invited as ${invitation.email}.`}>
      <ActionForm action={acceptInvitation} className="grid gap-5">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <input type="hidden" name="token" value={token} />
        <input type="email" name="username" autoComplete="username" value={invitation.email} readOnly hidden />
        <Field label="Name" name="name" autoComplete="name" required hint="How others see you." />
        <PasswordField label="Password" name="password" autoComplete="new-password" required hint={passwordHint()} />
        <SubmitButton className={buttonVariants()}>Join</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
