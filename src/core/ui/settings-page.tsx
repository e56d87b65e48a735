import { ChevronLeft, ChevronRight } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { modules } from '@/modules'
import { settingsSections } from './app-shell'
import { NavLink } from './nav-link'
import { type Crumb, Page } from './page'
import { TitledCard } from './surface'

/** The page that lists the sections, which a module has. */
const settingsHome = () => modules.find((module) => module.settingsHome)?.settingsHome

/** A page of the settings, beside the list of their sections. On phones the list is a page of its own. */
export function SettingsPage({
  title,
  lead,
  crumbs = [],
  children,
}: {
  title: string
  lead?: ReactNode
  /** The pages between the list of sections and this one. */
  crumbs?: Crumb[]
  children: ReactNode
}) {
  const home = settingsHome()
  const back = crumbs.at(-1) ?? (home ? { label: 'All settings', href: home } : undefined)
  return (
    <Page title={title} crumbs={[...(home ? [{ label: 'Settings', href: home }] : []), ...crumbs]} heading={false}>
      <div className="gap-10 lg:grid lg:grid-cols-[12.5rem_minmax(0,40rem)]">
        <SettingsNavigation />
        <div className="grid min-w-0 grid-cols-1 content-start gap-5">
          <div>
            {back && (
              <Link
                href={back.href}
                className="-ms-1 mb-1 inline-flex min-h-8 items-center gap-1 text-muted-foreground text-sm hover:text-foreground lg:hidden"
              >
                <ChevronLeft aria-hidden="true" className="size-4" />
                {back.label}
              </Link>
            )}
            <h1 className="font-semibold text-[1.3125rem] leading-7 tracking-[-0.018em] max-lg:sr-only">{title}</h1>
            {lead && <p className="mt-px text-muted-foreground text-sm">{lead}</p>}
          </div>
          {children}
        </div>
      </div>
    </Page>
  )
}

function SettingsNavigation() {
  return (
    <nav aria-label="Settings" className="max-lg:hidden">
      <ul className="grid gap-0.5 lg:sticky lg:top-20">
        {settingsSections().map(({ href, label, icon: Icon, pages = [] }) => (
          <li key={href}>
            <NavLink href={href} label={label} pages={pages.map((page) => page.href)}>
              <Icon aria-hidden="true" strokeWidth={1.75} />
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The list of all sections, each a card. */
export function SettingsHome() {
  return (
    <Page title="Settings" lead="Your profile, how you sign in, and where you’re signed in.">
      <nav aria-label="Settings">
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {settingsSections().map(({ href, label, description, icon: Icon }) => (
            <li key={href}>
              <Link
                href={href}
                prefetch={false}
                className="flex h-full items-center gap-3.5 rounded-lg bg-card px-4 py-3.5 shadow-card hover:bg-muted"
              >
                <IconTile>
                  <Icon aria-hidden="true" strokeWidth={1.75} />
                </IconTile>
                <span className="min-w-0 flex-1">
                  <span className="block font-medium text-sm">{label}</span>
                  {description && <span className="block text-[0.8125rem] text-muted-foreground">{description}</span>}
                </span>
                <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-faint" />
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </Page>
  )
}

/** An icon on a small surface of its own. */
export const IconTile = ({ children }: { children: ReactNode }) => (
  <span className="grid size-9 shrink-0 place-items-center rounded-md bg-secondary text-muted-foreground [&_svg]:size-4.5">
    {children}
  </span>
)

/**
 * One setting: what it is, its control, and a strip with a hint and the button. A form goes around it:
 * `<ActionForm><SettingCard action={<SubmitButton>…` .
 */
export function SettingCard({
  title,
  description,
  hint,
  action,
  isDanger = false,
  children,
}: {
  title: string
  description?: ReactNode
  hint?: ReactNode
  action?: ReactNode
  isDanger?: boolean
  children?: ReactNode
}) {
  return (
    <TitledCard
      title={title}
      isDanger={isDanger}
      footer={
        (hint || action) && (
          <>
            {/* Without a hint it takes no line of its own, so the button stays on the right. */}
            <p className={hint ? 'min-w-0 flex-1 basis-48' : 'flex-1'}>{hint}</p>
            {action}
          </>
        )
      }
    >
      <div className={`grid grid-cols-1 gap-4 px-4.5 pb-4.5 ${description ? 'pt-0.5' : 'pt-3'}`}>
        {description && <div className="text-muted-foreground text-sm">{description}</div>}
        {children}
      </div>
    </TitledCard>
  )
}

/** Items of a setting in one card. */
export const SettingRows = ({ children }: { children: ReactNode }) => (
  <ul data-slot="card" className="divide-y rounded-lg bg-card shadow-card">
    {children}
  </ul>
)

/** An item: a picture, what it is, its state, and what can be done with it; more below it. */
export function SettingRow({
  icon,
  title,
  state,
  action,
  children,
}: {
  icon: ReactNode
  title: ReactNode
  state: ReactNode
  action?: ReactNode
  children?: ReactNode
}) {
  return (
    <li className="grid grid-cols-1 gap-3.5 px-4.5 py-3.5">
      <div className="flex flex-wrap items-center gap-x-3.5 gap-y-3">
        <IconTile>{icon}</IconTile>
        <div className="min-w-0 flex-1 basis-40 text-sm">
          <p className="wrap-anywhere font-medium">{title}</p>
          <p className="text-[0.8125rem] text-muted-foreground">{state}</p>
        </div>
        {action}
      </div>
      {children}
    </li>
  )
}
