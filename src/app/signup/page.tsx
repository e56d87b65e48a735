import { redirect } from 'next/navigation'
import { newPasswordRules } from '@/core/auth/password/rules'
import { getActor } from '@/core/auth/session/actor'
import { env } from '@/core/env'
import { CheckYourEmail } from '@/core/ui/check-your-email'
import { ActionForm, Field, FormMessage, ResultText, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { NewPasswordField } from '@/core/ui/new-password-field'
import { UserFieldInputs } from '@/core/ui/user-field-inputs'
import { SignUpMethods } from '../signin/methods'
import { signUp } from './actions'

export const metadata = { title: 'Create your account', description: 'Create your account.' }

export default async function SignUpPage() {
  if (await getActor()) redirect('/dashboard')
  const signInLink = (
    <>
      Already have an account?{' '}
      <a href="/signin" className="font-medium text-foreground underline underline-offset-4">
        Sign in
      </a>
    </>
  )
  if (env.AUTH_SIGNUP === 'invite') {
    return (
      <FormPage title="Invitation only" lead="Ask an admin to invite you.">
        <p className="text-muted-foreground text-sm">{signInLink}</p>
      </FormPage>
    )
  }
  if (env.AUTH_SIGNUP !== 'open') return <FormPage title="Sign-up is closed" lead={signInLink} />
  return (
    <FormPage title="Create your account" lead={signInLink}>
      <SignUpMethods next="/dashboard" />
      <ActionForm action={signUp} className="grid gap-5" done={<Sent />}>
        <FormMessage />
        <Field label="Name" name="name" autoComplete="name" hint="Optional. Shown to other users." />
        <UserFieldInputs place="signup" />
        <Field label="Email" name="email" type="email" autoComplete="email" required spellCheck={false} />
        <NewPasswordField
          label="Password"
          name="password"
          autoComplete="new-password"
          required
          {...newPasswordRules()}
        />
        <SubmitButton size="form">Create account</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}

function Sent() {
  return (
    <CheckYourEmail
      startHref="/signup"
      lead={
        <>
          We sent a confirmation link to{' '}
          <strong className="text-foreground">
            <ResultText name="email" />
          </strong>
          . Open it to finish signing up. <ResultText name="notice" />
        </>
      }
    >
      <input type="hidden" name="isResend" value="yes" />
    </CheckYourEmail>
  )
}
