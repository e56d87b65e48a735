import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { ActionForm, Field, FormMessage, ResultText, SubmitButton } from '@/core/ui/form'
import { findReauthentication, mustReauthenticateElsewhere, Reauthenticate } from '@/core/ui/reauthenticate'
import { SettingCard, SettingsPage } from '@/core/ui/settings-page'
import { Alert } from '@/core/ui/surface'
import { cancelEmailChange, changeEmail } from '../../actions'
import { findPendingEmail } from '../../email-change'

export const metadata = { title: 'Email' }

export default async function EmailPage() {
  const actor = await requirePermission(signedIn, '/account/email')
  const [pending, reauthentication] = await Promise.all([findPendingEmail(actor.id), findReauthentication()])
  return (
    <SettingsPage
      title="Email"
      crumbs={[{ label: 'Profile', href: '/account/profile' }]}
      lead={
        <>
          You sign in with <span className="wrap-anywhere">{actor.email}</span>, and we send notifications there.
        </>
      }
    >
      <ActionForm
        action={changeEmail}
        done={
          <Alert as="p" tone="success" role="status" tabIndex={-1} className="wrap-anywhere">
            We sent a link to <ResultText name="email" />. Open it to confirm the change.
          </Alert>
        }
      >
        <SettingCard
          title="Change email"
          hint="We’ll let your current address know."
          action={!mustReauthenticateElsewhere(reauthentication) && <SubmitButton>Send confirmation link</SubmitButton>}
        >
          <FormMessage />
          <Field
            label="New email"
            name="email"
            type="email"
            autoComplete="email"
            spellCheck={false}
            hint="We’ll send a confirmation link there."
            required
          />
          {reauthentication && <Reauthenticate state={reauthentication} path="/account/email" />}
        </SettingCard>
      </ActionForm>
      {pending && (
        <ActionForm action={cancelEmailChange}>
          <SettingCard
            title="Unconfirmed change"
            description={<p className="wrap-anywhere">Waiting for you to confirm {pending}.</p>}
            hint="Your current email stays until then."
            action={<SubmitButton variant="outline">Cancel change</SubmitButton>}
          >
            <FormMessage />
          </SettingCard>
        </ActionForm>
      )}
    </SettingsPage>
  )
}
