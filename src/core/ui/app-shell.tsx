import {
  ChevronsUpDown,
  Keyboard,
  LayoutDashboard,
  LogOut,
  PanelLeft,
  Search,
  Settings,
  VenetianMask,
} from 'lucide-react'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { appName } from '@/brand'
import { moduleUis } from '@/module-uis'
import { isAllowed, signedIn } from '../auth/policy'
import { roleLabel } from '../auth/roles'
import { type Actor, getSession } from '../auth/session/actor'
import { log } from '../log'
import type { NavigationItem, SettingsSection } from '../module-ui'
import type { Scope } from '../scope'
import { commandsFor, scopePagesFor } from '../search/commands'
import { Button } from './button'
import { Logo } from './logo'
import { Menu, MenuButton, MenuSeparator, menuItemClass } from './menu'
import { NavLink } from './nav-link'
import { ShellKeys } from './shell-keys'
import { Avatar, Badge } from './surface'
import { ThemeSwitch } from './theme-switch'

const dashboard: NavigationItem = {
  label: 'Dashboard',
  href: '/dashboard',
  icon: LayoutDashboard,
  group: 'workspace',
  order: 0,
  allow: signedIn,
}

const groups = [
  { group: 'workspace', title: null },
  { group: 'admin', title: 'Admin' },
  { group: 'developers', title: 'Developers' },
] as const

/** The navigation of all modules that a user may use, in order. In a scope, its pages replace those of the workspace. */
function navigationFor({ role }: Pick<Actor, 'role'>, scope: Scope | null): NavigationItem[] {
  const items = moduleUis.flatMap(({ navigation = [] }) => navigation)
  return [
    dashboard,
    ...items.filter(({ group }) => !scope || group !== 'workspace'),
    ...(scope ? scopePagesFor(scope).map((page) => ({ ...page, group: 'workspace' as const })) : []),
  ]
    .filter(({ allow }) => isAllowed(allow.where === 'app' || !scope ? role : scope.role, allow))
    .sort((a, b) => a.order - b.order)
}

/** The sections of the settings, of all modules. */
export const settingsSections = (): SettingsSection[] =>
  moduleUis.flatMap(({ settings = [] }) => settings).sort((a, b) => a.order - b.order)

/**
 * The layout of every page behind sign-in: the sidebar with what the user may use, and the user themselves. Without a
 * session it shows only the page, which then redirects to sign in. The page itself is a `Page`. In a scope, pass its name from the
 * URL.
 */
export async function AppShell({ scope: scopeName, children }: { scope?: string | undefined; children: ReactNode }) {
  const session = await getSession(scopeName)
  if (!session) return children
  const { user, image, impersonatedBy, expires } = session
  const scope = scopeName === undefined ? null : session.scope
  const ShellTop = await moduleUis.find(({ shellTop }) => shellTop)?.shellTop?.()
  // Imported here, so that production builds do not contain it.
  const SetupCard = process.env.NODE_ENV === 'development' ? (await import('./setup-card')).SetupCard : null
  const commands = commandsFor(user.role, { isImpersonated: impersonatedBy !== null, scope })
  const navigation = navigationFor(user, scope)
  const isApple = /Mac OS|iPhone|iPad/.test((await headers()).get('user-agent') ?? '')
  return (
    <div data-slot="shell" data-impersonating={impersonatedBy ? '' : undefined}>
      {/* On phones a drawer that the menu button opens; on wide screens CSS shows it beside the page. */}
      <aside id="app-drawer" popover="auto" aria-label="Sidebar" data-slot="sidebar">
        <div className="flex h-9 items-center gap-2 px-2">
          <a href="/" className="flex min-w-0 items-center gap-2.5 font-semibold text-[0.90625rem] tracking-tight">
            <Logo />
            <span data-slot="sidebar-label">{appName}</span>
          </a>
          {process.env.NODE_ENV === 'development' && (
            <span data-slot="sidebar-label">
              <Badge>dev</Badge>
            </span>
          )}
          <button
            type="button"
            data-toggle-sidebar=""
            aria-label="Collapse or expand the sidebar"
            className="ms-auto grid size-7 place-items-center rounded-sm text-muted-foreground hover:bg-hover max-lg:hidden"
          >
            <PanelLeft aria-hidden="true" className="size-4" strokeWidth={1.75} />
          </button>
        </div>
        {ShellTop && <ShellTop actor={user} scope={scope} />}
        <a
          href="/search"
          data-slot="search-button"
          className="mt-2 mb-1.5 flex h-8 items-center gap-2 rounded-md bg-background px-2 text-[0.8125rem] text-muted-foreground shadow-card"
        >
          <Search aria-hidden="true" className="size-3.75 shrink-0" strokeWidth={1.75} />
          <span data-slot="sidebar-label" className="flex-1">
            Search or jump to…
          </span>
          <kbd data-slot="sidebar-label">{isApple ? '⌘K' : 'Ctrl K'}</kbd>
        </a>
        <nav aria-label="Main" className="-mx-2.5 flex-1 overflow-y-auto px-2.5 pb-4">
          {groups.map(({ group, title }) => (
            <NavigationGroup
              key={group}
              title={title}
              actor={user}
              items={navigation.filter((item) => item.group === group)}
            />
          ))}
        </nav>
        {SetupCard && <SetupCard actor={user} />}
        <UserMenu user={user} image={image} isImpersonated={impersonatedBy !== null} />
      </aside>
      <div data-slot="sheet">
        {impersonatedBy && <ImpersonationBanner user={user} expires={expires} />}
        {children}
      </div>
      {/* Without icons: the palette takes those of the sidebar. */}
      <ShellKeys
        commands={commands.map(({ label, href, hint, keys }) => ({ label, href, hint, keys }))}
        isApple={isApple}
      />
    </div>
  )
}

