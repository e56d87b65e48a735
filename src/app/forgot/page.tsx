import { buttonVariants } from '@/core/ui/button'
import { ActionForm, AnswerInput, AnswerText, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { askForReset } from './actions'

export const metadata = { title: 'Forgot your password', description: 'Get a link to choose a new password.' }

export default function ForgotPage() {
  return (
    <FormPage title="Forgot your password?" lead="We send you a link to choose a new one.">
      <ActionForm action={askForReset} className="grid gap-5" done={<CheckYourMail />}>
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <Field label="E-mail" name="email" type="email" autoComplete="username" required spellCheck={false} />
        <SubmitButton className={buttonVariants()}>Send me a link</SubmitButton>
      </ActionForm>
      <p className="text-muted-foreground text-sm">
        It came back to you?{' '}
        <a href="/signin" className="text-foreground underline underline-offset-4">
          Sign in
        </a>
      </p>
    </FormPage>
  )
}

function CheckYourMail() {
  return (
    <>
      <div role="status" tabIndex={-1} className={alertVariants({ tone: 'success', className: 'grid gap-2' })}>
        <p className="font-semibold">Look into your mail</p>
        <p>
          If{' '}
          <strong>
            <AnswerText name="email" />
          </strong>{' '}
          belongs to an account, a link is on its way. It works for 30 minutes.
        </p>
        <p>
          <a href="/forgot" className="underline underline-offset-4">
            Use another address
          </a>
        </p>
      </div>
      <AnswerInput name="email" />
      <SubmitButton className={buttonVariants({ variant: 'outline' })}>Send it again</SubmitButton>
    </>
  )
}
