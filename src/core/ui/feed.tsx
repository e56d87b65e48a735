import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Tone } from '../module-ui'

const tones: Record<Tone, string> = {
  neutral: 'bg-secondary text-muted-foreground',
  success: 'bg-accent text-primary-text',
  warning: 'bg-warning-soft text-warning-text',
  danger: 'bg-destructive-soft text-destructive',
}

/** What happened, newest first, joined by a line. */
export function Feed({ children }: { children: ReactNode }) {
  return (
    <ol data-slot="feed" className="px-4.5 pt-1.5 pb-2">
      {children}
    </ol>
  )
}

export function FeedItem({
  icon: Icon,
  tone = 'neutral',
  time,
  meta,
  children,
}: {
  icon: LucideIcon
  tone?: Tone
  time: ReactNode
  /** A second line, such as device and IP. */
  meta?: ReactNode
  children: ReactNode
}) {
  return (
    <li className="group relative grid grid-cols-[24px_1fr_auto] items-start gap-x-2.75 py-1.75 text-sm">
      <span
        aria-hidden="true"
        className="absolute start-[11.5px] top-7.75 -bottom-1.75 w-px bg-border group-last:hidden"
      />
      <span aria-hidden="true" className={`relative grid size-6 place-items-center rounded-full ${tones[tone]}`}>
        <Icon className="size-3.25" strokeWidth={1.75} />
      </span>
      <div className="wrap-anywhere min-w-0 pt-0.5">
        {children}
        {meta && <span className="block text-muted-foreground text-xs">{meta}</span>}
      </div>
      <span className="whitespace-nowrap pt-0.5 text-muted-foreground text-xs">{time}</span>
    </li>
  )
}
