import type { ComponentProps } from 'react'
import { cn } from './cn'

/**
 * A table. `isList` shows each row as an item of a list on phones: the cells with `data-list` stay, in a grid. `label` names
 * the region, which scrolls horizontally where it must and then takes keyboard focus.
 */
export function Table({
  label,
  isList = false,
  className,
  ...props
}: ComponentProps<'table'> & { label: string; isList?: boolean }) {
  return (
    <section
      data-slot="table"
      aria-label={label}
      tabIndex={isList ? undefined : 0}
      className={cn(
        'w-full rounded-[10px] bg-card shadow-[0_0_0_1px_var(--border)]',
        isList ? 'overflow-clip' : 'overflow-x-auto',
      )}
    >
      <table
        data-list={isList ? '' : undefined}
        className={cn('w-full border-collapse text-start text-sm tabular-nums', className)}
        {...props}
      />
    </section>
  )
}

export function TableHead({ className, ...props }: ComponentProps<'thead'>) {
  return <thead className={cn('border-b bg-muted text-muted-foreground', className)} {...props} />
}

export function TableBody({ className, ...props }: ComponentProps<'tbody'>) {
  return <tbody className={cn('divide-y', className)} {...props} />
}

export const TableRow = (props: ComponentProps<'tr'>) => <tr {...props} />

export function TableHeading({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      className={cn('h-9 whitespace-nowrap px-3 text-start font-[450] text-[0.78125rem]', className)}
      {...props}
    />
  )
}

export const TableCell = (props: ComponentProps<'td'>) => <td {...props} />

/** The class of a link that makes its whole row clickable. The row must be `relative`, other controls above it. */
export const rowLinkClass = 'row-link'
