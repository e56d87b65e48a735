import type { ReactNode } from 'react'
import { appName } from '../app-name'
import { type Actor, getSession } from '../auth/actor'
import { isAllowed } from '../auth/policy'
import type { NavigationItem } from '../module'
import { Button } from './button'
import { Logo } from './logo'
import { NavLink } from './nav-link'
import { Avatar } from './surface'
import { ThemeSwitch } from './theme-switch'

/** The frame of everything behind sign-in: navigation that the caller may use, and who the caller is. */
export async function AppShell({
  actor,
  navigation,
  children,
}: {
  actor: Actor
  navigation: NavigationItem[]
  children: ReactNode
}) {
  const session = await getSession()
  const image = session?.image
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
    <div className="grid grid-cols-1 gap-3">
      <div className="flex items-center gap-3">
        <Avatar name={actor.name} image={image} />
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
      {appName}
    </a>
  )
  return (
    <>
      {session?.actingAdmin && <Acting admin={session.actingAdmin.name} person={actor} />}
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
              <div className="absolute end-0 z-30 mt-2 grid w-72 grid-cols-1 gap-6 rounded-lg border bg-popover p-4 shadow-lg">
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
    </>
  )
}

/** Says on every page that what one sees is somebody else's. */
function Acting({ admin, person }: { admin: string; person: Actor }) {
  return (
    <section
      data-slot="acting"
      aria-label="Acting for somebody else"
      className="sticky top-0 z-40 flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-warning border-b-2 bg-background px-4 py-2 text-sm"
    >
      <p className="wrap-anywhere">
        {admin}, you act for <strong>{person.name}</strong> ({person.email}). What you do is written down.
      </p>
      <form method="post" action="/api/auth/acting">
        <Button type="submit" variant="outline" size="small">
          Stop
        </Button>
      </form>
    </section>
  )
}
