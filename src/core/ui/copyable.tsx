import type { ReactNode } from 'react'
import { CopyButton } from './copy-button'

/** Code with a button that copies it. */
export function Copyable({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    <figure className="grid justify-items-start gap-3">
      <code className={className}>{children}</code>
      <CopyButton />
    </figure>
  )
}
