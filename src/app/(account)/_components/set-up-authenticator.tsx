import type { Route } from 'next'
import Link from 'next/link'
import { renderSVG } from 'uqr'
import { buttonVariants } from '@/core/ui/button'
import { CodeField } from '@/core/ui/code-field'
import { Copyable } from '@/core/ui/copyable'
import { FormMessage, SubmitButton } from '@/core/ui/form'
import { TwoFactorSteps } from './two-factor-steps'

/** The first step of turning TOTP on: the QR code and key for the authenticator app. */
export function ScanStep({ totpKey, uri, next }: { totpKey: string; uri: string; next: Route }) {
  return (
    <div className="grid grid-cols-1 gap-6">
      <TwoFactorSteps current={1} />
      <div className="grid grid-cols-1 gap-3">
        <h2 className="font-[550] text-base">1. Scan the QR code</h2>
        <div
          role="img"
          aria-label="QR code for your authenticator app, same as the setup key below"
          className="size-48 rounded-lg bg-white p-2 shadow-card"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: SVG rendered by us from our own otpauth URI
          dangerouslySetInnerHTML={{ __html: renderSVG(uri, { border: 1 }) }}
        />
        <p className="text-muted-foreground text-sm">
          On your phone already?{' '}
          <a href={uri} className="underline underline-offset-4">
            Open your authenticator app
          </a>
          , or enter this setup key:
        </p>
        <Copyable className="select-all break-all font-mono text-sm">{totpKey.replace(/(.{4})(?=.)/g, '$1 ')}</Copyable>
      </div>
      <Link href={next} prefetch={false} className={buttonVariants({ className: 'justify-self-start' })}>
        Continue
      </Link>
    </div>
  )
}

/** The second page, the content of a form: the first code of the app turns TOTP on. */
export function VerifyStep({ back }: { back: Route }) {
  return (
    <>
      <TwoFactorSteps current={2} />
      <FormMessage />
      <div className="grid gap-3">
        <h2 className="font-[550] text-base">2. Enter the 6-digit code</h2>
        <CodeField />
      </div>
      <div className="flex flex-wrap gap-2">
        <SubmitButton>Turn on two-factor</SubmitButton>
        <Link href={back} prefetch={false} className={buttonVariants({ variant: 'outline' })}>
          Back
        </Link>
      </div>
    </>
  )
}
