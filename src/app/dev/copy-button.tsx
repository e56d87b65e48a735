/** Copies a text. The early script does it; without JavaScript the button is not shown. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button
      type="button"
      data-copy={text}
      className="group h-7 rounded-md px-2.5 font-medium text-muted-foreground text-sm hover:bg-hover [html:not([data-theme])_&]:hidden"
    >
      <span className="group-data-copied:hidden">Copy</span>
      <span className="hidden group-data-copied:inline">Copied</span>
      <span className="sr-only"> {label}</span>
    </button>
  )
}
