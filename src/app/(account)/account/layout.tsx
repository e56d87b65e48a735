import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/session/actor'
import { AppShell } from '@/core/ui/app-shell'

export default async function AccountLayout({ children, dialog }: LayoutProps<'/account'>) {
  if (!(await getActor())) redirect('/signin?callbackUrl=/account')
  return (
    <AppShell>
      {children}
      {dialog}
    </AppShell>
  )
}
