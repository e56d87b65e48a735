import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/actor'
import { returnPath } from '@/core/auth/return-path'
import { env } from '@/core/env'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { signIn } from './actions'
import { WaysToSignIn } from './providers'
import { SeededPeople } from './seeded-people'

export const metadata = { title: 'Sign in', description: 'Sign in to your account.' }

/** Why somebody was sent here. Never says whether an address is known, or how its owner signs in. */
const reasons: Record<string, string> = {
  invalid_credentials: 'That e-mail and password do not match',
  unverified: 'Your address is not confirmed there. Confirm it with them, or sign in another way',
  OAuthAccountNotLinked: 'Sign in the way you did before. Then you can connect this way to your account',
  closed: 'New people cannot join by themselves here. Ask for an invitation',
  connect: 'You were signed out in the meantime. Sign in, then connect once more',
}

const notices: Record<string, string> = {
  password_changed: 'Your password was changed. Sign in with the new one',
}

function explain(error: string | string[] | undefined): string | undefined {
  if (typeof error !== 'string') return
  return Object.hasOwn(reasons, error) ? reasons[error] : 'That did not work. Try again, or sign in another way'
}

export default async function SignInPage({ searchParams }: PageProps<'/signin'>) {
  const { error, notice, callbackUrl } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  if (await getActor()) redirect(next as Route)
  const said = typeof notice === 'string' && Object.hasOwn(notices, notice) ? notices[notice] : undefined
  return (
    <FormPage title="Sign in" lead="Welcome back.">
      {said && (
        <p role="status" className={alertVariants({ tone: 'success' })}>
          {said}
        </p>
      )}
      <WaysToSignIn next={next} />
      <ActionForm action={signIn} className="grid gap-5">
        <FormMessage className={alertVariants({ tone: 'danger' })} initial={explain(error)} />
        <input type="hidden" name="callbackUrl" value={next} />
        <Field label="E-mail" name="email" type="email" autoComplete="username webauthn" required spellCheck={false} />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          after={
            <a href="/forgot" className="text-sm underline underline-offset-4">
              Forgot it?
            </a>
          }
        />
        <SubmitButton className={buttonVariants()}>Sign in</SubmitButton>
      </ActionForm>
      {env.AUTH_SIGNUP === 'open' && (
        <p className="text-muted-foreground text-sm">
          New here?{' '}
          <a href="/signup" className="text-foreground underline underline-offset-4">
            Create an account
          </a>
        </p>
      )}
      <SeededPeople />
    </FormPage>
  )
}
