import { passwordHint } from '@/core/auth/people'
import { lookAtReset } from '@/core/auth/reset'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { chooseNewPassword } from './actions'

export const metadata = { title: 'Choose a new password', robots: { index: false } }

export default async function ResetPage({ searchParams }: PageProps<'/reset'>) {
  const { token } = await searchParams
  const found = typeof token === 'string' ? await lookAtReset(token) : null
  if (!found) {
    return (
      <FormPage
        title="This link does not work any more"
        lead="A link to choose a new password works once, for 30 minutes. Ask for another: it takes a moment."
      >
        <a href="/forgot" className={buttonVariants()}>
          Send me another link
        </a>
      </FormPage>
    )
  }
  return (
    <FormPage
      title="Choose a new password"
      lead={`For ${found.email}. You will be signed out everywhere, and sign in with the new one.`}
    >
      <ActionForm action={chooseNewPassword} className="grid gap-5">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <input type="hidden" name="token" value={token} />
        {/* For password managers: whose password this is. */}
        <input type="email" name="username" autoComplete="username" value={found.email} readOnly hidden />
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          required
          hint={passwordHint()}
        />
        <SubmitButton className={buttonVariants()}>Save the password</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
