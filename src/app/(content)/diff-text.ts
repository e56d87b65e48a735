import 'server-only'
import { diffWordsWithSpace } from 'diff'

export interface DiffPart {
  text: string
  kind: 'same' | 'added' | 'removed'
}

/** What `other` has instead of `one`, by words. */
export function diffText(one: string, other: string): DiffPart[] {
  // The diff of two very different texts takes too long: after 100 ms show both texts whole.
  const parts = diffWordsWithSpace(one, other, { timeout: 100 }) ?? [
    { value: one, removed: true, added: false },
    { value: other, removed: false, added: true },
  ]
  return parts.map(({ value, added, removed }) => ({
    text: value,
    kind: added ? 'added' : removed ? 'removed' : 'same',
  }))
}
