import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/actor'
import { hasPassword } from '@/core/auth/confirm'
import { returnPath } from '@/core/auth/return-path'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { alertVariants } from '@/core/ui/surface'
import { WaysToSignIn } from '../signin/providers'
import { confirmIdentity } from './actions'

export const metadata = { title: 'Confirm that it is you', robots: { index: false } }

/** Before a dangerous step: whoever sits at a browser that was left open is not always its owner. */
export default async function ConfirmPage({ searchParams }: PageProps<'/confirm'>) {
  const { callbackUrl } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  const actor = await getActor()
  if (!actor) redirect(`/signin?callbackUrl=${encodeURIComponent(next)}` as Route)
  if (!(await hasPassword(actor.id))) {
    return (
      <FormPage
        title="Confirm that it is you"
        lead={`You are signed in as ${actor.email}. Sign in once more to go on.`}
      >
        <WaysToSignIn next={next} isAlone />
      </FormPage>
    )
  }
  return (
    <FormPage
      title="Confirm that it is you"
      lead={`You are signed in as ${actor.email}. For the next hour we do not ask again.`}
    >
      <ActionForm action={confirmIdentity} className="grid gap-5">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <input type="hidden" name="callbackUrl" value={next} />
        <input type="email" name="username" autoComplete="username" value={actor.email} readOnly hidden />
        <PasswordField label="Password" name="password" autoComplete="current-password" required />
        <SubmitButton className={buttonVariants()}>Go on</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
