import { findChallenged } from '@/core/auth/challenge'
import { returnPath } from '@/core/auth/return-path'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { RecoveryCodes } from '../../_components/recovery-codes'
import { SetUpAuthenticator } from '../../_components/set-up-authenticator'
import { prepareTwoStepAtSignIn, switchOnTwoStepAtSignIn } from '../../actions'
import { findSetupOf } from '../../second-factor'

export const metadata = { title: 'Set up two-step sign-in', robots: { index: false } }

/** After the first proof, for those who must have a second one and have none yet. */
export default async function SetUpAtSignInPage({ searchParams }: PageProps<'/signin/set-up'>) {
  const { callbackUrl, step } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  const userId = await findChallenged()
  // A secret that was there before somebody else may have seen: only one that was made just now is shown.
  const setup = userId && step === 'scan' ? await findSetupOf(userId) : null
  return (
    <FormPage
      title="Set up two-step sign-in"
      lead="Here you sign in with a code besides. Use an authenticator app on your phone, or the one in your password manager."
    >
      {userId && !setup ? (
        <ActionForm action={prepareTwoStepAtSignIn} className="grid gap-5">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <input type="hidden" name="callbackUrl" value={next} />
          <SubmitButton className={buttonVariants()}>Set it up</SubmitButton>
        </ActionForm>
      ) : (
        <ActionForm action={switchOnTwoStepAtSignIn} className="grid gap-6" done={<RecoveryCodes next={next} />}>
          {setup ? (
            <SetUpAuthenticator {...setup} />
          ) : (
            // Nobody owes it once it is on: then the form shows its answer, the recovery codes.
            <p className={alertVariants({ tone: 'success' })}>
              Nothing is left to set up.{' '}
              <a href={next} className="underline underline-offset-4">
                Go on
              </a>
            </p>
          )}
        </ActionForm>
      )}
    </FormPage>
  )
}
