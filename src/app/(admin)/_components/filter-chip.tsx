import { CirclePlus, X } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Menu } from '@/core/ui/menu'

/** A filter: a button that opens its menu, with the value and a link that clears it once it is set. */
export function FilterChip({
  id,
  label,
  value,
  clearHref,
  children,
}: {
  id: string
  label: string
  /** What the filter is set to; empty if it is not. */
  value: string
  clearHref: Route
  children: ReactNode
}) {
  const look = value ? 'bg-card shadow-button' : 'border border-border-strong border-dashed text-muted-foreground'
  return (
    <div className={`inline-flex h-8.5 max-w-full items-center rounded-md text-[0.8125rem] max-sm:h-11 ${look}`}>
      <Menu
        id={id}
        label={value ? `${label} ${value}` : label}
        position="below start"
        triggerClassName={`flex h-full min-w-0 items-center gap-1.5 rounded-md hover:text-foreground ${value ? 'ps-2.75 pe-1.5' : 'px-2.75'} [&_svg]:size-3.5`}
        trigger={
          value ? (
            <>
              {label} <span className="truncate font-medium text-primary-text">{value}</span>
            </>
          ) : (
            <>
              <CirclePlus aria-hidden="true" strokeWidth={1.75} />
              {label}
            </>
          )
        }
      >
        {children}
      </Menu>
      {value && (
        <Link
          href={clearHref}
          prefetch={false}
          scroll={false}
          aria-label={`Clear ${label}`}
          data-tooltip=""
          className="me-1.25 grid size-6 shrink-0 place-items-center rounded-sm hover:bg-hover"
        >
          <X aria-hidden="true" className="size-3.5" strokeWidth={1.75} />
        </Link>
      )}
    </div>
  )
}
