/**
 * Replaces the content of the element with HTML, which must be safe. Keeps equal nodes at the beginning and the end, so that the
 * browser does not lay out a long text again, and its images do not flicker.
 */
export function replaceBlocks(element: HTMLElement, html: string): void {
  const template = document.createElement('template')
  template.innerHTML = html
  const old = [...element.childNodes]
  const blocks = [...template.content.childNodes]
  const shorter = Math.min(old.length, blocks.length)
  let start = 0
  while (start < shorter && old[start]?.isEqualNode(blocks[start] ?? null)) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end)?.isEqualNode(blocks.at(-1 - end) ?? null)) end++
  const next = old[old.length - end] ?? null
  for (const node of old.slice(start, old.length - end)) node.remove()
  for (const block of blocks.slice(start, blocks.length - end)) element.insertBefore(block, next)
}
