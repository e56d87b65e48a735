import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/actor'
import { configuredProviders, providerNames } from '@/core/auth/oauth/providers'
import { returnPath } from '@/core/auth/return-path'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { SiteHeader } from '@/core/ui/site-header'
import { alertVariants } from '@/core/ui/surface'
import { signIn, startWithProvider } from './actions'
import { SeededPeople } from './seeded-people'

export const metadata = { title: 'Sign in', description: 'Sign in to your account.' }

/** Why somebody was sent here. Never says whether an address is known, or how its owner signs in. */
const reasons: Record<string, string> = {
  invalid_credentials: 'That e-mail and password do not match',
  unverified: 'Your address is not confirmed there. Confirm it with them, or sign in another way',
  OAuthAccountNotLinked: 'Sign in the way you did before. You can connect other ways in your account',
  closed: 'New people cannot join by themselves here. Ask for an invitation',
}

function explain(error: string | string[] | undefined): string | undefined {
  if (typeof error !== 'string') return
  return Object.hasOwn(reasons, error) ? reasons[error] : 'That did not work. Try again, or sign in another way'
}

export default async function SignInPage({ searchParams }: PageProps<'/signin'>) {
  const { error, callbackUrl } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  if (await getActor()) redirect(next as Route)
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid w-full max-w-sm gap-6 px-4 py-16 sm:py-24">
        <div className="grid gap-1.5">
          <h1 className="font-semibold text-2xl">Sign in</h1>
          <p className="text-muted-foreground text-sm">Welcome back.</p>
        </div>
        <Providers next={next} />
        <ActionForm action={signIn} className="grid gap-5">
          <FormMessage className={alertVariants({ tone: 'danger' })} initial={explain(error)} />
          <input type="hidden" name="callbackUrl" value={next} />
          <Field
            label="E-mail"
            name="email"
            type="email"
            autoComplete="username webauthn"
            required
            spellCheck={false}
          />
          <Field label="Password" name="password" type="password" autoComplete="current-password" required />
          <SubmitButton className={buttonVariants()}>Sign in</SubmitButton>
        </ActionForm>
        <SeededPeople />
      </main>
    </>
  )
}

function Providers({ next }: { next: string }) {
  const offered = configuredProviders()
  if (offered.length === 0) return null
  return (
    <div className="grid gap-3">
      {offered.map((provider) => (
        <ActionForm key={provider} action={startWithProvider} className="grid gap-3">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <input type="hidden" name="provider" value={provider} />
          <input type="hidden" name="callbackUrl" value={next} />
          <SubmitButton className={buttonVariants({ variant: 'outline', className: 'w-full' })}>
            Continue with {providerNames[provider]}
          </SubmitButton>
        </ActionForm>
      ))}
      <p className="flex items-center gap-3 text-muted-foreground text-sm before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
        or
      </p>
    </div>
  )
}
