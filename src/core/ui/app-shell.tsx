import type { ReactNode } from 'react'
import type { Actor } from '../auth/actor'
import { isAllowed } from '../auth/policy'
import type { NavigationItem } from '../module'
import { Button } from './button'
import { Logo } from './logo'
import { NavLink } from './nav-link'
import { Avatar } from './surface'
import { ThemeSwitch } from './theme-switch'

/** The frame of everything behind sign-in: navigation that the caller may use, and who the caller is. */
export function AppShell({
  actor,
  navigation,
  children,
}: {
  actor: Actor
  navigation: NavigationItem[]
  children: ReactNode
}) {
  const links = (
    <nav aria-label="Main" className="grid gap-1">
      <NavLink href="/dashboard" label="Dashboard" />
      {navigation
        .filter(({ allow }) => isAllowed(actor.role, allow))
        .map(({ href, label }) => (
          <NavLink key={href} href={href} label={label} />
        ))}
    </nav>
  )
  const person = (
    <div className="grid gap-3">
      <div className="flex items-center gap-3">
        <Avatar name={actor.name} />
        <div className="min-w-0 text-sm">
          <p className="truncate font-medium">{actor.name}</p>
          <p className="truncate text-muted-foreground">{actor.email}</p>
        </div>
      </div>
      <div className="flex items-center justify-between gap-2">
        <form method="post" action="/api/auth/signout?callbackUrl=/signed-out">
          <Button type="submit" variant="outline" size="small">
            Sign out
          </Button>
        </form>
        <ThemeSwitch />
      </div>
    </div>
  )
  const brand = (
    <a href="/" className="flex items-center gap-2 font-semibold tracking-tight">
      <Logo />
      Plinth
    </a>
  )
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[16rem_1fr]">
      <aside className="sticky top-0 hidden h-dvh flex-col gap-6 border-e bg-muted/50 p-4 lg:flex">
        <div className="px-3 pt-1">{brand}</div>
        <div className="flex-1 overflow-y-auto">{links}</div>
        {person}
      </aside>
      <div>
        <header className="flex items-start justify-between border-b bg-background px-4 py-3 lg:hidden">
          <div className="py-1.5">{brand}</div>
          <details className="group relative">
            <summary className="list-none rounded-md border border-input px-3 py-1.5 text-sm">Menu</summary>
            <div className="absolute end-0 z-30 mt-2 grid w-72 gap-6 rounded-lg border bg-popover p-4 shadow-lg">
              {links}
              {person}
            </div>
          </details>
        </header>
        <main id="main" className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8">
          {children}
        </main>
      </div>
    </div>
  )
}
