import { RecoveryCodes } from './recovery-codes'
import { TwoFactorSteps } from './two-factor-steps'

/** The last step of the setup. `next` is the page after it. */
export function RecoveryCodesStep({ next }: { next?: string }) {
  return (
    <>
      <TwoFactorSteps current={3} />
      <RecoveryCodes {...(next !== undefined && { next })} />
    </>
  )
}
