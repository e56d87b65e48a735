import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import type { Crumb } from '@/core/ui/page'
import { findReauthentication, mustReauthenticateElsewhere, Reauthenticate } from '@/core/ui/reauthenticate'
import { RelativeTime } from '@/core/ui/relative-time'
import { SettingCard, SettingsPage } from '@/core/ui/settings-page'
import { Badge, Card } from '@/core/ui/surface'
import { RecoveryCodes } from '../../_components/recovery-codes'
import { disableTwoFactor, prepareTwoFactor, renewRecoveryCodes } from '../../actions'
import { findTwoFactor } from '../../second-factor'

export const metadata = { title: 'Two-factor authentication' }

const crumbs: Crumb[] = [{ label: 'Security', href: '/account/security' }]
const lead = 'Require a code from an authenticator app when you sign in.'

export default async function TwoFactorPage() {
  const actor = await requirePermission(signedIn, '/account/two-factor')
  const [{ since, codesLeft }, reauthentication] = await Promise.all([findTwoFactor(actor.id), findReauthentication()])
  if (!since) {
    return (
      <SettingsPage title="Two-factor authentication" crumbs={crumbs} lead={lead}>
        <ActionForm action={prepareTwoFactor}>
          <SettingCard
            title="Authenticator app"
            description="A stolen password alone won’t get anyone in."
            hint="Two-factor is off."
            action={!mustReauthenticateElsewhere(reauthentication) && <SubmitButton>Turn on</SubmitButton>}
          >
            <FormMessage />
            {reauthentication && <Reauthenticate state={reauthentication} path="/account/two-factor" />}
          </SettingCard>
        </ActionForm>
      </SettingsPage>
    )
  }
  const canSubmit = !mustReauthenticateElsewhere(reauthentication)
  const confirm = reauthentication && <Reauthenticate state={reauthentication} path="/account/two-factor" />
  return (
    <SettingsPage title="Two-factor authentication" crumbs={crumbs} lead={lead}>
      <SettingCard
        title="Authenticator app"
        description={
          <p>
            <Badge tone="success">On</Badge> since <RelativeTime at={since} />. You’ll enter a code each time you sign
            in, unless you use a passkey.
          </p>
        }
      />
      <ActionForm
        action={renewRecoveryCodes}
        done={
          <Card>
            <RecoveryCodes />
          </Card>
        }
      >
        <SettingCard
          title="Recovery codes"
          description={
            codesLeft === 0
              ? 'No codes left. Generate new ones now.'
              : `${codesLeft} ${codesLeft === 1 ? 'code' : 'codes'} left. Use one to sign in without your authenticator app.`
          }
          hint="Your current codes will stop working."
          action={canSubmit && <SubmitButton variant="outline">Generate new codes</SubmitButton>}
        >
          <FormMessage />
          {confirm}
        </SettingCard>
      </ActionForm>
      <ActionForm action={disableTwoFactor}>
        <SettingCard
          title="Turn off two-factor"
          isDanger
          description="You’ll sign in with just your password."
          action={canSubmit && <SubmitButton variant="destructive">Turn off</SubmitButton>}
        >
          <FormMessage />
          {confirm}
        </SettingCard>
      </ActionForm>
    </SettingsPage>
  )
}
