'use client'

import { unstable_rethrow } from 'next/navigation'
import { type ReactNode, useCallback, useEffect, useRef, useState, useTransition } from 'react'
import type { z } from 'zod'
import type { Result } from '@/core/action'
import { buttonVariants } from '@/core/ui/button'
import { alertVariants } from '@/core/ui/surface'
import { useInBrowser } from '@/core/ui/use-in-browser'
import { addPasskey, beginPasskey, beginPasskeySignIn, signInWithPasskey } from '../actions'
import type { NewPasskey, UsedPasskey } from '../passkeys'
import { offerPasskeys } from './offer-passkeys'

/**
 * Passkeys need JavaScript and a browser with WebAuthn; without either, no button is shown. Assumes support until the
 * browser reports otherwise, so that the layout does not shift.
 */
const useHasPasskeys = () =>
  useInBrowser(() => 'parseRequestOptionsFromJSON' in (window.PublicKeyCredential ?? {}), true)

class ActionFailed extends Error {}

function unwrap<Data>(result: Result<Data>): Data {
  if (!result.ok) throw new ActionFailed([result.error.message, ...(result.error.fields?.[''] ?? [])].join('. '))
  return result.data
}

function describeError(error: unknown): string {
  if (error instanceof ActionFailed) return error.message
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.'
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'Passkey prompt was canceled. Try again, or use another method.'
  return 'Something went wrong. Try again, or use another method.'
}

type Work = () => Promise<Result<unknown>>

/** Runs the steps of a passkey ceremony, one ceremony at a time, and keeps the message if it fails. */
function useCeremony() {
  const [isPending, start] = useTransition()
  const [errorMessage, setErrorMessage] = useState<string>()
  const message = useRef<HTMLParagraphElement>(null)
  const run = useCallback(
    (work: Work) =>
      start(async () => {
        setErrorMessage(undefined)
        try {
          unwrap(await work())
        } catch (error) {
          // A redirect from a server action is also thrown as an exception.
          unstable_rethrow(error)
          setErrorMessage(describeError(error))
          requestAnimationFrame(() => message.current?.focus())
        }
      }),
    [],
  )
  return { isPending, errorMessage, message, run }
}

function CeremonyButton({
  ceremony: { isPending, errorMessage, message },
  className,
  onClick,
  children,
}: {
  ceremony: ReturnType<typeof useCeremony>
  className: string
  onClick: () => void
  children: ReactNode
}) {
  const hasPasskeys = useHasPasskeys()
  if (!hasPasskeys) return null
  return (
    <div className="grid gap-3" data-needs-script>
      <noscript>
        <style>{'[data-needs-script] { display: none }'}</style>
      </noscript>
      {errorMessage && (
        <p ref={message} role="alert" tabIndex={-1} className={alertVariants({ tone: 'danger' })}>
          {errorMessage}
        </p>
      )}
      <button
        type="button"
        aria-disabled={isPending || undefined}
        data-pending={isPending ? '' : undefined}
        onClick={isPending ? undefined : onClick}
        className={className}
      >
        {children}
      </button>
    </div>
  )
}

/**
 * Signs in with a passkey alone or, with `isSecondFactor`, uses it as the second factor after the password. With `hasAutofill`, the
 * autofill of the email field offers passkeys, too.
 */
export function PasskeyButton({
  next,
  isSecondFactor = false,
  hasAutofill = false,
  children,
}: {
  next: string
  isSecondFactor?: boolean
  hasAutofill?: boolean
  children: ReactNode
}) {
  const ceremony = useCeremony()
  const { run } = ceremony
  const offer = useRef<ReturnType<typeof offerPasskeys>>(undefined)
  const hasPasskeys = useHasPasskeys()
  useEffect(() => {
    if (!hasAutofill || !hasPasskeys) return
    const offered = offerPasskeys((passkey) =>
      run(() => signInWithPasskey({ passkey, isSecondFactor: false, isAutofill: true, callbackUrl: next })),
    )
    offer.current = offered
    return offered.stop
  }, [hasAutofill, hasPasskeys, next, run])
  const signIn = async () => {
    offer.current?.pause()
    const options = unwrap(await beginPasskeySignIn({ isSecondFactor }))
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
    return signInWithPasskey({
      passkey: credential.toJSON() as z.input<typeof UsedPasskey>,
      isSecondFactor,
      callbackUrl: next,
    })
  }
  return (
    <CeremonyButton
      ceremony={ceremony}
      className={buttonVariants({ variant: 'outline', size: 'form', className: 'relative w-full' })}
      onClick={() => run(signIn)}
    >
      {children}
    </CeremonyButton>
  )
}

export function AddPasskey() {
  const ceremony = useCeremony()
  const add = async () => {
    const options = unwrap(await beginPasskey({}))
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
    return addPasskey({ passkey: credential.toJSON() as z.input<typeof NewPasskey> })
  }
  return (
    <CeremonyButton
      ceremony={ceremony}
      className={buttonVariants({ className: 'justify-self-start' })}
      onClick={() => ceremony.run(add)}
    >
      Add passkey
    </CeremonyButton>
  )
}
