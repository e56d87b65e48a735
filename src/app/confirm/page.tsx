import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { canReauthenticate, hasPassword } from '@/core/auth/flows/reauthenticate'
import { returnPath } from '@/core/auth/flows/return-path'
import { getActor } from '@/core/auth/session/actor'
import { ActionForm, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { ReauthenticationMethods } from '../signin/methods'
import { reauthenticate } from './actions'

export const metadata = { title: 'Confirm it’s you', robots: { index: false } }

/** Reauthentication before a sensitive action: someone else may be using a browser that was left open. */
export default async function ReauthenticatePage({ searchParams }: PageProps<'/confirm'>) {
  const { callbackUrl } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  const actor = await getActor()
  if (!actor) redirect(`/signin?callbackUrl=${encodeURIComponent(next)}` as Route)
  if (!(await hasPassword(actor.id))) {
    return (
      <FormPage title="Confirm it’s you" lead={`Signed in as ${actor.email}. Sign in again to continue.`}>
        <ReauthenticationMethods next={next} hasModuleMethod={await canReauthenticate(actor.id)} />
      </FormPage>
    )
  }
  return (
    <FormPage title="Confirm it’s you" lead={`Signed in as ${actor.email}. We won’t ask again for an hour.`}>
      <ActionForm action={reauthenticate} className="grid gap-5">
        <FormMessage />
        <input type="hidden" name="callbackUrl" value={next} />
        <input type="email" name="username" autoComplete="username" value={actor.email} readOnly hidden />
        <PasswordField label="Password" name="password" autoComplete="current-password" required />
        <SubmitButton size="form">Continue</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
