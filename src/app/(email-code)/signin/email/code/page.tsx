import { MailCheck } from 'lucide-react'
import { redirect } from 'next/navigation'
import { CodeField } from '@/core/ui/code-field'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { Alert } from '@/core/ui/surface'
import { enterEmailCode, requestEmailCode } from '../../../actions'
import { findOwnRequest } from '../../../requests'

/** The cookie of the request says whose code is asked for. */
export const access = 'public'

export const metadata = { title: 'Enter your code', robots: { index: false } }

/** Says the same for every email, whether it has an account or not. */
export default async function CodePage({ searchParams }: PageProps<'/signin/email/code'>) {
  const { notice } = await searchParams
  const request = await findOwnRequest()
  if (!request) redirect('/signin/email')
  return (
    <FormPage
      title="Check your email"
      icon={MailCheck}
      lead={
        <>
          If <strong className="text-foreground">{request.email}</strong> has an account, we’ve sent a code and a link.
          Both work in this browser, for 10 minutes.
        </>
      }
    >
      {notice === 'resent' && (
        <Alert as="p" tone="success" role="status">
          Use the code from the newest email. Earlier ones no longer work.
        </Alert>
      )}
      <ActionForm action={enterEmailCode} className="grid gap-5">
        <FormMessage />
        <CodeField />
        <SubmitButton size="form">Sign in</SubmitButton>
      </ActionForm>
      <ActionForm action={requestEmailCode} className="grid gap-3">
        <FormMessage />
        <input type="hidden" name="email" value={request.email} />
        <input type="hidden" name="callbackUrl" value={request.next} />
        <input type="hidden" name="isResend" value="yes" />
        <SubmitButton variant="outline" size="form">
          Send a new code
        </SubmitButton>
      </ActionForm>
      <p className="text-muted-foreground text-sm">
        Didn’t get it? Check your spam folder, or{' '}
        <a
          href={`/signin/email?callbackUrl=${encodeURIComponent(request.next)}`}
          className="text-foreground underline underline-offset-4"
        >
          use a different email
        </a>
        .
      </p>
    </FormPage>
  )
}
