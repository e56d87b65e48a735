'use client'

import type { Route } from 'next'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { navLinkClass } from './control'

/** Says to eyes and to assistive technology which page this is. */
export function NavLink({ href, label }: { href: Route; label: string }) {
  const path = usePathname()
  const isCurrent = path === href || path.startsWith(`${href}/`)
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined} className={navLinkClass}>
      {label}
    </Link>
  )
}
