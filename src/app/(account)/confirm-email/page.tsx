import { buttonVariants } from '@/core/ui/button'
import { ActionForm, AnswerText, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { confirmEmail } from '../actions'
import { lookAtEmailChange } from '../email'

export const metadata = { title: 'Confirm your new address', robots: { index: false } }

/** Behind the link in the mail. Opening it changes nothing, for programs open links too; the button does. */
export default async function ConfirmEmailPage({ searchParams }: PageProps<'/confirm-email'>) {
  const { token } = await searchParams
  const change = typeof token === 'string' ? await lookAtEmailChange(token) : null
  return (
    <FormPage
      title="Confirm your new address"
      lead={change ? `Use ${change.email} in place of ${change.former}.` : undefined}
    >
      <ActionForm
        action={confirmEmail}
        className="grid gap-5"
        done={
          <div role="status" tabIndex={-1} className="grid gap-5">
            <p className={alertVariants({ tone: 'success' })}>
              Your address is <AnswerText name="email" /> from now on.
            </p>
            <a href="/account" className={buttonVariants()}>
              Go to your account
            </a>
          </div>
        }
      >
        {change ? (
          <>
            <FormMessage className={alertVariants({ tone: 'danger' })} />
            <input type="hidden" name="token" value={token} />
            <SubmitButton className={buttonVariants()}>Use this address</SubmitButton>
          </>
        ) : (
          <>
            <FormMessage
              className={alertVariants({ tone: 'danger' })}
              initial="This link was used already, or is too old"
            />
            <a href="/account/email" className={buttonVariants({ variant: 'outline' })}>
              Ask for another
            </a>
          </>
        )}
      </ActionForm>
    </FormPage>
  )
}
