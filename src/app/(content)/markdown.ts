import 'server-only'
import MarkdownIt from 'markdown-it'
import { highlightCode } from './highlight-code'

/**
 * `html: false` escapes HTML in the text, and `validateLink` allows only http, https, mailto and paths of this site. Only
 * elements created by the renderer reach a page.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false })

const isLocalPath = (url: string) => /^\/(?![/\\])/.test(url)
const isSafe = (url: string) => /^(https?:|mailto:|#)/i.test(url) || isLocalPath(url)
markdown.validateLink = isSafe

// The page's h1 is the post title, so headings in the text start at h2.
markdown.core.ruler.push('headings', (state) => {
  const headings = state.tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close')
  const level = ({ tag }: { tag: string }) => Number(tag.slice(1))
  const highest = Math.min(...headings.map(level))
  for (const token of headings) token.tag = `h${Math.min(6, level(token) - highest + 2)}`
})

// An image that becomes a link must not be inside another one.
markdown.core.ruler.push('images', (state) => {
  for (const { children } of state.tokens) {
    let depth = 0
    for (const token of children ?? []) {
      if (token.type === 'link_open') depth++
      if (token.type === 'link_close') depth--
      if (token.type === 'image') token.meta = { isInLink: depth > 0 }
    }
  }
})

/** No dots, percent escapes or query: a browser could resolve those to another path. */
const isCover = (path: string) => /^\/posts\/covers\/[\w-]+$/.test(path)

/** The id of the library image that a path names. Ids are lowercase, as PostgreSQL writes them. */
const imageIdIn = (path: string) =>
  /^\/posts\/images\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(path)?.[1] ?? null

/** An image of the library, as the renderer embeds it. */
export interface EmbeddedImage {
  /** Paths of this site with their widths, as in `srcset`. The largest is last. */
  webp: { path: string; width: number }[]
  avif: { path: string; width: number }[]
  width: number
  height: number
}

/** Images that a text may embed, by id. */
export type EmbeddedImages = ReadonlyMap<string, EmbeddedImage>

const srcset = (files: EmbeddedImage['webp']) => files.map(({ path, width }) => `${path} ${width}w`).join(', ')
/** The text column of a post, and the whole width of a narrow screen. */
const sizes = '(min-width: 48rem) 44rem, 100vw'

function renderEmbedded({ webp, avif, width, height }: EmbeddedImage, alt: string, title: string): string {
  const attributes = (all: Record<string, string | number>) =>
    Object.entries(all)
      .map(([name, value]) => ` ${name}="${markdown.utils.escapeHtml(String(value))}"`)
      .join('')
  const source = avif.length > 0 ? `<source${attributes({ type: 'image/avif', srcset: srcset(avif), sizes })}>` : ''
  const image = attributes({
    src: webp.at(-1)?.path ?? '',
    srcset: srcset(webp),
    sizes,
    width,
    height,
    alt,
    ...(title !== '' && { title }),
    loading: 'lazy',
    decoding: 'async',
  })
  return `<picture>${source}<img${image}></picture>`
}

// Only covers and images of the library are embedded: any other path of this site would be requested with the reader's
// cookies. Other images become links, so that no third-party site learns who reads what.
const renderImage = markdown.renderer.rules.image
markdown.renderer.rules.image = (tokens, index, options, env, self) => {
  const token = tokens[index]
  const url = String(token?.attrGet('src') ?? '')
  if (isCover(url) && renderImage) {
    token?.attrSet('loading', 'lazy')
    return renderImage(tokens, index, options, env, self)
  }
  const { escapeHtml } = markdown.utils
  const imageId = imageIdIn(url)
  if (imageId) {
    const alt = self.renderInlineAsText(token?.children ?? [], options, env)
    const image = (env?.images as EmbeddedImages | undefined)?.get(imageId)
    // An image that was deleted leaves its words behind.
    return image ? renderEmbedded(image, alt, String(token?.attrGet('title') ?? '')) : escapeHtml(alt)
  }
  const label = escapeHtml(token?.content || url)
  if (token?.meta?.isInLink) return label
  return `<a href="${escapeHtml(url)}">${label}</a>`
}

// Wide tables and code blocks scroll on their own; tabindex makes them scrollable by keyboard.
markdown.renderer.rules.table_open = () => '<div class="table" role="region" aria-label="Table" tabindex="0"><table>'
markdown.renderer.rules.table_close = () => '</table></div>'
for (const kind of ['fence', 'code_block'] as const) {
  const renderCode = markdown.renderer.rules[kind]
  markdown.renderer.rules[kind] = (tokens, index, options, env, self) => {
    const highlight = () => String(tokens[index]?.meta?.html ?? '')
    const html = renderCode?.(tokens, index, { ...options, highlight }, env, self) ?? ''
    return html.replace('<pre>', '<pre tabindex="0">')
  }
}

const languageOf = (info: string) => markdown.utils.unescapeAll(info).trim().split(/\s/, 1)[0] ?? ''

async function parseWithColors(text: string, env: { images?: EmbeddedImages }) {
  const tokens = markdown.parse(text, env)
  for (const token of tokens)
    if (token.type === 'fence') token.meta = { html: await highlightCode(token.content, languageOf(token.info)) }
  return tokens
}

/**
 * Colors the code of texts, and remembers it. For texts that a transaction is about to render: PostgreSQL ends a transaction that
 * computes for seconds.
 */
export async function prepareCode(texts: string[]): Promise<void> {
  for (const text of texts) await parseWithColors(text, {})
}

/** Embeds only the library images that are passed: use `renderBody`, which finds those of a text. */
export async function toHtml(text: string, images: EmbeddedImages = new Map()): Promise<string> {
  const env = { images }
  return markdown.renderer.render(await parseWithColors(text, env), markdown.options, env)
}

/** Ids of the library images that a text embeds, whether they exist or not. */
export function imageIdsOf(text: string): string[] {
  if (!text.includes('/posts/images/')) return []
  const ids = markdown
    .parse(text, {})
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => (token.type === 'image' ? (imageIdIn(String(token.attrGet('src') ?? '')) ?? []) : []))
  return [...new Set(ids)]
}

/** The Markdown that embeds an image. The alt text is escaped: it must not end early, or become emphasis or code. */
export const markdownOf = (id: string, alt: string): string =>
  `![${alt.replaceAll(/[\\`*_[\]<>&!~]/g, '\\$&')}](/posts/images/${id})`

/** Plain-text excerpt of at most 200 characters, used when a post has no summary. */
export function excerptOf(text: string): string {
  const plain = markdown
    .parse(text, {})
    .filter(({ type }) => type === 'inline')
    .map(
      ({ children }) => children?.map(({ type, content }) => (type === 'image' ? '' : content || ' ')).join('') ?? '',
    )
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length > 200 ? `${plain.slice(0, 200).replace(/\s\S*$/, '')}…` : plain
}
