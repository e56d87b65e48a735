import { requireActor } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, AnswerText, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Heading } from '@/core/ui/section'
import { alertVariants } from '@/core/ui/surface'
import { cancelEmailChange, changeEmail } from '../../actions'
import { needConfirmation } from '../../confirmation'
import { findPendingEmail } from '../../email'

export const metadata = { title: 'E-mail address' }

export default async function EmailPage() {
  const actor = await requireActor()
  await needConfirmation('/account/email')
  const pending = await findPendingEmail(actor.id)
  return (
    <>
      <Heading title="E-mail address">It is {actor.email}. You sign in with it, and mails go there.</Heading>
      <ActionForm
        action={changeEmail}
        className="grid gap-5"
        done={
          <p role="status" tabIndex={-1} className={alertVariants({ tone: 'success' })}>
            We sent a link to <AnswerText name="email" />. Open it there: until then nothing changes.
          </p>
        }
      >
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <Field
          label="New e-mail address"
          name="email"
          type="email"
          autoComplete="email"
          spellCheck={false}
          hint="We send a link to it, and a notice to the one you have."
          required
        />
        <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Send the link</SubmitButton>
      </ActionForm>
      {pending && (
        <ActionForm action={cancelEmailChange} className="grid gap-3">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <p className="text-muted-foreground text-sm">{pending} waits to be confirmed.</p>
          <SubmitButton className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}>
            Keep {actor.email}
          </SubmitButton>
        </ActionForm>
      )}
    </>
  )
}
