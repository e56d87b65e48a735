import { FingerprintPattern } from 'lucide-react'
import { redirect } from 'next/navigation'
import { returnPath } from '@/core/auth/flows/return-path'
import { findPendingUserId } from '@/core/auth/flows/second-factor'
import { CodeField } from '@/core/ui/code-field'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { PasskeyButton } from '../../_components/passkey-button'
import { enterCode } from '../../actions'
import { listPasskeys } from '../../passkeys'

/** The cookie of the sign-in says whose second factor is asked for. */
export const access = 'public'

export const metadata = { title: 'Two-factor authentication', robots: { index: false } }

/** Asks for the second factor after the first, for users who have one. */
export default async function SecondFactorPage({ searchParams }: PageProps<'/signin/second'>) {
  const { callbackUrl, use } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  const userId = await findPendingUserId()
  if (!userId) redirect('/signin')
  const isRecovery = use === 'recovery'
  const currentPath = `/signin/second?callbackUrl=${encodeURIComponent(next)}`
  const hasPasskey = (await listPasskeys(userId)).length > 0
  return (
    <FormPage
      title="Two-factor authentication"
      lead={
        isRecovery
          ? 'Enter one of your recovery codes. Each code works once.'
          : 'Enter the 6-digit code from your authenticator app.'
      }
    >
      <ActionForm action={enterCode} className="grid gap-5">
        <FormMessage />
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
          <CodeField />
        )}
        <SubmitButton size="form">Sign in</SubmitButton>
      </ActionForm>
      {hasPasskey && (
        <PasskeyButton next={next} isSecondFactor>
          <FingerprintPattern aria-hidden="true" />
          Use a passkey instead
        </PasskeyButton>
      )}
      <p className="grid gap-2 text-sm">
        <a href={isRecovery ? currentPath : `${currentPath}&use=recovery`} className="underline underline-offset-4">
          {isRecovery ? 'Use authenticator app instead' : 'Use a recovery code'}
        </a>
        <a href="/signin" className="underline underline-offset-4">
          Back to sign in
        </a>
      </p>
    </FormPage>
  )
}
