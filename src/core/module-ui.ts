import type { LucideIcon } from 'lucide-react'
import type { Route } from 'next'
import type { ComponentType, ReactNode } from 'react'
import type { Allow, ScopeAllow } from './auth/policy'
import type { Actor } from './auth/session/actor'
import type { Scope } from './scope'
import type { TimeFormat } from './time/time-format'

/** An entry in the sidebar. Shown to users with the permission; the page still checks it itself. */
export interface NavigationItem {
  label: string
  /** A typed route: an entry for a page that does not exist does not compile. */
  href: Route
  icon: LucideIcon
  group: 'workspace' | 'admin' | 'developers'
  /** Position within the group. */
  order: number
  allow: Allow
  /** A short text at the end of the entry, such as a count; null for none. Read beside the page, so it must be as fast. */
  badge?: (actor: Actor) => Promise<string | null>
  /** The page is outside the app shell. */
  isPublic?: boolean
}

/** An entry in the sidebar of a scope. Shown to members with the permission; the page still checks it itself. */
export interface ScopeNavigationItem extends Pick<NavigationItem, 'label' | 'icon' | 'order'> {
  href: (slug: string) => Route
  allow: ScopeAllow
}

/** At the top of the sidebar: shows which scope is open, and switches to another. */
export type ShellTop = ComponentType<{ actor: Actor; scope: Scope | null }>

/** A section of the settings, in the user menu and beside the settings pages. */
export interface SettingsSection {
  label: string
  /** What can be set there, in a few words. */
  description?: string
  href: Route
  icon: LucideIcon
  order: number
  /** Pages that belong to the section without being below its path. The command palette lists them, too. */
  pages?: Pick<SettingsSection, 'label' | 'href' | 'icon'>[]
}

/** A part of the dashboard. If one fails, the others are still shown. */
export interface Widget {
  id: string
  /** Columns of twelve on a wide screen: small 3 and full 12 across the top, below them large 7 beside medium 5. */
  size: 'small' | 'medium' | 'large' | 'full'
  order: number
  allow: Allow
  /** It depends on the chosen period. Without such a widget the dashboard offers no choice. */
  hasPeriod?: boolean
  load: () => Promise<WidgetComponent>
}

/** Reads its data itself, not in a component below: only then are the others shown if it fails. Null shows nothing. */
export type WidgetComponent = (props: WidgetProps) => ReactNode | Promise<ReactNode>

export interface WidgetProps {
  actor: Actor
  /** The period that the user has chosen on the dashboard, in days. */
  days: number
}

/** An entry of the command palette. */
export interface Command {
  label: string
  href: Route
  icon: LucideIcon
  /** Keys pressed one after the other: `g u`. */
  keys?: string
  allow: Allow
}

export interface SearchResult {
  label: string
  hint: string
  href: string
  /** The id of the user, if the result is one: it is then shown with their avatar. */
  avatarId?: string
}

/** Results of a search for what the user may see, at most five. */
export interface SearchProvider {
  title: string
  allow: Allow
  find: (actor: Actor, text: string) => Promise<SearchResult[]>
}

export interface Fact {
  label: string
  value: ReactNode
}

/** A tab on the page of a user. */
export interface UserTab {
  /** The last part of the URL. */
  slug: string
  label: string
  /** Who sees the tab, among those who may see the page. The component still checks it where it reads. */
  allow?: Allow
  count: (userId: string) => Promise<number>
  load: () => Promise<ComponentType<UserTabProps>>
}

export interface UserTabProps {
  userId: string
  /** The path of the tab with its query, for links to other pages of a list. */
  path: Route
  /** The cursor in the query string. */
  before: string | undefined
}

/** What a module shows on the page of a user, for admins. */
export interface UserPageParts {
  /** Rows of "Sign-in & security". */
  facts?: (userId: string) => Promise<Fact[]>
  /** Tabs beside Overview, Sessions and Activity. */
  tabs?: UserTab[]
}

export type Tone = 'neutral' | 'success' | 'warning' | 'danger'

/** How the audit log tells events of one kind. */
export interface AuditSentence {
  /** What a filter calls events of this kind: "Role changed". */
  name: string
  /** The group of this kind in the filter: "Users". */
  area: string
  icon: LucideIcon
  tone?: Tone
  /** The event as a sentence without a period. Its first letter is capitalized later, because a name may be missing. */
  say: (parts: AuditParts) => ReactNode
  /** A short addition beside device and IP, such as the reason of a failure. */
  note?: (details: AuditDetails, times: TimeFormat) => string | null
  /** Events of this kind that follow each other closely, by the same user from the same IP, are shown as one row. */
  isGrouped?: boolean
}

export interface AuditParts {
  /** The user who did it, linked where the reader may follow; null if it is not known, or if the app did it. */
  actor: ReactNode
  /** The user it was done to. */
  target: ReactNode
  /** Actor and target are the same user. */
  isSelf: boolean
  /** What the event is about, such as a post, linked; null if it no longer exists. See `auditSubjects`. */
  subject: ReactNode
  details: AuditDetails
  /** How many events the sentence stands for. */
  count: number
  /** The reader looks at the page of one of the users, so the sentence may leave that user out. */
  isOnUserPage: boolean
}

export type AuditDetails = Record<string, unknown>

export interface AuditSubject {
  label: string
  href: Route
}

/** A step of "Set up your app", in development. */
export interface SetupStep {
  /** Begins with a verb: "Invite a teammate". */
  title: string
  /** How to do it, where it is not done on a page. */
  hint?: string
  /** The page where it is done. */
  link?: { label: string; href: Route }
  order: number
  isDone: () => Promise<boolean>
}

/** What a module adds to the pages of others: its file `ui.tsx`. Everything is optional; import heavy parts in `load`. */
export interface ModuleUi {
  navigation?: NavigationItem[]
  /** Its pages in a scope. */
  scopeNavigation?: ScopeNavigationItem[]
  /** The slot at the top of the sidebar. The module that has the scopes fills it. */
  shellTop?: () => Promise<ShellTop>
  settings?: SettingsSection[]
  /** What each permission of the module lets a user do: "Suspend and restore users". */
  permissions?: Record<string, string>
  widgets?: Widget[]
  commands?: Command[]
  search?: SearchProvider[]
  userPage?: UserPageParts
  /** Sentences for the audit events that the module records, by kind. */
  audit?: Record<string, AuditSentence>
  /**
   * Finds what audit events are about, by the name of the detail that holds its id. Called once for all events of a page;
   * leaves out what the reader may not see.
   */
  auditSubjects?: Record<string, (reader: Actor, ids: string[]) => Promise<Map<string, AuditSubject>>>
  setup?: SetupStep[]
}

/** @public Every module with a `ui.tsx` calls it; an app without modules does not. */
export function defineModuleUi(ui: ModuleUi): ModuleUi {
  return ui
}
