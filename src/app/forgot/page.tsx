import { CheckYourEmail } from '@/core/ui/check-your-email'
import { ActionForm, Field, FormMessage, ResultText, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { askForReset } from './actions'

export const metadata = { title: 'Reset your password', description: 'Get a link to reset your password.' }

export default function ForgotPage() {
  return (
    <FormPage title="Reset your password" lead="Enter your email and we’ll send you a reset link.">
      <ActionForm action={askForReset} className="grid gap-5" done={<Sent />}>
        <FormMessage />
        <Field label="Email" name="email" type="email" autoComplete="username" required spellCheck={false} />
        <SubmitButton size="form">Send reset link</SubmitButton>
      </ActionForm>
      <p className="text-muted-foreground text-sm [main:has([data-done])_&]:hidden">
        Remembered it?{' '}
        <a href="/signin" className="text-foreground underline underline-offset-4">
          Sign in
        </a>
      </p>
    </FormPage>
  )
}

/** Says the same for every email, whether it has an account or not. */
function Sent() {
  return (
    <CheckYourEmail
      startHref="/forgot"
      lead={
        <>
          If{' '}
          <strong className="text-foreground">
            <ResultText name="email" />
          </strong>{' '}
          has an account, we’ve sent a reset link. It works for 30 minutes.
        </>
      }
    />
  )
}
