import type { ReactNode } from 'react'

/** The head of a page. */
export function Heading({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid gap-1.5">
      <h1 className="font-semibold text-2xl">{title}</h1>
      <p className="text-muted-foreground">{children}</p>
    </div>
  )
}

/** A list of things that one can do something about: what it is on one side, what to do on the other. */
export function Row({ title, children, action }: { title: ReactNode; children: ReactNode; action?: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-4 rounded-lg border bg-card p-4">
      <div className="grid min-w-0 gap-0.5 text-sm">
        <p className="flex flex-wrap items-center gap-2 font-medium">{title}</p>
        <p className="text-muted-foreground">{children}</p>
      </div>
      {action}
    </li>
  )
}
