import type { LucideIcon } from 'lucide-react'
import { type ComponentProps, type CSSProperties, type ReactNode, useId } from 'react'
import type { Tone } from '../module-ui'
import { hueOf, initialsOf } from './avatar-look'
import { cn } from './cn'
import { type AlertTone, alertVariants } from './control'

export { alertVariants } from './control'

export function Card({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      data-slot="card"
      className={cn('rounded-lg bg-card p-4.5 text-card-foreground shadow-card', className)}
      {...props}
    />
  )
}

/** A card with a heading, an optional link or control beside it, and an optional footer. */
export function TitledCard({
  title,
  after,
  footer,
  isDanger = false,
  className,
  children,
}: {
  title: string
  after?: ReactNode
  footer?: ReactNode
  isDanger?: boolean
  className?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <section
      data-slot="card"
      aria-labelledby={id}
      className={cn(
        'overflow-clip rounded-lg bg-card text-card-foreground',
        isDanger ? 'shadow-[0_0_0_1px_color-mix(in_oklab,var(--destructive)_40%,transparent)]' : 'shadow-card',
        className,
      )}
    >
      <header className="flex min-h-8 items-center gap-2 px-4.5 pt-3.5">
        <h2 id={id} className="font-[550] text-sm">
          {title}
        </h2>
        {after && <div className="ms-auto text-[0.8125rem] text-muted-foreground">{after}</div>}
      </header>
      {children}
      {footer && (
        <footer className="flex flex-wrap items-center gap-2.5 border-t bg-muted px-4.5 py-2.5 text-[0.8125rem] text-muted-foreground">
          {footer}
        </footer>
      )}
    </section>
  )
}

const badgeClass =
  'inline-flex h-5.5 items-center gap-1.25 whitespace-nowrap rounded-sm px-2 font-medium text-xs [&_svg]:size-3.25 [&_svg]:shrink-0'
const badgeTones = {
  neutral: 'bg-secondary text-secondary-foreground',
  accent: 'bg-accent text-primary-text',
  success: 'bg-success-soft text-success-text',
  warning: 'bg-warning-soft text-warning-text',
  danger: 'bg-destructive-soft text-destructive',
}

export function Badge({
  tone = 'neutral',
  className,
  ...props
}: ComponentProps<'span'> & { tone?: keyof typeof badgeTones | undefined }) {
  return <span data-slot="badge" className={cn(badgeClass, badgeTones[tone], className)} {...props} />
}

const dotTones: Record<Tone, string> = {
  neutral: 'before:bg-faint',
  success: 'before:bg-success',
  warning: 'before:bg-warning',
  danger: 'before:bg-destructive',
}

/** A state as a dot and a word. */
export function StatusDot({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span data-slot="status" className={dotTones[tone]}>
      {children}
    </span>
  )
}

export function Alert({
  as: Element = 'div',
  tone,
  title,
  className,
  children,
  ...props
}: Omit<ComponentProps<'div'>, 'title'> & {
  /** A paragraph for one sentence without a title. */
  as?: 'div' | 'p'
  tone?: AlertTone | undefined
  title?: ReactNode
}) {
  return (
    <Element data-slot="alert" className={cn(alertVariants({ tone }), className)} {...props}>
      {title && <p className="font-semibold">{title}</p>}
      {children}
    </Element>
  )
}

/** The user's initials on their color, covered by their photo if there is one. */
export function Avatar({
  id = '',
  name,
  image,
  className,
}: {
  /** The user's id, which decides the color. */
  id?: string
  name: string
  image?: string | null | undefined
  className?: string
}) {
  return (
    <span
      data-slot="avatar"
      aria-hidden="true"
      style={{ '--h': hueOf(id) } as CSSProperties}
      className={cn(
        'relative inline-grid size-8 shrink-0 place-items-center overflow-hidden rounded-full font-semibold text-xs',
        className,
      )}
    >
      {initialsOf(name)}
      {/* biome-ignore lint/performance/noImgElement: the image optimizer is off */}
      {image && <img src={image} alt="" className="absolute inset-0 size-full object-cover" />}
    </span>
  )
}

/** A placeholder of the same size as the content, so that the layout does not shift. Appears only after a short delay. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      data-slot="skeleton"
      aria-hidden="true"
      className={cn('animate-[fade-in_200ms_200ms_both] rounded-md bg-secondary', className)}
      {...props}
    />
  )
}

/** For an empty list: says what belongs there and how to create the first item. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon?: LucideIcon
  title: string
  children: ReactNode
  action?: ReactNode
}) {
  return (
    <div
      data-slot="empty-state"
      className="grid justify-items-center gap-1.5 rounded-[10px] border border-border-strong border-dashed px-6 py-12 text-center"
    >
      {Icon && (
        <span className="mb-2 grid size-10 place-items-center rounded-full bg-secondary text-muted-foreground">
          <Icon aria-hidden="true" className="size-5" strokeWidth={1.75} />
        </span>
      )}
      <p className="font-semibold">{title}</p>
      <p className="max-w-prose text-muted-foreground text-sm">{children}</p>
      {action && <div className="mt-2.5">{action}</div>}
    </div>
  )
}

export function Separator({ className }: { className?: string }) {
  return <hr data-slot="separator" className={cn('border-t', className)} />
}
