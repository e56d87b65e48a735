import { CopyIconButton } from '@/core/ui/copy-button'

/** A command in a terminal, with a button that copies it. */
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
      <CopyIconButton
        text={command}
        label={`Copy ${command}`}
        className="grid size-8 shrink-0 place-items-center rounded-md bg-white/20 [&_svg]:size-4 [&_svg]:text-inherit"
      />
    </span>
  )
}
