'use client'

import type { Route } from 'next'
import Link from 'next/link'
import { usePathname } from 'next/navigation'

/** Says to eyes and to assistive technology which page this is. */
export function NavLink({ href, label }: { href: Route; label: string }) {
  const path = usePathname()
  const isCurrent = path === href || path.startsWith(`${href}/`)
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className="flex min-h-10 items-center rounded-md px-3 text-muted-foreground text-sm hover:bg-accent hover:text-foreground aria-[current=page]:bg-accent aria-[current=page]:font-medium aria-[current=page]:text-foreground"
    >
      {label}
    </Link>
  )
}
