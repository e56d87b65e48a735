import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/actor'
import { AppShell } from '@/core/ui/app-shell'
import { NavLink } from '@/core/ui/nav-link'
import { modules } from '@/modules'

const sections: { href: Route; label: string }[] = [
  { href: '/account/profile', label: 'Profile' },
  { href: '/account/email', label: 'E-mail address' },
  { href: '/account/password', label: 'Password' },
  { href: '/account/two-step', label: 'Two-step sign-in' },
  { href: '/account/passkeys', label: 'Passkeys' },
  { href: '/account/connections', label: 'Connected accounts' },
  { href: '/account/devices', label: 'Devices' },
  { href: '/account/tokens', label: 'API tokens' },
  { href: '/account/data', label: 'Your data' },
  { href: '/account/delete', label: 'Delete' },
]

export default async function AccountLayout({ children }: LayoutProps<'/account'>) {
  const actor = await getActor()
  if (!actor) redirect('/signin?callbackUrl=/account')
  return (
    <AppShell actor={actor} navigation={modules.flatMap((module) => module.navigation ?? [])}>
      <div className="grid gap-8 lg:grid-cols-[12rem_1fr]">
        <nav aria-label="Account" className="flex flex-wrap gap-1 lg:flex-col">
          {sections.map(({ href, label }) => (
            <NavLink key={href} href={href} label={label} />
          ))}
        </nav>
        <div className="grid max-w-2xl content-start gap-8">{children}</div>
      </div>
    </AppShell>
  )
}
