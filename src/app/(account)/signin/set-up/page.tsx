import type { Route } from 'next'
import { returnPath } from '@/core/auth/flows/return-path'
import { findPendingUserId } from '@/core/auth/flows/second-factor'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { Alert } from '@/core/ui/surface'
import { RecoveryCodesStep } from '../../_components/recovery-codes-step'
import { ScanStep, VerifyStep } from '../../_components/set-up-authenticator'
import { enableTwoFactorAtSignIn, prepareTwoFactorAtSignIn } from '../../actions'
import { findSetupByUserId } from '../../two-factor-setup'

/** The cookie of the sign-in says whose second factor is set up. */
export const access = 'public'

export const metadata = { title: 'Set up two-factor authentication', robots: { index: false } }

/** Sets up TOTP after the first factor, for users who are required to have a second factor and have none yet. */
export default async function SetUpAtSignInPage({ searchParams }: PageProps<'/signin/set-up'>) {
  const { callbackUrl, step } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  const userId = await findPendingUserId()
  const isPrepared = step === 'scan' || step === 'code'
  const setup = userId && isPrepared ? await findSetupByUserId(userId) : null
  const pathOf = (name: 'scan' | 'code') =>
    `/signin/set-up?step=${name}&callbackUrl=${encodeURIComponent(next)}` as Route
  return (
    <FormPage
      title="Set up two-factor authentication"
      lead="Your organization requires two-factor authentication. Use an authenticator app or your password manager."
    >
      {userId && !setup && (
        <ActionForm action={prepareTwoFactorAtSignIn} className="grid gap-5">
          <FormMessage />
          <input type="hidden" name="callbackUrl" value={next} />
          <SubmitButton size="form">Set up</SubmitButton>
        </ActionForm>
      )}
      {setup && step === 'scan' && <ScanStep {...setup} next={pathOf('code')} />}
      {(!userId || (setup && step === 'code')) && (
        <ActionForm
          action={enableTwoFactorAtSignIn}
          className="grid grid-cols-1 gap-6"
          done={<RecoveryCodesStep next={next} />}
        >
          {setup ? (
            <VerifyStep back={pathOf('scan')} />
          ) : (
            // There is no pending sign-in once TOTP is on. The form must still render, to show the recovery codes.
            <Alert as="p" tone="success">
              You’re all set.{' '}
              <a href={next} className="underline underline-offset-4">
                Continue
              </a>
            </Alert>
          )}
        </ActionForm>
      )}
    </FormPage>
  )
}
