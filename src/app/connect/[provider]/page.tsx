import type { Route } from 'next'
import { notFound, redirect } from 'next/navigation'
import { getSession } from '@/core/auth/actor'
import { configuredProviders, isProviderId, providerNames } from '@/core/auth/oauth/providers'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { connectProvider } from './actions'

export const metadata = { title: 'Connect', robots: { index: false } }

/** Asks once more before another way in is added, and says to whose account. */
export default async function ConnectPage({ params, searchParams }: PageProps<'/connect/[provider]'>) {
  const { provider } = await params
  const { done, error } = await searchParams
  if (!isProviderId(provider) || !configuredProviders().includes(provider)) notFound()
  const session = await getSession()
  if (!session) redirect(`/signin?callbackUrl=/connect/${provider}` as Route)
  const actor = session.user
  const name = providerNames[provider]
  if (done !== undefined) {
    return (
      <FormPage title={`${name} is connected`} lead={`From now on you can sign in with ${name}, too.`}>
        <a href="/dashboard" className={buttonVariants()}>
          Go to the dashboard
        </a>
      </FormPage>
    )
  }
  if (!session.isConfirmed) redirect(`/confirm?callbackUrl=/connect/${provider}` as Route)
  return (
    <FormPage
      title={`Connect ${name}`}
      lead={`You are signed in as ${actor.email}. Whoever you are at ${name} will be able to sign in as you.`}
    >
      <ActionForm action={connectProvider} className="grid gap-5">
        <FormMessage
          className={alertVariants({ tone: 'danger' })}
          initial={error === 'taken' ? `That account at ${name} belongs to somebody else here` : undefined}
        />
        <input type="hidden" name="provider" value={provider} />
        <SubmitButton className={buttonVariants()}>Connect {name}</SubmitButton>
      </ActionForm>
      <a href="/dashboard" className={buttonVariants({ variant: 'outline' })}>
        Not now
      </a>
    </FormPage>
  )
}
