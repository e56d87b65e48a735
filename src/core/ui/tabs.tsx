import type { Route } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'

export interface Tab {
  label: ReactNode
  href: Route
  isCurrent: boolean
  count?: number | string | undefined
}

/** Tabs that are pages of their own: links, so they work without JavaScript and can be shared. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav aria-label={label} data-slot="tabs" className="mb-3 border-b">
      <ul className="-mb-px flex gap-0.5 overflow-x-auto">
        {tabs.map((tab) => (
          <li key={tab.href}>
            <Link
              href={tab.href}
              prefetch={false}
              aria-current={tab.isCurrent ? 'page' : undefined}
              className="flex items-center gap-1.75 whitespace-nowrap border-transparent border-b-2 px-2.5 pt-2 pb-2.5 font-[450] text-muted-foreground text-sm hover:text-foreground focus-visible:-outline-offset-2 aria-[current=page]:border-primary aria-[current=page]:font-medium aria-[current=page]:text-foreground"
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="rounded-[5px] bg-secondary px-1.5 text-muted-foreground text-xs leading-4.5 tabular-nums">
                  {tab.count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A few choices of which one is current, each a link. */
export function Segments({ label, options }: { label: string; options: Tab[] }) {
  return (
    <nav aria-label={label} data-slot="segments">
      <ul className="inline-flex rounded-md bg-secondary p-0.5">
        {options.map((option) => (
          <li key={option.href}>
            <Link
              href={option.href}
              prefetch={false}
              aria-current={option.isCurrent ? 'true' : undefined}
              className="flex h-6.5 items-center rounded-sm px-2.5 font-[450] text-[0.8125rem] text-muted-foreground hover:text-foreground aria-[current=true]:bg-[light-dark(#fff,oklch(1_0_0/12%))] aria-[current=true]:font-medium aria-[current=true]:text-foreground aria-[current=true]:shadow-e1"
            >
              {option.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