function NavigationGroup({ title, items, actor }: { title: string | null; items: NavigationItem[]; actor: Actor }) {
  if (items.length === 0) return null
  return (
    <>
      {title && (
        <h2
          data-slot="sidebar-label"
          className="px-2 pt-3.5 pb-1.25 font-medium text-[0.71875rem] text-muted-foreground"
        >
          {title}
        </h2>
      )}
      <ul className="grid gap-0.5">
        {items.map(({ href, label, icon: Icon, badge, isPublic }) => (
          <li key={href} className="relative">
            <NavLink href={href} label={label} isPublic={isPublic ?? false}>
              <Icon aria-hidden="true" strokeWidth={1.75} />
              <span data-slot="sidebar-label" className="flex-1 truncate">
                {label}
              </span>
            </NavLink>
            {badge && <NavigationBadge load={badge} actor={actor} />}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Beside the link, not in it: a link must not change its name with a count. */
async function NavigationBadge({ load, actor }: { load: (actor: Actor) => Promise<string | null>; actor: Actor }) {
  const text = await load(actor).catch((error) => {
    log.warn({ error }, 'could not load a badge of the navigation')
    return null
  })
  return text ? (
    <span
      data-slot="sidebar-label"
      className="pointer-events-none absolute inset-y-0 end-2 flex items-center text-muted-foreground text-xs tabular-nums"
    >
      {text}
    </span>
  ) : null
}

function UserMenu({ user, image, isImpersonated }: { user: Actor; image: string | null; isImpersonated: boolean }) {
  const [settings] = settingsSections()
  return (
    <Menu
      id="user-menu"
      label="Account menu"
      isNamedByTrigger
      position="above"
      className="w-60"
      triggerClassName="flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-start hover:bg-hover"
      trigger={
        <>
          <Avatar id={user.id} name={user.name} image={image} />
          <span data-slot="sidebar-label" className="min-w-0 flex-1">
            <span className="block truncate font-medium text-[0.8125rem] leading-4.25">{user.name}</span>
            <span className="block truncate text-muted-foreground text-xs">{user.email}</span>
          </span>
          <span className="sr-only">Account menu</span>
          <ChevronsUpDown
            data-slot="sidebar-label"
            aria-hidden="true"
            className="size-4 shrink-0 text-muted-foreground"
          />
        </>
      }
    >
      <div className="px-2 pt-1.5 pb-1">
        <p className="truncate font-medium text-sm">{user.name}</p>
        <p className="truncate text-muted-foreground text-xs">{user.email}</p>
        <p className="mt-1.5">
          <Badge>{roleLabel(user.role)}</Badge>
        </p>
      </div>
      <MenuSeparator />
      {isImpersonated && (
        <form method="post" action="/api/auth/acting">
          <MenuButton icon={VenetianMask}>Stop impersonating</MenuButton>
        </form>
      )}
      {settings && !isImpersonated && (
        <a href={settings.href} className={menuItemClass()}>
          <Settings aria-hidden="true" strokeWidth={1.75} />
          Settings
        </a>
      )}
      <div className="flex items-center justify-between gap-3 px-2 py-1" data-slot="theme-row">
        <span className="text-sm">Theme</span>
        <ThemeSwitch />
      </div>
      <MenuButton type="button" icon={Keyboard} hint="?" data-slot="shortcuts-button">
        Keyboard shortcuts
      </MenuButton>
      <MenuSeparator />
      <form method="post" action="/api/auth/signout?callbackUrl=/signed-out">
        <MenuButton icon={LogOut}>Sign out</MenuButton>
      </form>
    </Menu>
  )
}

/** The banner that every page shows during impersonation. */
function ImpersonationBanner({ user, expires }: { user: Actor; expires: Date }) {
  const minutes = Math.max(1, Math.ceil((expires.getTime() - Date.now()) / 60_000))
  return (
    <section
      data-slot="impersonating"
      aria-label="Impersonation"
      className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2 bg-warning-soft px-4 py-2 text-sm text-warning-text lg:rounded-t-lg"
    >
      <VenetianMask aria-hidden="true" className="size-4" strokeWidth={1.75} />
      <p className="wrap-anywhere">
        You’re impersonating <strong>{user.name}</strong> ({user.email}) · {minutes} min left. Your actions are
        recorded.
      </p>
      <form method="post" action="/api/auth/acting">
        <Button type="submit" variant="outline" size="small">
          Stop impersonating
        </Button>
      </form>
    </section>
  )
}
