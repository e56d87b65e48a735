import { Check, Copy } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { buttonVariants } from './control'

/**
 * Copies a text, or the code in the same figure. The early script does it, so the button needs no JavaScript of its own;
 * where the script cannot copy, there is no button.
 */
export function CopyButton({
  text = '',
  label,
  icon,
  className = buttonVariants({ variant: 'outline', size: 'small' }),
  style,
  children = 'Copy',
}: {
  text?: string | undefined
  /** What is copied, for users who do not see what is beside the button. */
  label?: string | undefined
  icon?: ReactNode
  className?: string | undefined
  style?: CSSProperties | undefined
  children?: string | undefined
}) {
  return (
    <button type="button" data-copy={text} className={`group ${className}`} style={style}>
      {icon}
      <span aria-live="polite">
        <span className="group-data-copied:hidden">{children}</span>
        <span className="hidden group-data-copied:inline">Copied</span>
      </span>
      {label && <span className="sr-only"> {label}</span>}
    </button>
  )
}

export function CopyIconButton({ text, label, className }: { text: string; label: string; className: string }) {
  return (
    <>
      <button type="button" data-copy={text} data-tooltip="" aria-label={label} className={`group ${className}`}>
        <Copy aria-hidden="true" className="group-data-copied:hidden" />
        <Check aria-hidden="true" className="hidden text-success-text group-data-copied:block" />
      </button>
      <span role="status" className="sr-only">
        <span className="hidden [[data-copied]~*>&]:inline">Copied</span>
      </span>
    </>
  )
}
