import { Check, Copy } from 'lucide-react'

/** A command in a terminal, with a button that copies it. The early script does the copying; without it there is no button. */
export function CopyCommand({ command }: { command: string }) {
  return (
    <span
      data-slot="code"
      className="inline-flex min-h-11 max-w-full items-center gap-3 rounded-[10px] p-1 ps-4 font-mono text-sm"
    >
      <code className="wrap-anywhere min-w-0 py-1 text-start">
        <b aria-hidden="true">$ </b>
        {command}
      </code>
      <button
        type="button"
        data-copy={command}
        aria-label={`Copy ${command}`}
        className="group grid size-8 shrink-0 place-items-center rounded-md bg-white/20 [html:not([data-theme])_&]:hidden"
      >
        <Copy aria-hidden="true" className="size-4 group-data-copied:hidden" />
        <Check aria-hidden="true" className="hidden size-4 group-data-copied:block" />
      </button>
      <span role="status" className="sr-only">
        <span className="hidden [[data-copied]~*>&]:inline">Copied</span>
      </span>
    </span>
  )
}
