import { peekSignUp } from '@/core/auth/flows/sign-up'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { ExpiredLinkPage, FormPage } from '@/core/ui/form-page'
import { verifySignUpEmail } from './actions'

export const metadata = { title: 'Confirm your email', robots: { index: false } }

/** The target of the link in the sign-up email. Only the button verifies: mail scanners open links too. */
export default async function VerifyPage({ searchParams }: PageProps<'/verify'>) {
  const { token } = await searchParams
  const signup = typeof token === 'string' ? await peekSignUp(token) : null
  if (!signup) {
    return (
      <ExpiredLinkPage
        lead="Confirmation links work once, for 24 hours. If you already confirmed, sign in. Otherwise, sign up again."
        href="/signin"
        label="Sign in"
      >
        <a href="/signup" className={buttonVariants({ variant: 'outline', size: 'form' })}>
          Create an account
        </a>
      </ExpiredLinkPage>
    )
  }
  return (
    <FormPage title="Confirm your email" lead={`Confirm ${signup.email} to activate your account.`}>
      <ActionForm action={verifySignUpEmail} className="grid gap-5">
        <FormMessage />
        <input type="hidden" name="token" value={token} />
        {!signup.isSameBrowser && (
          <>
            <input type="email" name="username" autoComplete="username" value={signup.email} readOnly hidden />
            <PasswordField
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              hint="You’re on a different browser, so enter the password you signed up with."
            />
          </>
        )}
        <SubmitButton size="form">Confirm and sign in</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
