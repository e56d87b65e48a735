import type { ComponentProps } from 'react'
import { cn } from './cn'

/** A real table that scrolls sideways inside its frame when the screen is narrow. `label` names the frame, which takes keyboard focus to scroll. */
export function Table({ label, className, ...props }: ComponentProps<'table'> & { label: string }) {
  return (
    <section
      data-slot="table"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="w-full overflow-x-auto rounded-lg border bg-card"
    >
      <table className={cn('w-full border-collapse text-left text-sm tabular-nums', className)} {...props} />
    </section>
  )
}

export function TableHead({ className, ...props }: ComponentProps<'thead'>) {
  return <thead className={cn('border-b bg-muted text-muted-foreground', className)} {...props} />
}

export function TableBody({ className, ...props }: ComponentProps<'tbody'>) {
  return <tbody className={cn('divide-y', className)} {...props} />
}

export function TableRow({ className, ...props }: ComponentProps<'tr'>) {
  return <tr className={cn('hover:bg-muted/60', className)} {...props} />
}

export function TableHeading({ className, ...props }: ComponentProps<'th'>) {
  return <th scope="col" className={cn('whitespace-nowrap px-4 py-2.5 font-medium', className)} {...props} />
}

export function TableCell({ className, ...props }: ComponentProps<'td'>) {
  return <td className={cn('px-4 py-3 align-middle', className)} {...props} />
}
