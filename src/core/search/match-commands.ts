/** A command as plain data, for the browser. */
export interface PaletteCommand {
  label: string
  href: string
  /** What the label belongs to: "Settings". */
  hint?: string | undefined
  /** Keys pressed one after the other: `g u`. */
  keys?: string | undefined
}

/** The commands that contain every word of the text. */
export function matchCommands<Item extends { label: string; hint?: string | undefined }>(
  commands: readonly Item[],
  text: string,
): Item[] {
  const words = text.toLowerCase().split(/\s+/)
  return commands.filter(({ label, hint = '' }) => {
    const content = `${label} ${hint}`.toLowerCase()
    return words.every((word) => content.includes(word))
  })
}
