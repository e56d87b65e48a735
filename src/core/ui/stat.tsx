import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { Card } from './surface'
import { rowLinkClass } from './table'

/** `isGood` says what the change means: more failed sign-ins is bad. */
export interface StatChange {
  text: string
  isUp: boolean
  isGood: boolean
  /** For screen readers: "more than in the previous 30 days". */
  description: string
}

/** A figure with its change. The whole card is a link if there is a page with more about it. */
export function Stat({
  label,
  value,
  change,
  href,
}: {
  label: string
  value: string
  change?: StatChange | undefined
  href?: Route
}) {
  const Arrow = change?.isUp ? ArrowUp : ArrowDown
  return (
    <Card className={href ? 'relative px-4 pt-3.5 pb-3 hover:bg-muted' : 'px-4 pt-3.5 pb-3'}>
      <p className="text-[0.8125rem] text-muted-foreground">
        {href ? (
          <Link href={href} prefetch={false} className={`${rowLinkClass} after:rounded-lg`}>
            {label}
          </Link>
        ) : (
          label
        )}
      </p>
      <p className="mt-1 flex flex-wrap items-baseline gap-x-2 font-semibold text-[1.625rem] leading-8 tracking-[-0.025em] tabular-nums">
        {value}
        {change && (
          <span
            className={`inline-flex items-center gap-0.5 font-medium text-xs tracking-normal ${change.isGood ? 'text-success-text' : 'text-destructive'}`}
          >
            <Arrow aria-hidden="true" className="size-3" />
            {change.text}
            <span className="sr-only"> {change.description}</span>
          </span>
        )}
      </p>
    </Card>
  )
}
