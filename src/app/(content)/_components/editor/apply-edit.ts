import type { Edit, Selected } from './markdown-edit'

export const selectedIn = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Selected => ({
  text: value,
  start: selectionStart,
  end: selectionEnd,
})

/** Changes the text as if the user had typed it: they can undo it, and the autosave notices. */
export function applyEdit(area: HTMLTextAreaElement, { from, to, insert, start, end }: Edit): void {
  if (area.readOnly) return
  area.focus()
  area.setSelectionRange(from, to)
  // Deprecated, but nothing else keeps the undo history of a textarea. It changes what has the focus, which a hidden one cannot get.
  const isDone =
    document.activeElement === area &&
    (insert === '' ? document.execCommand('delete') : document.execCommand('insertText', false, insert))
  if (!isDone) {
    area.setRangeText(insert, from, to)
    area.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  area.setSelectionRange(start, end)
}
