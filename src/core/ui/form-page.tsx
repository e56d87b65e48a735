import type { ReactNode } from 'react'
import { SiteHeader } from './site-header'

/** A page with one thing to do, in one narrow column. */
export function FormPage({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  return (
    <>
      <SiteHeader />
      <main id="main" className="group/page mx-auto grid w-full max-w-sm gap-6 px-4 py-16 sm:py-24">
        <div className="grid gap-1.5">
          <h1 className="font-semibold text-2xl">{title}</h1>
          {lead && <p className="text-muted-foreground text-sm">{lead}</p>}
        </div>
        {children}
      </main>
    </>
  )
}
