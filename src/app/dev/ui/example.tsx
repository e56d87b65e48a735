import type { ReactNode } from 'react'
import { buttonVariants } from '@/core/ui/button'
import { CopyButton } from '@/core/ui/copy-button'

export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = title.toLowerCase()
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-8">
      <h2 id={id} className="border-b pb-2 font-semibold text-xl">
        {title}
      </h2>
      {children}
    </section>
  )
}

/** A component in its states, and how to write it. */
export function Example({ name, code, children }: { name: string; code: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-semibold text-base">{name}</h3>
        <CopyButton
          text={code}
          label={`code of ${name}`}
          className={buttonVariants({ variant: 'ghost', size: 'small' })}
        />
      </div>
      <div className="rounded-lg bg-background p-4.5 shadow-card">{children}</div>
      <pre className="wrap-anywhere whitespace-pre-wrap rounded-md bg-muted px-3.5 py-2.5 font-mono text-xs leading-5">
        {code}
      </pre>
    </div>
  )
}
