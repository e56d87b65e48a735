import { Link2 } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { ProviderLogo } from '@/core/ui/provider-logo'
import { RelativeTime } from '@/core/ui/relative-time'
import { SettingRow, SettingRows, SettingsPage } from '@/core/ui/settings-page'
import { EmptyState } from '@/core/ui/surface'
import { listIdentities } from '../../sign-in-methods'

export const metadata = { title: 'Connected accounts' }

export default async function ConnectedAccountsPage() {
  const actor = await requirePermission(signedIn, '/account/connections')
  const identities = await listIdentities(actor.id)
  return (
    <SettingsPage
      title="Connected accounts"
      crumbs={[{ label: 'Security', href: '/account/security' }]}
      lead="Sign in with these accounts instead of a password."
    >
      {identities.length === 0 ? (
        <EmptyState icon={Link2} title="No providers available">
          You can sign in with a password or a passkey.
        </EmptyState>
      ) : (
        <SettingRows>
          {identities.map(({ id, name, logo, since, isOffered }) => (
            <SettingRow
              key={id}
              icon={logo.length > 0 ? <ProviderLogo logo={logo} /> : <Link2 aria-hidden="true" strokeWidth={1.75} />}
              title={name}
              state={
                since ? (
                  <>
                    Connected <RelativeTime at={since} />
                    {!isOffered && ' · no longer available'}
                  </>
                ) : (
                  'Not connected'
                )
              }
              action={
                since ? (
                  <Link
                    href={`/account/connections/${id}/disconnect` as Route}
                    prefetch={false}
                    className={buttonVariants({ variant: 'outline', size: 'small' })}
                  >
                    Disconnect…<span className="sr-only"> {name}</span>
                  </Link>
                ) : (
                  <a href={`/connect/${id}` as Route} className={buttonVariants({ variant: 'outline', size: 'small' })}>
                    Connect<span className="sr-only"> {name}</span>
                  </a>
                )
              }
            />
          ))}
        </SettingRows>
      )}
    </SettingsPage>
  )
}
