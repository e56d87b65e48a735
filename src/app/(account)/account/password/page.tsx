import { hasPassword } from '@/core/auth/flows/reauthenticate'
import { passwordHint } from '@/core/auth/password/rules'
import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { ActionForm, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import type { Crumb } from '@/core/ui/page'
import { SettingCard, SettingsPage } from '@/core/ui/settings-page'
import { Alert } from '@/core/ui/surface'
import { changePassword, setFirstPassword } from '../../actions'
import { redirectUnlessReauthenticated } from '../../redirect-unless-reauthenticated'

export const metadata = { title: 'Password' }

const crumbs: Crumb[] = [{ label: 'Security', href: '/account/security' }]

export default async function PasswordPage({ searchParams }: PageProps<'/account/password'>) {
  const actor = await requirePermission(signedIn, '/account/password')
  const { done } = await searchParams
  if (!(await hasPassword(actor.id))) {
    await redirectUnlessReauthenticated('/account/password')
    return (
      <SettingsPage
        title="Password"
        crumbs={crumbs}
        lead="You don’t have a password yet. Add one to sign in with your email."
      >
        <ActionForm action={setFirstPassword}>
          <SettingCard title="Set a password" action={<SubmitButton>Set password</SubmitButton>}>
            <FormMessage />
            <input type="email" name="username" autoComplete="username" value={actor.email} readOnly hidden />
            <PasswordField
              label="Password"
              name="password"
              autoComplete="new-password"
              required
              hint={passwordHint()}
            />
          </SettingCard>
        </ActionForm>
      </SettingsPage>
    )
  }
  return (
    <SettingsPage title="Password" crumbs={crumbs} lead="Changing your password signs you out on all other devices.">
      {done !== undefined && (
        <Alert as="p" tone="success" role="status">
          Password set. Your other sessions were signed out.
        </Alert>
      )}
      <ActionForm action={changePassword}>
        <SettingCard title="Change your password" action={<SubmitButton>Change password</SubmitButton>}>
          <FormMessage done="Password changed. Your other sessions were signed out." />
          <input type="email" name="username" autoComplete="username" value={actor.email} readOnly hidden />
          <PasswordField label="Current password" name="current" autoComplete="current-password" required />
          <PasswordField label="New password" name="next" autoComplete="new-password" required hint={passwordHint()} />
        </SettingCard>
      </ActionForm>
    </SettingsPage>
  )
}
