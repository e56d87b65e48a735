'use client'

import type { Route } from 'next'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

/** A link of the sidebar that marks the current page, visually and for assistive technology. */
export function NavLink({
  href,
  label,
  isPublic = false,
  pages = [],
  children,
}: {
  href: Route
  label: string
  /** The page is outside the app shell. */
  isPublic?: boolean
  /** Other pages that belong to this one. On them, it is marked, too. */
  pages?: Route[]
  children?: ReactNode
}) {
  const path = usePathname()
  const isAt = (route: Route) => path === route || path.startsWith(`${route}/`)
  const isWithin = pages.some(isAt)
  const props = { href, 'data-slot': 'nav-link', 'data-tip': label, children: children ?? label }
  // A page of another layout is loaded as a whole: prefetching it would cost more than it saves.
  if (isPublic) return <a {...props} />
  return <Link aria-current={isAt(href) ? 'page' : isWithin || undefined} {...props} />
}
