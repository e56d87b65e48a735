import { MailCheck } from 'lucide-react'
import type { Route } from 'next'
import type { ReactNode } from 'react'
import { buttonVariants } from './button'
import { ResultInput } from './form'
import { FormHeading } from './form-page'
import { ResendButton } from './resend-button'

const inboxes = [
  { label: 'Open Gmail', href: 'https://mail.google.com/' },
  { label: 'Open Outlook', href: 'https://outlook.live.com/mail/' },
]

/**
 * Replaces a form that has sent an email, as its `done`. The action returns the email, and gets it again to resend; `children` are
 * further fields for that. `startHref` is the page with the empty form.
 */
export function CheckYourEmail({
  lead,
  startHref,
  children,
}: {
  lead: ReactNode
  startHref: Route
  children?: ReactNode
}) {
  return (
    <>
      <div role="status" data-done tabIndex={-1}>
        <FormHeading title="Check your email" icon={MailCheck} lead={lead} />
      </div>
      <ResultInput name="email" />
      {children}
      <div className="grid grid-cols-2 gap-2">
        {inboxes.map(({ label, href }) => (
          <a
            key={href}
            href={href}
            target="_blank"
            rel="noreferrer"
            className={buttonVariants({ variant: 'outline', size: 'form' })}
          >
            {label}
          </a>
        ))}
      </div>
      <ResendButton />
      <p className="text-muted-foreground text-sm">
        Didn’t get it? Check your spam folder, or{' '}
        <a href={startHref} className="text-foreground underline underline-offset-4">
          use a different email
        </a>
        .
      </p>
    </>
  )
}
