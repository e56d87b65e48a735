import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { buttonVariants } from '@/core/ui/button'

/** A link to what stands before or after, such as the next page of a list. Without `href` there is nothing. */
export function StepLink({
  to,
  href,
  label,
  keys,
  replace = false,
}: {
  to: 'previous' | 'next'
  href: Route | null
  label: string
  /** The key that follows it. */
  keys?: string
  replace?: boolean
}) {
  const Icon = to === 'previous' ? ChevronLeft : ChevronRight
  const className = buttonVariants({ variant: 'outline', size: 'icon', className: 'max-sm:size-11 sm:size-7' })
  const content = (
    <>
      <Icon aria-hidden="true" className="rtl:-scale-x-100" />
      <span className="sr-only">{label}</span>
    </>
  )
  // Still there, so that the other button does not move.
  if (!href) return <span className={`${className} pointer-events-none opacity-45`}>{content}</span>
  return (
    <Link href={href} prefetch={false} replace={replace} title={label} aria-keyshortcuts={keys} className={className}>
      {content}
    </Link>
  )
}
