/** How a part of the text looks. No look changes its width: the letters would not be where the caret is. */
type Kind = 'text' | 'bold' | 'mark' | 'link' | 'code' | 'quote'

interface Span {
  text: string
  kind: Kind
}

/** The mark that began the code block that a line is in, such as ```. Empty outside of one. */
type State = string

export interface Line {
  text: string
  spans: Span[]
  before: State
  after: State
}

/** The first or last line of a code block, which may be in a quote or a list. */
const fence = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})(.*)$/s
/** A rule, the line below a heading, or the one below the head of a table. */
const rule = /^\s*(?:[-=_*|:]\s*){3,}$/
/** Quote marks and list markers. */
const prefix = /^\s*(?:(?:>|(?:[-*+]|\d{1,9}[.)])(?=\s|$)(?:\s+\[[ xX]\](?=\s|$))?)\s*)*/

/** Which parts of a line of Markdown look different. Together they are the line. */
export function styleLine(text: string, before: State): Line {
  const [, mark = '', info = ''] = fence.exec(text) ?? []
  if (before) {
    const isEnd = mark.startsWith(before) && info.trim() === ''
    return { text, spans: join([{ text, kind: isEnd ? 'mark' : 'code' }]), before, after: isEnd ? '' : before }
  }
  if (mark && !(mark.startsWith('`') && info.includes('`')))
    return { text, spans: [{ text, kind: 'mark' }], before, after: mark }
  if (rule.test(text)) return { text, spans: [{ text, kind: 'mark' }], before, after: '' }
  const [outer = ''] = prefix.exec(text) ?? []
  const [hashes = ''] = /^#{1,6}(?=\s|$)/.exec(text.slice(outer.length)) ?? []
  const markers = outer + hashes
  const kind = hashes ? 'bold' : outer.includes('>') ? 'quote' : 'text'
  const spans = join([{ text: markers, kind: 'mark' }, ...styleInline(text.slice(markers.length), kind)])
  return { text, spans, before, after: '' }
}

/** Without empty spans, and without two of the same kind in a row. */
function join(spans: Span[]): Span[] {
  const joined: Span[] = []
  for (const { text, kind } of spans) {
    const last = joined.at(-1)
    if (last?.kind === kind) last.text += text
    else if (text) joined.push({ text, kind })
  }
  return joined
}

/**
 * An escaped character, ticks, a link or image, a bare URL, or the beginning of bold or italic text. No underscore begins it
 * inside a word.
 */
const token =
  /\\[!-/:-@[-`{-~]|(`+)|(!?\[)([^[\]]*)(\]\([^()]*(?:\([^()]*\)[^()]*)*\))|(https?:\/\/[^\s<>()[\]`*]*[^\s<>()[\]`*.,;:!?'"])|(\*\*?(?=[^\s*])|(?<![\p{L}\p{N}_])__?(?=[^\s_]))/gu

function styleInline(text: string, kind: Kind): Span[] {
  const spans: Span[] = []
  /** Marks that nothing ends in the rest of the text. To search for each again would take quadratic time. */
  const unended = new Set<string>()
  let done = 0
  const add = (from: number, to: number, parts: Span[]) => {
    spans.push({ text: text.slice(done, from), kind })
    for (const part of parts) spans.push(part)
    done = to
  }
  token.lastIndex = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [all = '', ticks, bracket = '', label = '', target, url, stars] = found
    const from = found.index
    const next = from + all.length
    const mark = ticks ?? stars
    if (url) add(from, next, [{ text: url, kind: 'link' }])
    else if (target)
      add(from, next, [
        { text: bracket, kind: 'mark' },
        { text: label, kind: 'link' },
        { text: target, kind: 'mark' },
      ])
    else if (mark && !unended.has(mark)) {
      const end = findEnd(text, mark, next)
      if (end === -1) {
        unended.add(mark)
        continue
      }
      const inner = text.slice(next, end)
      const edge: Span = { text: mark, kind: 'mark' }
      const parts = ticks ? [{ text: inner, kind: 'code' as const }] : styleInline(inner, mark[1] ? 'bold' : kind)
      add(from, end + mark.length, [edge, ...parts, edge])
      token.lastIndex = done
    }
  }
  spans.push({ text: text.slice(done), kind })
  return spans
}

/** Where the text that begins with a mark ends, or -1. */
function findEnd(text: string, mark: string, from: number): number {
  const character = mark.charAt(0)
  const isCode = character === '`'
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + mark.length)
    if (before === character || (after === character && (isCode || mark.length === 1))) continue
    if (isCode || (/\S/.test(before) && !(character === '_' && /[\p{L}\p{N}]/u.test(after)))) return at
  }
  return -1
}

