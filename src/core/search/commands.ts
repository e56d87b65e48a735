import { LayoutDashboard, Settings } from 'lucide-react'
import { moduleUis } from '@/module-uis'
import { isAllowed, type Role, signedIn } from '../auth/policy'
import type { Command, NavigationItem } from '../module-ui'
import type { Scope } from '../scope'

const dashboard: Command = {
  label: 'Dashboard',
  href: '/dashboard',
  icon: LayoutDashboard,
  keys: 'g d',
  allow: signedIn,
}

type FoundCommand = Command & { hint?: string }

const byOrder = (a: { order: number }, b: { order: number }) => a.order - b.order

/** The sections of the settings and their pages. An admin who impersonates a user cannot open them. */
function settingsCommands(): FoundCommand[] {
  const sections = moduleUis.flatMap(({ settings = [] }) => settings).sort(byOrder)
  const [first] = sections
  if (!first) return []
  return [
    { label: 'Settings', href: first.href, icon: Settings, keys: 'g s', allow: signedIn },
    ...sections
      .flatMap((section) => [section, ...(section.pages ?? [])])
      .map(({ label, href, icon }) => ({ label, href, icon, hint: 'Settings', allow: signedIn })),
  ]
}

/** The pages of modules in a scope that its member may use, in order. */
export const scopePagesFor = ({ slug, role }: Scope): Omit<NavigationItem, 'group'>[] =>
  moduleUis
    .flatMap(({ scopeNavigation = [] }) => scopeNavigation)
    .filter(({ allow }) => isAllowed(role, allow))
    .map((item) => ({ ...item, href: item.href(slug) }))
    .sort(byOrder)

interface CommandOptions {
  isImpersonated?: boolean
  /** The scope that is open. */
  scope?: Scope | null
}

/** What a user can jump to: the commands of modules, the pages of the sidebar, and the sections of the settings. */
export function commandsFor(role: Role, { isImpersonated = false, scope = null }: CommandOptions = {}): FoundCommand[] {
  const pages = moduleUis.flatMap(({ navigation = [] }) => navigation).sort(byOrder)
  const commands: FoundCommand[] = [
    ...moduleUis.flatMap((ui) => ui.commands ?? []),
    dashboard,
    ...pages.map(({ label, href, icon, allow }) => ({ label, href, icon, allow })),
    ...(isImpersonated ? [] : settingsCommands()),
  ]
  const scopePages = scope ? scopePagesFor(scope) : []
  // A command may only add keys to a page of the sidebar: it has the same label and is listed once.
  const seen = new Set<string>()
  const inApp = commands.filter(({ label, href, allow }) => {
    const name = `${label} ${href}`
    if (seen.has(name) || !isAllowed(role, allow)) return false
    seen.add(name)
    return true
  })
  return [...scopePages.map((page) => ({ ...page, hint: scope?.name ?? '' })), ...inApp]
}
