/** Code that keeps its lines; it scrolls by itself, so that the page does not. */
export function Code({ label, children }: { label: string; children: string }) {
  return (
    <figure className="grid min-w-0 content-start gap-1.5">
      <figcaption className="font-medium text-muted-foreground text-xs">{label}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-md border bg-muted/60 p-3 font-mono text-xs leading-5"
      >
        <code>{children}</code>
      </pre>
    </figure>
  )
}
