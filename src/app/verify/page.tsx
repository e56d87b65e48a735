import { lookAtSignUp } from '@/core/auth/sign-up'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { confirmAddress } from './actions'

export const metadata = { title: 'Confirm your address', robots: { index: false } }

/** Behind the link in the mail. Opening it confirms nothing, for programs open links too; the button does. */
export default async function VerifyPage({ searchParams }: PageProps<'/verify'>) {
  const { token } = await searchParams
  const signup = typeof token === 'string' ? await lookAtSignUp(token) : null
  if (!signup) {
    return (
      <FormPage
        title="This link does not work any more"
        lead="A link to confirm an address works once, for 24 hours. Perhaps you have used it: then sign in. Otherwise sign up once more."
      >
        <a href="/signin" className={buttonVariants()}>
          Sign in
        </a>
        <a href="/signup" className={buttonVariants({ variant: 'outline' })}>
          Create an account
        </a>
      </FormPage>
    )
  }
  return (
    <FormPage title="Confirm your address" lead={`Is ${signup.email} yours? Then your account is ready.`}>
      <ActionForm action={confirmAddress} className="grid gap-5">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <input type="hidden" name="token" value={token} />
        {!signup.isThisBrowser && (
          <>
            <input type="email" name="username" autoComplete="username" value={signup.email} readOnly hidden />
            <PasswordField
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              hint="The one you chose when you signed up, because this is another browser."
            />
          </>
        )}
        <SubmitButton className={buttonVariants()}>Confirm and sign in</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
