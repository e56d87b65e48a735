'use client'

import type { Route } from 'next'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

/** A link to another organization: to the same page there, if its member may use it, else to the first page. */
export function SwitchLink({
  slug,
  pages,
  isCurrent,
  className,
  children,
}: {
  slug: string
  /** The pages that the user may open there. */
  pages: string[]
  isCurrent: boolean
  className: string
  children: ReactNode
}) {
  const page = /^\/o\/[^/]+(\/[^/]+)/.exec(usePathname())?.[1] ?? ''
  const target = pages.includes(page) ? page : (pages[0] ?? '')
  return (
    <Link
      href={`/o/${slug}${target}` as Route}
      prefetch={false}
      aria-current={isCurrent ? 'true' : undefined}
      className={className}
    >
      {children}
    </Link>
  )
}
