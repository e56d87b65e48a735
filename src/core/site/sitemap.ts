import { absoluteUrl } from './origin'
import { type Xml, xml } from './xml'

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** A list of sitemaps, by their paths. */
export function sitemapIndex(paths: string[]): Xml {
  const sitemaps = paths.map(
    (path) => xml`
  <sitemap><loc>${absoluteUrl(path)}</loc></sitemap>`,
  )
  return xml`<sitemapindex xmlns="${namespace}">${sitemaps}
</sitemapindex>
`
}

/** A sitemap may hold 50,000 pages. */
export function sitemap(pages: { path: string; updatedAt?: Date }[]): Xml {
  const urls = pages.map(({ path, updatedAt }) => {
    const lastChange = updatedAt ? xml`<lastmod>${updatedAt.toISOString()}</lastmod>` : []
    return xml`
  <url><loc>${absoluteUrl(path)}</loc>${lastChange}</url>`
  })
  return xml`<urlset xmlns="${namespace}">${urls}
</urlset>
`
}
