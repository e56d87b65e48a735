import { redirect } from 'next/navigation'
import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { ActionForm } from '@/core/ui/form'
import { SettingsPage } from '@/core/ui/settings-page'
import { Alert, Card } from '@/core/ui/surface'
import { RecoveryCodesStep } from '../../../_components/recovery-codes-step'
import { ScanStep, VerifyStep } from '../../../_components/set-up-authenticator'
import { enableTwoFactor } from '../../../actions'
import { redirectUnlessReauthenticated } from '../../../redirect-unless-reauthenticated'
import { hasTwoFactor } from '../../../second-factor'
import { findSetup } from '../../../two-factor-setup'

export const metadata = { title: 'Set up two-factor authentication' }

const path = '/account/two-factor/setup'

/** In three steps: scan the QR code, enter the first code, save the recovery codes, which are the result of the form. */
export default async function SetUpPage({ searchParams }: PageProps<'/account/two-factor/setup'>) {
  const actor = await requirePermission(signedIn, path)
  await redirectUnlessReauthenticated(path)
  const { step } = await searchParams
  // Null once TOTP is on. The form must still render then, to show the recovery codes of its result.
  const setup = await findSetup(actor.id, actor.email)
  if (!setup && !(await hasTwoFactor(actor.id))) redirect('/account/two-factor')
  return (
    <SettingsPage
      title="Set up two-factor authentication"
      crumbs={[
        { label: 'Security', href: '/account/security' },
        { label: 'Two-factor authentication', href: '/account/two-factor' },
      ]}
      lead="Use an authenticator app on your phone, or your password manager."
    >
      <Card>
        {setup && step !== 'code' ? (
          <ScanStep {...setup} next="/account/two-factor/setup?step=code" />
        ) : (
          <ActionForm action={enableTwoFactor} className="grid grid-cols-1 gap-6" done={<RecoveryCodesStep />}>
            {setup ? (
              <VerifyStep back={path} />
            ) : (
              <Alert as="p" tone="success">
                Two-factor authentication is on.{' '}
                <a href="/account/two-factor" className="underline underline-offset-4">
                  Back
                </a>
              </Alert>
            )}
          </ActionForm>
        )}
      </Card>
    </SettingsPage>
  )
}
