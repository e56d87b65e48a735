import type { z } from 'zod'
import { beginPasskeySignIn } from '../actions'
import type { UsedPasskey } from '../passkeys'

type SignedChallenge = z.input<typeof UsedPasskey>

/** The server accepts a challenge for 5 minutes. */
const renewAfterMs = 4 * 60_000

/**
 * Offers passkeys in the autofill of the email field, the one with `webauthn` in its `autocomplete`. Requests a challenge only
 * when the field gets the focus or the pointer: most visitors use another method, and each challenge counts against the rate
 * limit. `pause` cancels the request, because a browser allows one prompt at a time; `stop` also removes the listeners.
 */
export function offerPasskeys(signIn: (passkey: SignedChallenge) => void): { pause: () => void; stop: () => void } {
  const field = document.querySelector<HTMLInputElement>('input[autocomplete~="webauthn"]')
  const listening = new AbortController()
  let pending: { request: AbortController; since: number } | undefined

  const pause = () => {
    pending?.request.abort()
    pending = undefined
  }

  const offer = async () => {
    if (pending && Date.now() - pending.since < renewAfterMs) return
    pause()
    const request = new AbortController()
    pending = { request, since: Date.now() }
    try {
      const passkey = await requestFromAutofill(request.signal)
      if (!passkey || request.signal.aborted) return
      pause()
      signIn(passkey)
    } catch {
      // The offer was paused, or the server or the browser refused it: the other sign-in methods remain.
    }
  }

  for (const type of ['focus', 'pointerover']) field?.addEventListener(type, offer, { signal: listening.signal })
  // Focused before this script ran.
  if (field && field === document.activeElement) void offer()
  return {
    pause,
    stop: () => {
      listening.abort()
      pause()
    },
  }
}

/** Resolves when the user chooses a passkey from the autofill, which may be never. */
async function requestFromAutofill(signal: AbortSignal): Promise<SignedChallenge | null> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable())) return null
  const begun = await beginPasskeySignIn({ isSecondFactor: false, isAutofill: true })
  if (!begun.ok || signal.aborted) return null
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.data)
  const credential = await navigator.credentials.get({ publicKey, mediation: 'conditional', signal })
  return (credential as PublicKeyCredential).toJSON() as SignedChallenge
}
