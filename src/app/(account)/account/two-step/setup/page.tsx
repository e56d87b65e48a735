import { redirect } from 'next/navigation'
import { renderSVG } from 'uqr'
import { requireActor } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Heading } from '@/core/ui/section'
import { alertVariants } from '@/core/ui/surface'
import { RecoveryCodes } from '../../../_components/recovery-codes'
import { switchOnTwoStep } from '../../../actions'
import { needConfirmation } from '../../../confirmation'
import { findSetup, isTwoStepOn } from '../../../second-factor'

export const metadata = { title: 'Set up two-step sign-in' }

export default async function SetUpPage() {
  const actor = await requireActor()
  await needConfirmation('/account/two-step/setup')
  // Null once it is on: then the form shows its answer, the recovery codes.
  const setup = await findSetup(actor.id, actor.email)
  if (!setup && !(await isTwoStepOn(actor.id))) redirect('/account/two-step')
  return (
    <>
      <Heading title="Set up two-step sign-in">
        Use an authenticator app on your phone, or the one in your password manager.
      </Heading>
      <ActionForm action={switchOnTwoStep} className="grid gap-6" done={<RecoveryCodes />}>
        {setup ? (
          <>
            <FormMessage className={alertVariants({ tone: 'danger' })} />
            <div className="grid gap-3">
              <h2 className="font-semibold text-lg">1. Scan this with the app</h2>
              <div
                role="img"
                aria-label="QR code for the authenticator app; the key below says the same"
                className="size-48 rounded-lg border bg-white p-2"
                // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn here, from our own address and secret
                dangerouslySetInnerHTML={{ __html: renderSVG(setup.uri, { border: 1 }) }}
              />
              <p className="text-muted-foreground text-sm">
                On this device,{' '}
                <a href={setup.uri} className="underline underline-offset-4">
                  open the app
                </a>
                . Or type in this key:
              </p>
              <p className="select-all break-all font-mono text-sm">{setup.key.replace(/(.{4})(?=.)/g, '$1 ')}</p>
            </div>
            <div className="grid gap-3">
              <h2 className="font-semibold text-lg">2. Enter the code that it shows</h2>
              <Field
                label="Code"
                name="code"
                inputMode="numeric"
                autoComplete="one-time-code"
                hint="Six digits"
                required
              />
              <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Switch it on</SubmitButton>
            </div>
          </>
        ) : (
          <p className={alertVariants({ tone: 'success' })}>
            Two-step sign-in is on.{' '}
            <a href="/account/two-step" className="underline underline-offset-4">
              Back
            </a>
          </p>
        )}
      </ActionForm>
    </>
  )
}
