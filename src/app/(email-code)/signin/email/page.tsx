import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { returnPath } from '@/core/auth/flows/return-path'
import { getActor } from '@/core/auth/session/actor'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { FormPage } from '@/core/ui/form-page'
import { requestEmailCode } from '../../actions'

export const metadata = { title: 'Sign in with an email code', description: 'Sign in without a password.' }

export default async function EmailPage({ searchParams }: PageProps<'/signin/email'>) {
  const { callbackUrl } = await searchParams
  const next = returnPath(callbackUrl, '/dashboard')
  if (await getActor()) redirect(next as Route)
  return (
    <FormPage title="Sign in with an email code" lead="Enter your email and we’ll send you a code and a link.">
      <ActionForm action={requestEmailCode} className="grid gap-5">
        <FormMessage />
        <input type="hidden" name="callbackUrl" value={next} />
        <Field label="Email" name="email" type="email" autoComplete="username" required spellCheck={false} />
        <SubmitButton size="form">Send code</SubmitButton>
      </ActionForm>
      <p className="text-muted-foreground text-sm">
        <a
          href={`/signin?callbackUrl=${encodeURIComponent(next)}`}
          className="text-foreground underline underline-offset-4"
        >
          Back to sign in
        </a>
      </p>
    </FormPage>
  )
}
