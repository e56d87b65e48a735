/** One line of the table of contents. */
export interface OperationEntry {
  /** The anchor on the page. */
  id: string
  method: string
  path: string
  summary: string
}

/** Whether every word of the text occurs in the method, the path or the name of the operation. */
export function matchesSearch({ method, path, summary }: OperationEntry, text: string): boolean {
  const searched = `${method} ${path} ${summary}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}
