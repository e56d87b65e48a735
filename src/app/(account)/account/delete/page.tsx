import Link from 'next/link'
import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { findDeletionEffects } from '@/core/auth/user/deletion-effects'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { findReauthentication, mustReauthenticateElsewhere, Reauthenticate } from '@/core/ui/reauthenticate'
import { SettingCard, SettingsPage } from '@/core/ui/settings-page'
import { Alert } from '@/core/ui/surface'
import { deleteAccount } from '../../actions'

export const metadata = { title: 'Delete account' }

export default async function DeletePage() {
  const { id, email } = await requirePermission(signedIn, '/account/delete')
  const [{ blockers, notices }, reauthentication] = await Promise.all([findDeletionEffects(id), findReauthentication()])
  return (
    <SettingsPage
      title="Delete account"
      crumbs={[{ label: 'Data & privacy', href: '/account/data' }]}
      lead="Permanently deletes your account and everything in it."
    >
      {blockers.length > 0 && (
        <Alert tone="warning" title="Before you delete your account">
          <ul className="mt-1 grid gap-1">
            {blockers.map(({ text, label, href }) => (
              <li key={href}>
                {text}{' '}
                <Link href={href} prefetch={false} className="underline underline-offset-4">
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </Alert>
      )}
      <ActionForm action={deleteAccount}>
        <SettingCard
          title="Delete your account"
          isDanger
          description="Deletes all your data and signs you out everywhere."
          hint="This can’t be undone."
          action={
            !mustReauthenticateElsewhere(reauthentication) && (
              <SubmitButton variant="destructive">Delete my account</SubmitButton>
            )
          }
        >
          <FormMessage />
          {notices.map((text) => (
            <p key={text} className="text-sm">
              {text}
            </p>
          ))}
          <Field
            label="Type your email to confirm"
            name="typedEmail"
            autoComplete="off"
            spellCheck={false}
            hint={email}
            required
          />
          {reauthentication && <Reauthenticate state={reauthentication} path="/account/delete" />}
        </SettingCard>
      </ActionForm>
    </SettingsPage>
  )
}