/** The smallest range of lines to replace so that they match the text. Styles no line that looks as before. */
export function changeLines(old: Line[], text: string): { from: number; to: number; lines: Line[] } {
  const texts = text.split('\n')
  const shorter = Math.min(old.length, texts.length)
  let from = 0
  while (from < shorter && old[from]?.text === texts[from]) from++
  let same = 0
  while (same < shorter - from && old[old.length - 1 - same]?.text === texts[texts.length - 1 - same]) same++
  const offset = old.length - texts.length
  const lines: Line[] = []
  let state = old[from - 1]?.after ?? ''
  let at = from
  // Also the unchanged lines below, for as long as a code block begins or ends that did not before.
  while (at < texts.length && !(at >= texts.length - same && old[at + offset]?.before === state)) {
    const line = styleLine(texts[at] ?? '', state)
    lines.push(line)
    state = line.after
    at++
  }
  return { from, to: at + offset, lines }
}

const looks: Record<Exclude<Kind, 'text'>, string> = {
  bold: '',
  mark: 'text-faint',
  link: 'text-primary-text',
  code: 'text-info-text',
  quote: 'text-muted-foreground',
}

/** Text nodes only: whatever the text is, it cannot become HTML. */
function toElement({ spans }: Line): HTMLElement {
  const element = document.createElement('div')
  for (const { text, kind } of spans) {
    if (kind === 'text') {
      element.append(text)
      continue
    }
    const span = document.createElement('span')
    span.className = looks[kind]
    // As wide as the normal weight, also where another font stands in for a missing letter.
    if (kind === 'bold') span.style.webkitTextStroke = '0.04em'
    span.textContent = text
    element.append(span)
  }
  // Makes an empty line as high as the others.
  element.append('\n')
  return element
}

/** More than a post can have. Longer texts are shown by the field itself. */
const maxLength = 100_000

export interface Mirror {
  /** After the text was changed without an event. */
  update: () => void
  stop: () => void
}

/**
 * Shows the text of the field in the layer behind it, with colors, and makes that of the field transparent. Selection,
 * caret, undo and spelling stay those of the field. Renders only lines that change, and reads no layout while the user
 * types.
 */
export function startMirror(area: HTMLTextAreaElement, layer: HTMLElement): Mirror {
  const forcedColors = window.matchMedia('(forced-colors: active)')
  const range = document.createRange()
  let lines: Line[] = []
  let shown: string | undefined

  const render = (text: string) => {
    const change = changeLines(lines, text)
    const added = document.createDocumentFragment()
    for (const line of change.lines) added.append(toElement(line))
    range.setStart(layer, change.from)
    range.setEnd(layer, change.to)
    range.deleteContents()
    range.insertNode(added)
    lines = [...lines.slice(0, change.from), ...change.lines, ...lines.slice(change.to)]
    shown = text
  }
  const update = () => {
    const { value } = area
    const isOn = value.length <= maxLength && !forcedColors.matches
    const text = isOn ? value : ''
    if (text !== shown) render(text)
    area.style.color = isOn ? 'transparent' : ''
    area.style.caretColor = isOn ? 'var(--primary)' : ''
  }
  const follow = () => {
    layer.scrollTop = area.scrollTop
  }

  const listening = new AbortController()
  const { signal } = listening
  area.addEventListener('input', update, { signal })
  area.addEventListener('scroll', follow, { signal })
  // The fields are reset after the event.
  area.form?.addEventListener('reset', () => setTimeout(update), { signal })
  forcedColors.addEventListener('change', update, { signal })
  const resizing = new ResizeObserver(follow)
  resizing.observe(area)
  // A field that does not grow with its text gets a scrollbar, and the layer the same one behind it.
  if (!CSS.supports('field-sizing', 'content')) layer.style.overflowY = 'auto'
  update()
  return {
    update,
    stop: () => {
      listening.abort()
      resizing.disconnect()
      layer.replaceChildren()
      area.style.color = ''
      area.style.caretColor = ''
    },
  }
}
