import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { appName } from '@/brand'
import { returnPath } from '@/core/auth/flows/return-path'
import { getActor } from '@/core/auth/session/actor'
import { env } from '@/core/env'
import { ActionForm, Field, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { Alert } from '@/core/ui/surface'
import { signIn } from './actions'
import { SignInMethods } from './methods'
import { OneClickSignIn } from './one-click-sign-in'

export const metadata = { title: 'Sign in', description: 'Sign in to your account.' }

/**
 * Why the user was redirected here. Must not reveal whether an email has an account, except to its owner, or its sign-in
 * methods.
 */
const errorMessages: Record<string, string> = {
  invalid_credentials: 'Incorrect email or password.',
  unverified: 'Your email isn’t verified with that provider. Verify it there, or sign in another way.',
  OAuthAccountNotLinked:
    'This email already has an account. Sign in the way you usually do, then connect this provider.',
  connect: 'Your session ended. Sign in and try connecting again.',
}

const notices: Record<string, string> = {
  password_changed: 'Password changed. Sign in with your new password.',
}

function explain(error: string | string[] | undefined): string | undefined {
  if (typeof error !== 'string') return
  if (error === 'closed')
    return env.AUTH_SIGNUP === 'closed'
      ? 'Sign-up is closed.'
      : 'Sign-up is by invitation only. Ask an admin to invite you.'
  return Object.hasOwn(errorMessages, error)
    ? errorMessages[error]
    : 'Something went wrong. Try again, or use another sign-in method.'
}

export default async function SignInPage({ searchParams }: PageProps<'/signin'>) {
  const { error, notice, callbackUrl } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  if (await getActor()) redirect(next as Route)
  const noticeText = typeof notice === 'string' && Object.hasOwn(notices, notice) ? notices[notice] : undefined
  return (
    <FormPage
      title="Welcome back"
      lead={
        env.AUTH_SIGNUP === 'open' ? (
          <>
            New here?{' '}
            <a href="/signup" className="font-medium text-foreground underline underline-offset-4">
              Create an account
            </a>
          </>
        ) : (
          `Sign in to ${appName}.`
        )
      }
    >
      {noticeText && (
        <Alert as="p" tone="success" role="status">
          {noticeText}
        </Alert>
      )}
      <SignInMethods next={next} />
      <ActionForm action={signIn} className="grid gap-5">
        <FormMessage initial={explain(error)} />
        <input type="hidden" name="callbackUrl" value={next} />
        <Field label="Email" name="email" type="email" autoComplete="username webauthn" required spellCheck={false} />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          after={
            <a href="/forgot" className="text-muted-foreground text-sm underline underline-offset-4">
              Forgot password?
            </a>
          }
        />
        <SubmitButton size="form">Sign in</SubmitButton>
      </ActionForm>
      <OneClickSignIn next={next} />
    </FormPage>
  )
}
