import { CopyButton } from '@/core/ui/copy-button'

/** Dark in both themes, like a terminal. */
const surface = { background: 'oklch(0.235 0.01 140)', color: 'oklch(0.97 0.004 130)' }

/** A code block with a button to copy it. It scrolls horizontally on its own, so that the page does not. */
export function Code({
  label,
  isLabelHidden = false,
  children,
}: {
  label: string
  /** The label is already visible, for example as the summary of a `<details>`. */
  isLabelHidden?: boolean
  children: string
}) {
  return (
    <figure className="grid min-w-0 content-start gap-1.5">
      <figcaption className={isLabelHidden ? 'sr-only' : 'font-medium text-muted-foreground text-xs'}>
        {label}
      </figcaption>
      <div className="relative min-w-0 overflow-clip rounded-md" style={surface}>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard
          tabIndex={0}
          className="overflow-x-auto p-3 font-mono text-xs leading-5 focus-visible:-outline-offset-2"
        >
          <code>{children}</code>
        </pre>
        <CopyButton
          label={label}
          style={{ top: 8, background: 'inherit' }}
          className="absolute end-2 h-7 rounded-md px-2.5 font-medium text-xs hover:underline"
        />
      </div>
    </figure>
  )
}
