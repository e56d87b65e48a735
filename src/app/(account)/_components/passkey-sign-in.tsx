import { FingerprintPattern } from 'lucide-react'
import { LastUsedBadge } from '@/core/ui/last-used-badge'
import { PasskeyButton } from './passkey-button'

/** The passkey button of the sign-in page, which also offers passkeys in the autofill of the email field. */
export function PasskeySignIn({ next, lastMethod }: { next: string; lastMethod?: string | undefined }) {
  return (
    <PasskeyButton next={next} hasAutofill>
      <FingerprintPattern aria-hidden="true" />
      Continue with a passkey
      {lastMethod === 'passkey' && <LastUsedBadge />}
    </PasskeyButton>
  )
}
