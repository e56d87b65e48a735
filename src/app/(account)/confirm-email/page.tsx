import { Link2Off, MailCheck } from 'lucide-react'
import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, ResultText, SubmitButton } from '@/core/ui/form'
import { FormHeading, FormPage } from '@/core/ui/form-page'
import { verifyNewEmail } from '../actions'
import { findEmailChange } from '../email-change'

/** Anyone who has the link sees the email that it confirms. */
export const access = 'public'

export const metadata = { title: 'Confirm your new email', robots: { index: false } }

/** Target of the link in the email. Opening it changes nothing, because mail scanners open links; the button does. */
export default async function VerifyNewEmailPage({ searchParams }: PageProps<'/confirm-email'>) {
  const { token } = await searchParams
  const change = typeof token === 'string' ? await findEmailChange(token) : null
  const actor = await getActor()
  if (change && !actor) redirect(`/signin?callbackUrl=${encodeURIComponent(`/confirm-email?token=${token}`)}` as Route)
  // Does not reveal whose account it is: the email may have gone to the wrong inbox.
  if (change && change.userId !== actor?.id) {
    return (
      <FormPage
        title="This link is for another account"
        lead={`You’re signed in as ${actor?.email}, and nothing was changed. If you requested this from another account, sign in to that account and open the link again.`}
      >
        <a href="/dashboard" className={buttonVariants({ variant: 'outline', size: 'form' })}>
          Go to dashboard
        </a>
      </FormPage>
    )
  }
  // The form also renders without a change: the page is rendered again after the change is done, and then shows the result.
  return (
    <FormPage
      {...(change
        ? { title: 'Confirm your new email', lead: `Use ${change.email} instead of ${change.former}.` }
        : {
            title: 'This link has expired',
            icon: Link2Off,
            lead: 'Confirmation links work once, for 24 hours. Request a new one.',
          })}
    >
      <ActionForm
        action={verifyNewEmail}
        className="grid gap-5"
        done={
          <>
            <div role="status" tabIndex={-1} data-done>
              <FormHeading
                title="Email changed"
                icon={MailCheck}
                lead={
                  <>
                    Your email is now <ResultText name="email" />.
                  </>
                }
              />
            </div>
            <a href="/account" className={buttonVariants({ size: 'form' })}>
              Go to settings
            </a>
          </>
        }
      >
        {change ? (
          <>
            <FormMessage />
            <input type="hidden" name="token" value={token} />
            <SubmitButton size="form">Confirm email</SubmitButton>
          </>
        ) : (
          <>
            <FormMessage />
            <a href="/account/email" className={buttonVariants({ size: 'form' })}>
              Request a new link
            </a>
          </>
        )}
      </ActionForm>
    </FormPage>
  )
}
