'use client'

import { unstable_rethrow } from 'next/navigation'
import { useRef, useState, useTransition } from 'react'
import type { z } from 'zod'
import type { Result } from '@/core/action'
import { buttonVariants } from '@/core/ui/button'
import { alertVariants } from '@/core/ui/surface'
import { useInBrowser } from '@/core/ui/use-in-browser'
import { addPasskey, beginPasskey, beginPasskeySignIn, signInWithPasskey } from '../actions'
import type { NewPasskey, UsedPasskey } from '../passkeys'

/**
 * Passkeys need a browser that knows them, and JavaScript: where either is missing there is no button. It is taken for
 * granted until the browser has said otherwise, so that the page does not jump.
 */
const useHasPasskeys = () =>
  useInBrowser(() => 'parseRequestOptionsFromJSON' in (window.PublicKeyCredential ?? {}), true)

class Refused extends Error {}

function must<Data>(answer: Result<Data>): Data {
  if (!answer.ok) throw new Refused([answer.error.message, ...(answer.error.fields?.[''] ?? [])].join('. '))
  return answer.data
}

function explain(error: unknown): string {
  if (error instanceof Refused) return error.message
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError') return 'This device has a passkey for your account already'
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'Nothing was chosen. Try again, or sign in another way'
  return 'That did not work. Try again, or sign in another way'
}

function CeremonyButton({
  label,
  className,
  work,
}: {
  label: string
  className: string
  work: () => Promise<Result<unknown>>
}) {
  const hasPasskeys = useHasPasskeys()
  const [isPending, start] = useTransition()
  const [trouble, setTrouble] = useState<string>()
  const message = useRef<HTMLParagraphElement>(null)
  if (!hasPasskeys) return null
  const run = () =>
    start(async () => {
      setTrouble(undefined)
      try {
        must(await work())
      } catch (error) {
        // An action that leads elsewhere arrives as an exception, too.
        unstable_rethrow(error)
        setTrouble(explain(error))
        requestAnimationFrame(() => message.current?.focus())
      }
    })
  return (
    <div className="grid gap-3" data-needs-script>
      <noscript>
        <style>{'[data-needs-script] { display: none }'}</style>
      </noscript>
      {trouble && (
        <p ref={message} role="alert" tabIndex={-1} className={alertVariants({ tone: 'danger' })}>
          {trouble}
        </p>
      )}
      <button
        type="button"
        aria-disabled={isPending || undefined}
        onClick={isPending ? undefined : run}
        className={className}
      >
        {label}
      </button>
    </div>
  )
}

/** Signs in with a passkey alone; with `isSecondStep`, after the password. */
export function PasskeyButton({ next, label, isSecondStep }: { next: string; label: string; isSecondStep: boolean }) {
  const work = async () => {
    const options = must(await beginPasskeySignIn({ isSecondStep }))
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const used = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
    return signInWithPasskey({
      passkey: used.toJSON() as z.input<typeof UsedPasskey>,
      isSecondStep,
      callbackUrl: next,
    })
  }
  return (
    <CeremonyButton label={label} className={buttonVariants({ variant: 'outline', className: 'w-full' })} work={work} />
  )
}

/** For the sign-in page. */
export function PasskeySignIn({ next }: { next: string }) {
  return <PasskeyButton next={next} label="Continue with a passkey" isSecondStep={false} />
}

export function AddPasskey() {
  const work = async () => {
    const options = must(await beginPasskey({}))
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
    return addPasskey({ passkey: made.toJSON() as z.input<typeof NewPasskey> })
  }
  return (
    <CeremonyButton label="Add a passkey" className={buttonVariants({ className: 'justify-self-start' })} work={work} />
  )
}
