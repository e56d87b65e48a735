import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/actor'
import { returnPath } from '@/core/auth/return-path'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { SiteHeader } from '@/core/ui/site-header'
import { alertVariants } from '@/core/ui/surface'
import { signIn } from './actions'
import { SeededPeople } from './seeded-people'

export const metadata = { title: 'Sign in', description: 'Sign in to your account.' }

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
          <p className="text-muted-foreground text-sm">With your e-mail address and password.</p>
        </div>
        <ActionForm action={signIn} className="grid gap-5">
          <FormMessage
            className={alertVariants({ tone: 'danger' })}
            initial={error === 'invalid_credentials' ? 'That e-mail and password do not match' : undefined}
          />
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
