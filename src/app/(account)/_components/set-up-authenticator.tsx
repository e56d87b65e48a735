import { renderSVG } from 'uqr'
import { buttonVariants } from '@/core/ui/button'
import { Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { alertVariants } from '@/core/ui/surface'

/** Inside of the form that switches it on: what to give to the app, and a field for what it shows then. */
export function SetUpAuthenticator({ totpKey, uri }: { totpKey: string; uri: string }) {
  return (
    <>
      <FormMessage className={alertVariants({ tone: 'danger' })} />
      <div className="grid gap-3">
        <h2 className="font-semibold text-lg">1. Scan this with the app</h2>
        <div
          role="img"
          aria-label="QR code for the authenticator app; the key below says the same"
          className="size-48 rounded-lg border bg-white p-2"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn here, from our own address and secret
          dangerouslySetInnerHTML={{ __html: renderSVG(uri, { border: 1 }) }}
        />
        <p className="text-muted-foreground text-sm">
          On this device,{' '}
          <a href={uri} className="underline underline-offset-4">
            open the app
          </a>
          . Or type in this key:
        </p>
        <p className="select-all break-all font-mono text-sm">{totpKey.replace(/(.{4})(?=.)/g, '$1 ')}</p>
      </div>
      <div className="grid gap-3">
        <h2 className="font-semibold text-lg">2. Enter the code that it shows</h2>
        <Field label="Code" name="code" inputMode="numeric" autoComplete="one-time-code" hint="Six digits" required />
        <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Switch it on</SubmitButton>
      </div>
    </>
  )
}
