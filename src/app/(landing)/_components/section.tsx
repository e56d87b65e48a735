import type { ReactNode } from 'react'

/** A section with its heading. `id` is the target of the navigation. */
export function Section({
  id,
  kicker,
  title,
  lead,
  children,
}: {
  id: string
  kicker?: string
  title: string
  lead?: string
  children: ReactNode
}) {
  return (
    <section aria-labelledby={id} className="mx-auto grid w-full max-w-6xl grid-cols-1 gap-8 px-4 py-10 sm:px-6">
      <div className="grid gap-3">
        {kicker && <p className="font-[550] text-[0.8125rem] text-primary-text">{kicker}</p>}
        <h2 id={id} className="max-w-2xl">
          {title}
        </h2>
        {lead && <p className="max-w-xl text-base text-muted-foreground leading-6">{lead}</p>}
      </div>
      {children}
    </section>
  )
}
