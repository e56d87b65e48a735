import 'server-only'
import type { GrammarState } from '@shikijs/types'
import { type GrammarName, grammarOf, loadHighlighter } from './code-grammars'
import { codeTheme, plain } from './code-theme'
import { createPause } from './pause'

/** Longer code, and longer lines, have no colors: the time that a line takes can grow with the cube of its length. */
const maxLength = 20_000
const maxLineLength = 160

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')

/** Neighbors of one kind share an element, with the spaces between them. */
function toSpans(tokens: { content: string; color?: string }[]): string {
  let html = ''
  let open = ''
  let spaces = ''
  for (const { content, color = '' } of tokens) {
    if (content.trim() === '') {
      spaces += content
      continue
    }
    const name = color === plain ? '' : color
    html += name === open ? spaces : `${open && '</span>'}${spaces}${name && `<span class="${name}">`}`
    html += escapeHtml(content)
    open = name
    spaces = ''
  }
  return `${html}${open && '</span>'}${spaces}`
}

/** What was colored last. A preview, for example, colors only the code that has changed. */
const remembered = new Map<string, string>()
const maxRemembered = 4_000_000
let rememberedLength = 0

function remember(key: string, html: string): void {
  if (remembered.has(key)) return
  remembered.set(key, html)
  rememberedLength += key.length + html.length
  for (const [oldKey, oldHtml] of remembered) {
    if (rememberedLength <= maxRemembered) return
    remembered.delete(oldKey)
    rememberedLength -= oldKey.length + oldHtml.length
  }
}

/**
 * The HTML of a code block, without the elements around it: escaped, and colored with `<span class="…">`. Called when a post is
 * published or previewed, so it costs readers nothing. The same code yields the same HTML on every node.
 */
export async function highlightCode(code: string, language: string): Promise<string> {
  const lang = grammarOf(language)
  if (!lang || code.length > maxLength) return escapeHtml(code)
  const key = `${lang} ${code}`
  const html = remembered.get(key) ?? (await colorCode(code, lang))
  remember(key, html)
  return html
}

async function colorCode(code: string, lang: GrammarName): Promise<string> {
  const pause = createPause()
  const [highlighter, { codeToTokensBase, getLastGrammarState }] = await Promise.all([
    loadHighlighter(lang, pause),
    import('@shikijs/primitive'),
  ])
  // No time limit: what it cuts off would depend on the load of the machine.
  const options = { lang, theme: codeTheme.name, tokenizeMaxLineLength: maxLineLength, tokenizeTimeLimit: 0 }
  const lines: string[] = []
  let grammarState: GrammarState | undefined
  for (const line of code.split('\n')) {
    const tokens = codeToTokensBase(highlighter, line, { ...options, ...(grammarState && { grammarState }) })
    grammarState = getLastGrammarState(highlighter, tokens)
    lines.push(toSpans(tokens.flat()))
    await pause()
  }
  return lines.join('\n')
}
