import { buttonVariants } from '@/core/ui/button'
import { CopyButton } from '@/core/ui/copy-button'

/** A command to run in a terminal. */
export function Command({ children }: { children: string }) {
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <code className="wrap-anywhere font-mono text-xs">{children}</code>
      <CopyButton text={children} label={children} className={buttonVariants({ variant: 'ghost', size: 'small' })} />
    </span>
  )
}
