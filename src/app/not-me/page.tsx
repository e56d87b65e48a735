import { lookAtAlarm } from '@/core/auth/alarm'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, AnswerText, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { shutEverything } from './actions'

export const metadata = { title: 'This was not me', robots: { index: false } }

/** Behind the link in a notice. Opening it does nothing, for programs open links too; the button does. */
export default async function NotMePage({ searchParams }: PageProps<'/not-me'>) {
  const { token } = await searchParams
  const alarm = typeof token === 'string' ? await lookAtAlarm(token) : null
  if (!alarm) {
    return (
      <FormPage
        title="This link does not work any more"
        lead="It works once, for a week. If you fear that somebody else is in your account, choose a new password: that signs everybody out."
      >
        <a href="/forgot" className={buttonVariants()}>
          Choose a new password
        </a>
      </FormPage>
    )
  }
  return (
    <FormPage title="This was not me" lead={`Shut everybody out of the account of ${alarm.email}.`}>
      <ActionForm
        action={shutEverything}
        className="grid gap-5"
        done={
          <div role="status" tabIndex={-1} data-done className="grid gap-5">
            <p className={alertVariants({ tone: 'success' })}>
              Everybody is signed out. Choose a new password now: we send a link to <AnswerText name="email" />.
            </p>
            <a href="/forgot" className={buttonVariants()}>
              Choose a new password
            </a>
          </div>
        }
      >
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <input type="hidden" name="token" value={token} />
        <ul className="grid list-disc gap-1.5 ps-5 text-sm">
          <li>Every device is signed out, and programs that act for you stop.</li>
          <li>The password does not work any more; you choose another by mail.</li>
          <li>Ways to sign in that were added in the last seven days are removed.</li>
          {alarm.formerEmail && <li>Your address is {alarm.formerEmail} again.</li>}
        </ul>
        <SubmitButton className={buttonVariants({ variant: 'destructive' })}>Shut everybody out</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
