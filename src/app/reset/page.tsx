import { peekReset } from '@/core/auth/flows/reset-password'
import { newPasswordRules } from '@/core/auth/password/rules'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { ExpiredLinkPage, FormPage } from '@/core/ui/form-page'
import { NewPasswordField } from '@/core/ui/new-password-field'
import { chooseNewPassword } from './actions'

export const metadata = { title: 'Choose a new password', robots: { index: false } }

export default async function ResetPage({ searchParams }: PageProps<'/reset'>) {
  const { token } = await searchParams
  const found = typeof token === 'string' ? await peekReset(token) : null
  if (!found) {
    return (
      <ExpiredLinkPage
        lead="Reset links work once, for 30 minutes. Request a new one."
        href="/forgot"
        label="Send a new link"
      />
    )
  }
  return (
    <FormPage title="Choose a new password" lead={`For ${found.email}. You’ll be signed out on all devices.`}>
      <ActionForm action={chooseNewPassword} className="grid gap-5">
        <FormMessage />
        <input type="hidden" name="token" value={token} />
        {/* Tells password managers which account this is. */}
        <input type="email" name="username" autoComplete="username" value={found.email} readOnly hidden />
        <NewPasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          required
          {...newPasswordRules()}
        />
        <SubmitButton size="form">Save password</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
