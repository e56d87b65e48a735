import { describe, expect, test } from 'vitest'
import { continueLine, type Edit, type Format, format, indentItem, pasteLink, type Selected } from './markdown-edit'

/** A text with « and » around the selection, or | at the caret. */
function read(marked: string): Selected {
  const start = marked.search(/[|«]/)
  const text = marked.replaceAll(/[|«»]/g, '')
  const close = marked.indexOf('»')
  return { text, start, end: close === -1 ? start : close - 1 }
}

function apply(marked: string, edit: Edit | null): string | null {
  if (!edit) return null
  const { text } = read(marked)
  const after = text.slice(0, edit.from) + edit.insert + text.slice(edit.to)
  const { start, end } = edit
  return start === end
    ? `${after.slice(0, start)}|${after.slice(start)}`
    : `${after.slice(0, start)}«${after.slice(start, end)}»${after.slice(end)}`
}

const formatted = (kind: Format, marked: string) => apply(marked, format(kind, read(marked)))
const entered = (marked: string) => apply(marked, continueLine(read(marked)))
const tabbed = (marked: string, isBack = false) => apply(marked, indentItem(isBack, read(marked)))

describe('the toolbar', () => {
  test.each<[Format, string, string]>([
    ['bold', 'a «b» c', 'a **«b»** c'],
    ['bold', 'a **«b»** c', 'a «b» c'],
    ['bold', 'a «**b**» c', 'a «b» c'],
    ['bold', 'a |', 'a **|**'],
    ['italic', '**«b»**', '**_«b»_**'],
    ['italic', '_«b»_', '«b»'],
    ['code', 'a «b» c', 'a `«b»` c'],
    ['code', '«a\nb»', '```|\na\nb\n```'],
    ['link', 'a «b» c', 'a [b](«https://») c'],
    ['link', '«https://example.com»', '[|](https://example.com)'],
    ['h2', 'one\nt|wo', 'one\n## two|'],
    ['h2', '### t|wo', '## two|'],
    ['h2', '## t|wo', 'two|'],
    ['bullets', '«one\n\ntwo»', '«- one\n\n- two»'],
    ['bullets', '«- one\n- two»', '«one\ntwo»'],
    ['numbers', '«- one\n- two»', '«1. one\n2. two»'],
    ['quote', '«one\ntwo»', '«> one\n> two»'],
    ['table', 'a|', 'a\n\n| «Column» | Column |\n| --- | --- |\n| Cell | Cell |'],
  ])('%s changes %j to %j', (kind, before, after) => {
    // A table has bars of its own.
    if (kind === 'table') {
      const edit = format('table', { text: 'a', start: 1, end: 1 })
      expect(edit.insert).toBe('\n\n| Column | Column |\n| --- | --- |\n| Cell | Cell |')
      expect([edit.start, edit.end]).toEqual([5, 11])
    } else expect(formatted(kind, before)).toBe(after)
  })
})

describe('Enter', () => {
  test.each([
    ['- one|', '- one\n- |'],
    ['  * one|', '  * one\n  * |'],
    ['9. nine|', '9. nine\n10. |'],
    ['1) one|', '1) one\n2) |'],
    ['- [x] done|', '- [x] done\n- [ ] |'],
    ['> quote|', '> quote\n> |'],
    ['- one| two', '- one\n- | two'],
    ['- one\n- |', '- one\n|'],
  ])('continues or ends the list %j', (before, after) => expect(entered(before)).toBe(after))

  test.each(['text|', '-|', '# heading|', '«- one»', ''])('is left to the browser in %j', (text) =>
    expect(entered(text || '|')).toBeNull(),
  )
})

describe('Tab', () => {
  test('moves an item below the one before it, and back', () => {
    expect(tabbed('- one\n- two|')).toBe('- one\n  - two|')
    expect(tabbed('1. one\n2. two|')).toBe('1. one\n   2. two|')
    expect(tabbed('- one\n  - two|', true)).toBe('- one\n- two|')
  })

  test.each([
    ['text|', false],
    ['- one|', false],
    ['- one\n  - two|', false],
    ['- one|', true],
    ['text|', true],
    ['«- one\n- two»', false],
  ])('moves the focus in %j, so that it is never trapped (back: %s)', (text, isBack) =>
    expect(tabbed(text, isBack)).toBeNull(),
  )
})

test('a URL that is pasted over a text becomes its link', () => {
  expect(apply('see «this»', pasteLink(' https://example.com/a ', read('see «this»')))).toBe(
    'see [this](https://example.com/a)|',
  )
  expect(pasteLink('https://example.com', read('see |'))).toBeNull()
  expect(pasteLink('no URL', read('«this»'))).toBeNull()
  expect(pasteLink('https://example.com', read('«https://example.org»'))).toBeNull()
  expect(pasteLink('javascript:alert(1)', read('«this»'))).toBeNull()
})
