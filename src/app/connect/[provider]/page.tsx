import type { Route } from 'next'
import { notFound, redirect } from 'next/navigation'
import { findConfiguredProvider } from '@/core/auth/oauth/providers'
import { getSession } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { connectProvider } from './actions'

export const metadata = { title: 'Connect', robots: { index: false } }

/** Asks for confirmation before an identity is connected, and shows to which account. */
export default async function ConnectPage({ params, searchParams }: PageProps<'/connect/[provider]'>) {
  const { provider: id } = await params
  const { done, error } = await searchParams
  const provider = findConfiguredProvider(id)
  if (!provider) notFound()
  const session = await getSession()
  if (!session) redirect(`/signin?callbackUrl=/connect/${id}` as Route)
  const actor = session.user
  const { name } = provider
  if (done !== undefined) {
    return (
      <FormPage title={`${name} is connected`} lead={`You can now sign in with ${name}.`}>
        <a href="/dashboard" className={buttonVariants({ size: 'form' })}>
          Go to dashboard
        </a>
      </FormPage>
    )
  }
  if (!session.isReauthenticated) redirect(`/confirm?callbackUrl=/connect/${id}` as Route)
  return (
    <FormPage
      title={`Connect ${name}`}
      lead={`Signed in as ${actor.email}. Your ${name} account will be able to sign in here.`}
    >
      <ActionForm action={connectProvider} className="grid gap-5">
        <FormMessage initial={error === 'taken' ? `That ${name} account is connected to another user.` : undefined} />
        <input type="hidden" name="provider" value={id} />
        <SubmitButton size="form">Connect {name}</SubmitButton>
      </ActionForm>
      <a href="/dashboard" className={buttonVariants({ variant: 'outline', size: 'form' })}>
        Not now
      </a>
    </FormPage>
  )
}
