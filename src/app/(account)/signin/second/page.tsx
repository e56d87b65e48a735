import { redirect } from 'next/navigation'
import { findChallenged } from '@/core/auth/challenge'
import { returnPath } from '@/core/auth/return-path'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { PasskeyButton } from '../../_components/passkey-button'
import { enterCode } from '../../actions'
import { listPasskeys } from '../../passkeys'

export const metadata = { title: 'One more step', robots: { index: false } }

/** After the password, for those who have switched two-step sign-in on. */
export default async function SecondStepPage({ searchParams }: PageProps<'/signin/second'>) {
  const { callbackUrl, use } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  const userId = await findChallenged()
  if (!userId) redirect('/signin')
  const isRecovery = use === 'recovery'
  const here = `/signin/second?callbackUrl=${encodeURIComponent(next)}`
  const hasPasskey = (await listPasskeys(userId)).length > 0
  return (
    <FormPage
      title="One more step"
      lead={
        isRecovery
          ? 'Enter one of the recovery codes that you have kept. Each works once.'
          : 'Enter the code that your authenticator app shows.'
      }
    >
      <ActionForm action={enterCode} className="grid gap-5">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <input type="hidden" name="callbackUrl" value={next} />
        {isRecovery ? (
          <Field
            label="Recovery code"
            name="code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
          />
        ) : (
          <Field label="Code" name="code" inputMode="numeric" autoComplete="one-time-code" hint="Six digits" required />
        )}
        <SubmitButton className={buttonVariants()}>Sign in</SubmitButton>
      </ActionForm>
      {hasPasskey && <PasskeyButton next={next} label="Use a passkey instead" isSecondStep />}
      <p className="grid gap-2 text-sm">
        <a href={isRecovery ? here : `${here}&use=recovery`} className="underline underline-offset-4">
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </a>
        <a href="/signin" className="underline underline-offset-4">
          Start again
        </a>
      </p>
    </FormPage>
  )
}
