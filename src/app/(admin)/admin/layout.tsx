import { isAllowed } from '@/core/auth/policy'
import { getActor } from '@/core/auth/session/actor'
import { AppShell } from '@/core/ui/app-shell'
import { AdminToast } from '../_components/admin-toast'
import { can } from '../policy'

export default async function AdminLayout({ children, dialog }: LayoutProps<'/admin'>) {
  // The page or the dialog itself rejects them: only it knows its path, which unauthenticated users return to after sign-in.
  if (!isAllowed((await getActor())?.role, can('users.read')))
    return (
      <>
        {children}
        {dialog}
      </>
    )
  return (
    <AppShell>
      {children}
      {dialog}
      <AdminToast />
    </AppShell>
  )
}
