import { ChevronRight, MenuIcon, Search } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { Fragment, type ReactNode } from 'react'
import { buttonVariants } from './button'

export interface Crumb {
  label: string
  href: Route
}

/**
 * A page inside the app shell: the bar at the top with the breadcrumb, and the heading. `title` is the same text as in the
 * metadata of the page. On phones the bar shows the title and the primary action.
 */
export function Page({
  title,
  crumbs = [],
  lead,
  tools,
  actions,
  primary,
  heading,
  isNarrow = false,
  isFlush = false,
  children,
}: {
  title: string
  /** The pages above this one. */
  crumbs?: Crumb[]
  lead?: ReactNode
  /** At the end of the bar. */
  tools?: ReactNode
  /** Beside the heading. */
  actions?: ReactNode
  /** The main action of the page, a link or a small form. Rendered twice, for phones and for wide screens: without ids. */
  primary?: ReactNode
  /** Instead of the heading with title and lead. It must contain an h1; with `false`, the children must. */
  heading?: ReactNode
  /** For forms and settings. */
  isNarrow?: boolean
  /** Without padding, for a page that fills the sheet. */
  isFlush?: boolean
  children: ReactNode
}) {
  return (
    <>
      <header data-slot="top-bar">
        <button
          type="button"
          popoverTarget="app-drawer"
          aria-label="Menu"
          className={buttonVariants({ variant: 'ghost', size: 'icon', className: 'size-11 lg:hidden' })}
        >
          <MenuIcon aria-hidden="true" />
        </button>
        <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
          <ol className="flex min-w-0 items-center gap-1.5 text-muted-foreground text-sm">
            {crumbs.map(({ label, href }) => (
              <Fragment key={href}>
                <li className="max-w-56 shrink-0 truncate max-lg:hidden">
                  <Link href={href} className="hover:text-foreground focus-visible:-outline-offset-2">
                    {label}
                  </Link>
                </li>
                <li aria-hidden="true" className="max-lg:hidden">
                  <ChevronRight className="size-3.5 opacity-60" />
                </li>
              </Fragment>
            ))}
            <li className="min-w-0 truncate font-medium text-foreground max-lg:text-[1.0625rem] max-lg:font-semibold">
              <span aria-current="page">{title}</span>
            </li>
          </ol>
        </nav>
        <a
          href="/search"
          aria-label="Search"
          data-slot="search-button"
          className={buttonVariants({ variant: 'ghost', size: 'icon', className: 'size-11 lg:hidden' })}
        >
          <Search aria-hidden="true" />
        </a>
        {tools}
        {primary && <div className="lg:hidden">{primary}</div>}
      </header>
      <main id="main" className={isFlush ? '' : `px-4 pt-5 pb-10 lg:px-7 ${isNarrow ? 'max-w-2xl' : ''}`}>
        {heading ?? (
          <div className="mb-4 flex flex-wrap items-start gap-2 max-lg:mb-3">
            <div className="min-w-0 flex-1">
              <h1 className="font-semibold text-[1.3125rem] leading-7 tracking-[-0.018em] max-lg:sr-only">{title}</h1>
              {lead && <p className="mt-px text-muted-foreground text-sm">{lead}</p>}
            </div>
            {actions}
            {primary && <div className="max-lg:hidden">{primary}</div>}
          </div>
        )}
        {children}
      </main>
    </>
  )
}
