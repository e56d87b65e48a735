import { FingerprintPattern, LifeBuoy, Link2, Lock, type LucideIcon, ShieldCheck } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { RelativeTime } from '@/core/ui/relative-time'
import { SettingRow, SettingRows, SettingsPage } from '@/core/ui/settings-page'
import { Alert, Badge } from '@/core/ui/surface'
import { describeProtection } from '../../describe-protection'
import { findSecurity } from '../../find-security'

export const metadata = { title: 'Security' }

export default async function SecurityPage() {
  const actor = await requirePermission(signedIn, '/account/security')
  const { passwordChangedAt, twoFactorSince, codesLeft, passkeyCount, passkeyLastUsedAt, providers } =
    await findSecurity(actor.id)
  const { text, isSecured } = describeProtection({
    hasPassword: passwordChangedAt !== null,
    isTwoFactorOn: twoFactorSince !== null,
    passkeyCount,
    providers,
  })
  return (
    <SettingsPage title="Security" lead="How you sign in, and what protects your account.">
      <Alert as="p" tone={isSecured ? 'success' : 'warning'}>
        {text}
      </Alert>
      <SettingRows>
        <SecurityRow
          icon={Lock}
          title="Password"
          href="/account/password"
          action={passwordChangedAt ? 'Change' : 'Set'}
          state={
            passwordChangedAt ? (
              <>
                Changed <RelativeTime at={passwordChangedAt} />
              </>
            ) : (
              'Not set'
            )
          }
        />
        <SecurityRow
          icon={ShieldCheck}
          title="Two-factor authentication"
          href="/account/two-factor"
          action={twoFactorSince ? 'Manage' : 'Turn on'}
          badge={twoFactorSince ? <Badge tone="success">On</Badge> : <Badge>Off</Badge>}
          state={
            twoFactorSince ? (
              <>
                Authenticator app, since <RelativeTime at={twoFactorSince} />
              </>
            ) : (
              'Require a code from an authenticator app when you sign in'
            )
          }
        />
        {twoFactorSince && (
          <SecurityRow
            icon={LifeBuoy}
            title="Recovery codes"
            href="/account/two-factor"
            action="Manage"
            badge={codesLeft < 3 && <Badge tone="warning">Running out</Badge>}
            state={`${codesLeft} ${codesLeft === 1 ? 'code' : 'codes'} left`}
          />
        )}
        <SecurityRow
          icon={FingerprintPattern}
          title="Passkeys"
          href="/account/passkeys"
          action={passkeyCount > 0 ? 'Manage' : 'Add'}
          state={
            passkeyCount > 0 ? (
              <>
                {passkeyCount} {passkeyCount === 1 ? 'passkey' : 'passkeys'}
                {passkeyLastUsedAt ? ', last used ' : ', never used'}
                {passkeyLastUsedAt && <RelativeTime at={passkeyLastUsedAt} />}
              </>
            ) : (
              'None'
            )
          }
        />
        <SecurityRow
          icon={Link2}
          title="Connected accounts"
          href="/account/connections"
          action="Manage"
          state={providers.length > 0 ? providers.join(', ') : 'None'}
        />
      </SettingRows>
    </SettingsPage>
  )
}

/** A sign-in method with its state, and the link to the page that changes it. */
function SecurityRow({
  icon: Icon,
  title,
  badge,
  state,
  href,
  action,
}: {
  icon: LucideIcon
  title: string
  badge?: ReactNode
  state: ReactNode
  href: Route
  /** The verb of the link. */
  action: string
}) {
  return (
    <SettingRow
      icon={<Icon aria-hidden="true" strokeWidth={1.75} />}
      title={
        <span className="flex flex-wrap items-center gap-x-2">
          {title}
          {badge}
        </span>
      }
      state={state}
      action={
        <Link href={href} prefetch={false} className={buttonVariants({ variant: 'outline', size: 'small' })}>
          {action}…<span className="sr-only"> {title.toLowerCase()}</span>
        </Link>
      }
    />
  )
}
