import type { Route } from 'next'
import { getActor } from '@/core/auth/actor'
import { isAllowed } from '@/core/auth/policy'
import { AppShell } from '@/core/ui/app-shell'
import { NavLink } from '@/core/ui/nav-link'
import { modules } from '@/modules'
import { can } from '../policy'

const sections: { href: Route; label: string }[] = [
  { href: '/admin/overview', label: 'Overview' },
  { href: '/admin/users', label: 'People' },
  { href: '/admin/invitations', label: 'Invitations' },
  { href: '/admin/audit', label: 'Audit log' },
  { href: '/admin/permissions', label: 'Permissions' },
]

export default async function AdminLayout({ children }: LayoutProps<'/admin'>) {
  const actor = await getActor()
  // The page refuses them, and knows its own address: strangers come back to it.
  if (!actor || !isAllowed(actor.role, can('users.read'))) return children
  return (
    <AppShell actor={actor} navigation={modules.flatMap((module) => module.navigation ?? [])}>
      <div className="grid gap-6">
        <nav aria-label="Admin" className="flex flex-wrap gap-1 border-b pb-2">
          {sections.map(({ href, label }) => (
            <NavLink key={href} href={href} label={label} />
          ))}
        </nav>
        {children}
      </div>
    </AppShell>
  )
}
