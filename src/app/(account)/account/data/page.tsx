import { Download } from 'lucide-react'
import Link from 'next/link'
import { signedIn } from '@/core/auth/policy'
import { getSession, requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { reauthenticationPath } from '@/core/ui/reauthenticate'
import { SettingCard, SettingsPage } from '@/core/ui/settings-page'

export const metadata = { title: 'Data & privacy' }

export default async function DataPage() {
  await requirePermission(signedIn, '/account/data')
  const session = await getSession()
  return (
    <SettingsPage title="Data & privacy" lead="Download a copy of your data, or delete your account.">
      <SettingCard
        title="Your data"
        description="You’ll get a ZIP of JSON files with:"
        hint="Passwords and secrets aren’t included."
        action={
          // Not Link, which would prefetch the export.
          <a
            href={session?.isReauthenticated ? '/api/account/export' : reauthenticationPath('/account/data')}
            className={buttonVariants()}
          >
            <Download aria-hidden="true" />
            Download my data
          </a>
        }
      >
        <ul className="grid list-disc gap-1.5 ps-5 text-sm">
          <li>Your name, email, role and preferences, and your photo as an image file</li>
          <li>Your sessions and connected accounts</li>
          <li>Your passkeys and API tokens by name, and whether two-factor authentication is on</li>
          <li>Your account activity, with time, IP address and browser</li>
          <li>What you’ve created in other parts of this app</li>
        </ul>
      </SettingCard>
      <SettingCard
        title="Delete account"
        isDanger
        description="Permanently deletes your account and everything in it, and signs you out everywhere."
        hint="This can’t be undone. Download your data first if you want to keep it."
        action={
          <Link href="/account/delete" prefetch={false} className={buttonVariants({ variant: 'danger' })}>
            Delete account…
          </Link>
        }
      />
    </SettingsPage>
  )
}
