import 'server-only'
import MarkdownIt from 'markdown-it'

/**
 * HTML in a text is shown as text, and links lead to http, https or mail only: the library's own rules. So whatever
 * somebody writes, only elements that are made here reach a page.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false })

const isOwnPath = (address: string) => /^\/(?![/\\])/.test(address)
const isSafe = (address: string) => /^(https?:|mailto:|#)/i.test(address) || isOwnPath(address)
markdown.validateLink = isSafe

// The title of the post is the heading of the first order on its page, so those in the text begin with the second.
markdown.core.ruler.push('headings', (state) => {
  const headings = state.tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close')
  const level = ({ tag }: { tag: string }) => Number(tag.slice(1))
  const highest = Math.min(...headings.map(level))
  for (const token of headings) token.tag = `h${Math.min(6, level(token) - highest + 2)}`
})

// Pages load pictures from here only. One from elsewhere is a link to it, which also tells nobody who reads what.
const showImage = markdown.renderer.rules.image
markdown.renderer.rules.image = (tokens, index, options, env, self) => {
  const token = tokens[index]
  const address = String(token?.attrGet('src') ?? '')
  if (isOwnPath(address) && showImage) {
    token?.attrSet('loading', 'lazy')
    return showImage(tokens, index, options, env, self)
  }
  const { escapeHtml } = markdown.utils
  const words = escapeHtml(token?.content || address)
  const before = tokens.slice(0, index)
  const count = (type: string) => before.filter((one) => one.type === type).length
  if (count('link_open') > count('link_close')) return words
  return `<a href="${escapeHtml(address)}">${words}</a>`
}

// A table or a program that is wider than the screen scrolls by itself, also by keyboard.
markdown.renderer.rules.table_open = () => '<div class="table" role="region" aria-label="Table" tabindex="0"><table>'
markdown.renderer.rules.table_close = () => '</table></div>'
for (const kind of ['fence', 'code_block'] as const) {
  const show = markdown.renderer.rules[kind]
  markdown.renderer.rules[kind] = (...given) => (show?.(...given) ?? '').replace('<pre>', '<pre tabindex="0">')
}

export const toHtml = (text: string): string => markdown.render(text)

/** The first words of a text, for where there is no summary. */
export function beginningOf(text: string): string {
  const plain = markdown
    .parse(text, {})
    .filter(({ type }) => type === 'inline')
    .map(
      ({ children }) => children?.map(({ type, content }) => (type === 'image' ? '' : content || ' ')).join('') ?? '',
    )
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length > 200 ? `${plain.slice(0, 200).replace(/\s\S*$/, '')} …` : plain
}
