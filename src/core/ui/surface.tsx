import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn'

export function Card({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div data-slot="card" className={cn('rounded-lg border bg-card p-6 text-card-foreground', className)} {...props} />
  )
}

const badgeVariants = cva('inline-flex items-center rounded-full border px-2.5 py-0.5 font-medium text-xs', {
  variants: {
    tone: {
      neutral: 'bg-secondary text-secondary-foreground',
      success: 'border-success/40 text-success',
      warning: 'border-warning/40 text-warning',
      danger: 'border-destructive/40 text-destructive',
    },
  },
  defaultVariants: { tone: 'neutral' },
})

export function Badge({ tone, className, ...props }: ComponentProps<'span'> & VariantProps<typeof badgeVariants>) {
  return <span data-slot="badge" className={cn(badgeVariants({ tone }), className)} {...props} />
}

export const alertVariants = cva('rounded-md border px-4 py-3 text-sm', {
  variants: {
    tone: {
      info: 'bg-muted',
      success: 'border-success/40 bg-success/8',
      warning: 'border-warning/40 bg-warning/8',
      danger: 'border-destructive/40 bg-destructive/8 text-destructive',
    },
  },
  defaultVariants: { tone: 'info' },
})

export function Alert({
  tone,
  title,
  className,
  children,
  ...props
}: Omit<ComponentProps<'div'>, 'title'> & VariantProps<typeof alertVariants> & { title?: ReactNode }) {
  return (
    <div data-slot="alert" className={cn(alertVariants({ tone }), className)} {...props}>
      {title && <p className="font-semibold">{title}</p>}
      {children}
    </div>
  )
}

/** Initials; a picture over them when there is one. */
export function Avatar({
  name,
  image,
  className,
}: {
  name: string
  image?: string | null | undefined
  className?: string
}) {
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('')
  return (
    <span
      data-slot="avatar"
      className={cn(
        'relative inline-flex size-9 shrink-0 items-center justify-center overflow-hidden rounded-full bg-secondary font-medium text-sm',
        className,
      )}
    >
      <span aria-hidden="true">{initials}</span>
      {/* biome-ignore lint/performance/noImgElement: the optimiser is off */}
      {image && <img src={image} alt="" className="absolute inset-0 size-full object-cover" />}
    </span>
  )
}

/** Holds the place of what is coming, at its size, so that nothing jumps. Appears only when it takes a while. */
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

/** An empty list says what belongs there and how to get the first one. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div
      data-slot="empty-state"
      className="grid justify-items-center gap-3 rounded-lg border border-dashed px-6 py-12 text-center"
    >
      <p className="font-semibold">{title}</p>
      <p className="max-w-prose text-muted-foreground text-sm">{children}</p>
      {action}
    </div>
  )
}

export function Separator({ className }: { className?: string }) {
  return <hr data-slot="separator" className={cn('border-t', className)} />
}
