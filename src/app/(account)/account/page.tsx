import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { SettingsHome } from '@/core/ui/settings-page'

export const metadata = { title: 'Settings' }

export default async function AccountPage() {
  await requirePermission(signedIn, '/account')
  return <SettingsHome />
}
