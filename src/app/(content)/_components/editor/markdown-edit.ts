/** A text and what is selected in it. */
export interface Selected {
  text: string
  start: number
  end: number
}

/** Replaces the text between `from` and `to`, and then selects from `start` to `end`. */
export interface Edit {
  from: number
  to: number
  insert: string
  start: number
  end: number
}

export type Format = 'bold' | 'italic' | 'h2' | 'h3' | 'link' | 'bullets' | 'numbers' | 'quote' | 'code' | 'table'

const listItem = /^( *)([-*+]|\d{1,9}[.)])( +)(\[[ xX]\] +)?/
const lineMarker = /^( *)(#{1,6} +|> ?|[-*+] +|\d{1,9}[.)] +)?/
const prefixes = {
  h2: () => '## ',
  h3: () => '### ',
  bullets: () => '- ',
  numbers: (index: number) => `${index + 1}. `,
  quote: () => '> ',
}
const isPrefixed: Record<keyof typeof prefixes, RegExp> = {
  h2: /^ *## /,
  h3: /^ *### /,
  bullets: /^ *[-*+] /,
  numbers: /^ *\d{1,9}[.)] /,
  quote: /^ *>/,
}
const tableText = '| Column | Column |\n| --- | --- |\n| Cell | Cell |'

/** What a button of the toolbar does. */
export function format(kind: Format, selected: Selected): Edit {
  switch (kind) {
    case 'bold':
      return toggleMark('**', selected)
    case 'italic':
      // Not an asterisk, which would be mistaken for a half of bold.
      return toggleMark('_', selected)
    case 'link':
      return link(selected)
    case 'code':
      return code(selected)
    case 'table':
      return insertBlock(tableText, selected, { offset: 2, length: 'Column'.length })
    default:
      return togglePrefix(kind, selected)
  }
}

/** Puts the mark around the selection, or removes it. */
function toggleMark(mark: string, { text, start, end }: Selected): Edit {
  const size = mark.length
  const inner = text.slice(start, end)
  if (text.slice(start - size, start) === mark && text.slice(end, end + size) === mark && start >= size)
    return { from: start - size, to: end + size, insert: inner, start: start - size, end: end - size }
  if (inner.length >= 2 * size && inner.startsWith(mark) && inner.endsWith(mark))
    return { from: start, to: end, insert: inner.slice(size, -size), start, end: end - 2 * size }
  return { from: start, to: end, insert: `${mark}${inner}${mark}`, start: start + size, end: end + size }
}

const isUrl = (text: string) => /^(https?:\/\/|mailto:)\S+$/.test(text)

/** Makes the selection a link, and selects what is missing: its text or its URL. */
function link({ text, start, end }: Selected): Edit {
  const inner = text.slice(start, end)
  if (isUrl(inner)) return { from: start, to: end, insert: `[](${inner})`, start: start + 1, end: start + 1 }
  const url = 'https://'
  const from = start + inner.length + 3
  return { from: start, to: end, insert: `[${inner}](${url})`, start: from, end: from + url.length }
}

/** A URL that is pasted over a selection becomes its link; null for any other text. */
export function pasteLink(pasted: string, { text, start, end }: Selected): Edit | null {
  const inner = text.slice(start, end)
  const url = pasted.trim()
  if (inner === '' || inner.includes('\n') || isUrl(inner) || !isUrl(url)) return null
  const insert = `[${inner}](${url})`
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length }
}

function code(selected: Selected): Edit {
  const { text, start, end } = selected
  const inner = text.slice(start, end)
  if (!inner.includes('\n')) return toggleMark('`', selected)
  return insertBlock(`\`\`\`\n${inner.replace(/\n$/, '')}\n\`\`\``, selected, { offset: 3, length: 0 })
}

/** Replaces the selection by a block, with an empty line before and after it. */
function insertBlock(
  block: string,
  { text, start, end }: Selected,
  { offset, length }: { offset: number; length: number },
): Edit {
  const [before, after] = [text.slice(0, start), text.slice(end)]
  const gapBefore = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const gapAfter = after === '' || after.startsWith('\n\n') ? '' : after.startsWith('\n') ? '\n' : '\n\n'
  const at = start + gapBefore.length + offset
  return { from: start, to: end, insert: gapBefore + block + gapAfter, start: at, end: at + length }
}

const lineStart = (text: string, at: number) => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/** The lines of the selection, without the last line break. */
function selectedLines({ text, start, end }: Selected) {
  const from = lineStart(text, start)
  const next = text.indexOf('\n', end)
  const to = next === -1 ? text.length : next
  return { from, to, lines: text.slice(from, to).split('\n') }
}

/** Makes the selected lines headings, quotes or items of a list, or normal text if they are that already. */
function togglePrefix(kind: keyof typeof prefixes, selected: Selected): Edit {
  const { from, to, lines } = selectedLines(selected)
  const isBlank = (line: string) => lines.length > 1 && line.trim() === ''
  const isOn = lines.every((line) => isBlank(line) || isPrefixed[kind].test(line))
  let count = 0
  const changed = lines.map((line) => {
    if (isBlank(line)) return line
    return line.replace(lineMarker, (_marker, indent: string) => indent + (isOn ? '' : prefixes[kind](count++)))
  })
  const insert = changed.join('\n')
  const isCaret = selected.start === selected.end
  return { from, to, insert, start: isCaret ? from + insert.length : from, end: from + insert.length }
}

/** Enter in a list or a quote begins the next item; in an empty item it ends the list. Null elsewhere. */
export function continueLine({ text, start, end }: Selected): Edit | null {
  if (start !== end) return null
  const from = lineStart(text, start)
  const before = text.slice(from, start)
  const item = listItem.exec(before)
  const quote = /^ *> ?/.exec(before)
  const marker = item?.[0] ?? quote?.[0]
  if (marker === undefined) return null
  const lineEnd = text.indexOf('\n', start)
  const rest = text.slice(start, lineEnd === -1 ? text.length : lineEnd)
  if (before === marker && rest.trim() === '') return { from, to: start, insert: '', start: from, end: from }
  const [, indent = '', bullet = '', space = ' ', task] = item ?? []
  const number = Number.parseInt(bullet, 10)
  const next = Number.isNaN(number) ? bullet : `${number + 1}${bullet.slice(-1)}`
  const insert = `\n${item ? indent + next + space + (task ? '[ ] ' : '') : marker}`
  return { from: start, to: start, insert, start: start + insert.length, end: start + insert.length }
}

/**
 * Tab makes an item of a list a part of the one before it, Shift+Tab the reverse. Null where that is not possible: the key
 * then moves the focus, so that it is never trapped. An item is at most one level below the one before it.
 */
export function indentItem(isBack: boolean, { text, start, end }: Selected): Edit | null {
  const from = lineStart(text, start)
  const line = text.slice(from, end)
  const item = listItem.exec(line)
  if (!item || line.includes('\n')) return null
  const indent = item[1]?.length ?? 0
  if (isBack) {
    const width = Math.min(indent, 2)
    if (width === 0) return null
    const before = from + width
    return { from, to: before, insert: '', start: Math.max(from, start - width), end: Math.max(from, end - width) }
  }
  const previous = from === 0 ? '' : text.slice(lineStart(text, from - 1), from - 1)
  const above = listItem.exec(previous)
  if (!above || indent > (above[1]?.length ?? 0)) return null
  // As far as the text of the item above it, where Markdown expects it.
  const width = Math.max(2, (above[1]?.length ?? 0) + (above[2]?.length ?? 1) + 1 - indent)
  return { from, to: from, insert: ' '.repeat(width), start: start + width, end: end + width }
}
