import { redirect } from 'next/navigation'
import { requireActor } from '@/core/auth/actor'
import { ActionForm } from '@/core/ui/form'
import { Heading } from '@/core/ui/section'
import { alertVariants } from '@/core/ui/surface'
import { RecoveryCodes } from '../../../_components/recovery-codes'
import { SetUpAuthenticator } from '../../../_components/set-up-authenticator'
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
          <SetUpAuthenticator {...setup} />
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
