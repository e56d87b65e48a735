import { absoluteUrl } from '@/core/site/origin'

export interface OutlineEntry {
  id: string
  text: string
  level: number
}

const withoutTags = (html: string) => html.replaceAll(/<[^>]*>/g, '').trim()

const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }
const decode = (text: string) => text.replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => characters[entity] ?? entity)

const slugOf = (text: string) =>
  text
    // Before the rest: this may cut a character in half, which is replaced then.
    .slice(0, 60)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '') || 'section'

const copyButton =
  '<button type="button" data-copy="" data-slot="copy-code"><span>Copy</span><span>Copied</span></button>'

/**
 * Adds what the page of a post has and its feeds have not: ids and links of headings, and buttons that copy code (the early
 * script does the copying). Returns the headings as well. Works on the HTML of markdown.ts, in which every `<` of the text is
 * escaped, so each tag found here was created by the renderer.
 *
 * Ids begin with `h-`: one without a hyphen, such as `process`, would become a global variable of the page. A link in the text
 * may leave it out: `[see below](#process)`.
 */
export function toPageHtml(html: string): { html: string; outline: OutlineEntry[] } {
  const outline: OutlineEntry[] = []
  const idBySlug = new Map<string, string>()
  const lastNumbers = new Map<string, number>()
  // Continues at the last number: a text of nothing but equal headings would take minutes otherwise.
  const uniqueSlug = (slug: string) => {
    let number = lastNumbers.get(slug) ?? 1
    const candidate = () => (number > 1 ? `${slug}-${number}` : slug)
    while (idBySlug.has(candidate())) number++
    lastNumbers.set(slug, number)
    return candidate()
  }
  const withHeadings = html.replaceAll(/<h([2-6])>([\s\S]*?)<\/h\1>/g, (_, level: string, content: string) => {
    const escaped = withoutTags(content)
    const text = decode(escaped)
    const slug = uniqueSlug(slugOf(text))
    const id = `h-${slug}`
    idBySlug.set(slug, id)
    if (text) outline.push({ id, text, level: Number(level) })
    const label = escaped.replaceAll('"', '&quot;') || 'this section'
    return `<div class="heading"><h${level} id="${id}">${content}</h${level}><a class="anchor" href="#${id}" aria-label="Link to ${label}">#</a></div>`
  })
  const idByHash = new Map([...idBySlug].map(([slug, id]) => [encodeURI(slug), id]))
  return {
    outline,
    html: withHeadings
      // Only links of the text begin with `href`.
      .replaceAll(/(<a href=")#([^"]*)"/g, (link, start: string, hash: string) => {
        const id = idByHash.get(hash)
        return id ? `${start}#${id}"` : link
      })
      .replaceAll(/<pre[ >][\s\S]*?<\/pre>/g, (code) => `<figure data-slot="code-block">${code}${copyButton}</figure>`),
  }
}

/** A feed has no base URL, so links and images need their origin. markdown.ts lets through no path that begins with `//`. */
export const withAbsoluteUrls = (html: string, url: string) =>
  html
    .replaceAll(/ (href|src)="\//g, (_, attribute: string) => ` ${attribute}="${absoluteUrl('/')}`)
    .replaceAll(/ srcset="[^"]*"/g, (srcset) => srcset.replaceAll(/(?<=["\s])\//g, absoluteUrl('/')))
    .replaceAll(' href="#', ` href="${url}#`)
