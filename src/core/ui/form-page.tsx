import { Link2Off, type LucideIcon } from 'lucide-react'
import type { Route } from 'next'
import type { ReactNode } from 'react'
import { appName } from '@/brand'
import { BrandPanel } from './brand-panel'
import { buttonVariants } from './button'
import { Logo } from './logo'
import { ThemeSwitch } from './theme-switch'

/**
 * A page with a single form: a narrow column and, on wide screens, the brand beside it. What replaces the form when it is done
 * may bring its own `FormHeading`: an element with `data-done` hides that of the page.
 */
export function FormPage({
  title,
  icon,
  lead,
  children,
}: {
  title: string
  icon?: LucideIcon
  lead?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className="grid lg:grid-cols-2" style={{ minHeight: '100dvh' }}>
      <div className="grid min-w-0 items-start" style={{ gridTemplateRows: 'auto 1fr' }}>
        <header className="flex h-16 items-center gap-3 px-4 sm:px-6">
          <a href="/" className="flex min-w-0 items-center gap-2 font-semibold text-base tracking-tight">
            <Logo />
            <span className="truncate">{appName}</span>
          </a>
          <div className="ms-auto flex shrink-0 items-center gap-3">
            <a href="/dashboard" data-when="signed-in" className={buttonVariants({ variant: 'ghost', size: 'small' })}>
              Dashboard
            </a>
            <ThemeSwitch />
          </div>
        </header>
        <main id="main" data-slot="form-page" className="mx-auto grid w-full max-w-sm gap-6 px-4 py-8 lg:self-center">
          <div className="[main:has([data-done])_&]:hidden">
            <FormHeading title={title} icon={icon} lead={lead} />
          </div>
          {children}
        </main>
      </div>
      <BrandPanel />
    </div>
  )
}

/** The heading of a page with a single form. */
export function FormHeading({
  title,
  icon: Icon,
  lead,
}: {
  title: string
  icon?: LucideIcon | undefined
  lead?: ReactNode
}) {
  return (
    <div className="grid gap-1.5">
      {Icon && (
        <span className="mb-2 grid size-11 place-items-center rounded-full bg-accent text-primary-text">
          <Icon aria-hidden="true" className="size-5" strokeWidth={1.75} />
        </span>
      )}
      <h1 className="font-semibold text-[1.625rem] leading-8 tracking-[-0.02em]">{title}</h1>
      {lead && <p className="text-muted-foreground text-sm">{lead}</p>}
    </div>
  )
}

/** For a link of an email that was used or is too old: says why, and offers the next step. */
export function ExpiredLinkPage({
  lead,
  href,
  label,
  children,
}: {
  lead: string
  href: Route
  label: string
  children?: ReactNode
}) {
  return (
    <FormPage title="This link has expired" icon={Link2Off} lead={lead}>
      <a href={href} className={buttonVariants({ size: 'form' })}>
        {label}
      </a>
      {children}
    </FormPage>
  )
}
