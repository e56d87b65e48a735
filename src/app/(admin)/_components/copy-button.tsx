import { Check, Copy } from 'lucide-react'
import { buttonVariants } from '@/core/ui/button'
import { cn } from '@/core/ui/cn'

/** Copies a text. The early script does it, so the button costs no JavaScript of its own; without any, it is not shown. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <span className="inline-flex [html:not([data-theme])_&]:hidden">
      <button
        type="button"
        data-copy={text}
        data-tooltip=""
        aria-label={label}
        className={cn(buttonVariants({ variant: 'ghost', size: 'icon' }), 'group -me-1 size-6')}
      >
        <Copy aria-hidden="true" className="group-data-copied:hidden" />
        <Check aria-hidden="true" className="hidden text-success-text group-data-copied:block" />
      </button>
      <span role="status" className="sr-only">
        <span className="hidden [[data-copied]~*>&]:inline">Copied</span>
      </span>
    </span>
  )
}
