import { ShieldCheck } from 'lucide-react'
import { peekCompromiseReport } from '@/core/auth/user/report-compromise'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, ResultText, SubmitButton } from '@/core/ui/form'
import { ExpiredLinkPage, FormHeading, FormPage } from '@/core/ui/form-page'
import { submitCompromiseReport } from './actions'

export const metadata = { title: 'Secure your account', robots: { index: false } }

/** The target of the link in security emails. Only the button acts, not opening the page: mail scanners open links too. */
export default async function NotMePage({ searchParams }: PageProps<'/not-me'>) {
  const { token } = await searchParams
  const report = typeof token === 'string' ? await peekCompromiseReport(token) : null
  if (!report) {
    return (
      <ExpiredLinkPage
        lead="These links work once, for 7 days. If you think someone is in your account, reset your password. That signs everyone out."
        href="/forgot"
        label="Reset password"
      />
    )
  }
  return (
    <FormPage title="Secure your account" lead={`Lock everyone out of ${report.email}.`}>
      <ActionForm
        action={submitCompromiseReport}
        className="grid gap-5"
        done={
          <>
            <div role="status" tabIndex={-1} data-done>
              <FormHeading
                title="Everyone is signed out"
                icon={ShieldCheck}
                lead={
                  <>
                    Now reset your password. We’ll email a link to <ResultText name="email" />.
                  </>
                }
              />
            </div>
            <a href="/forgot" className={buttonVariants({ size: 'form' })}>
              Reset password
            </a>
          </>
        }
      >
        <FormMessage />
        <input type="hidden" name="token" value={token} />
        <ul className="grid list-disc gap-1.5 ps-5 text-sm">
          <li>All sessions and API tokens are revoked.</li>
          <li>Your password stops working. You’ll set a new one by email.</li>
          <li>Sign-in methods added in the last 7 days are removed.</li>
          <li>
            Two-factor authentication that was turned on in the last 7 days is removed after 3 days, unless someone
            signs in with it before then. You’ll get an email about it.
          </li>
          {report.formerEmail && <li>Your email goes back to {report.formerEmail}.</li>}
        </ul>
        <SubmitButton variant="destructive" size="form">
          Lock everyone out
        </SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
