import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/actor'
import { passwordHint } from '@/core/auth/people'
import { env } from '@/core/env'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, AnswerText, Field, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { WaysToJoin } from '../signin/providers'
import { signUp } from './actions'

export const metadata = { title: 'Create an account', description: 'Create your account.' }

export default async function SignUpPage() {
  if (await getActor()) redirect('/dashboard')
  const toSignIn = (
    <p className="text-muted-foreground text-sm">
      You have an account?{' '}
      <a href="/signin" className="text-foreground underline underline-offset-4">
        Sign in
      </a>
    </p>
  )
  if (env.AUTH_SIGNUP !== 'open') {
    return (
      <FormPage title="By invitation" lead="New people cannot join by themselves here. Ask for an invitation.">
        {toSignIn}
      </FormPage>
    )
  }
  return (
    <FormPage title="Create an account">
      <WaysToJoin next="/dashboard" />
      <ActionForm action={signUp} className="grid gap-5" done={<CheckYourMail />}>
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <Field label="Name" name="name" autoComplete="name" hint="How others see you. You can leave it empty." />
        <Field label="E-mail" name="email" type="email" autoComplete="email" required spellCheck={false} />
        <PasswordField label="Password" name="password" autoComplete="new-password" required hint={passwordHint()} />
        <SubmitButton className={buttonVariants()}>Create account</SubmitButton>
      </ActionForm>
      {toSignIn}
    </FormPage>
  )
}

function CheckYourMail() {
  return (
    <div role="status" data-done tabIndex={-1} className={alertVariants({ tone: 'success', className: 'grid gap-2' })}>
      <p className="font-semibold">Look into your mail</p>
      <p>
        We have sent a link to{' '}
        <strong>
          <AnswerText name="email" />
        </strong>
        . Open it to finish.
      </p>
      <p>
        Nothing there after some minutes? Look among the spam, or{' '}
        <a href="/signup" className="underline underline-offset-4">
          start again with another address
        </a>
        .
      </p>
    </div>
  )
}
