import { definePublicHandler, defineRoute } from '@/core/handler'
import { absoluteUrl } from '@/core/site/origin'

/** Per request, not a static file: it names the sitemap by its absolute URL, which the build does not know. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the rules for crawlers',
    responses: { 200: { file: 'text/plain' } },
    cache: 'public, max-age=3600',
    run: () => {
      const lines = ['User-Agent: *', 'Allow: /', 'Disallow: /api/', 'Disallow: /dashboard', '']
      return new Response(`${[...lines, `Sitemap: ${absoluteUrl('/sitemap.xml')}`].join('\n')}\n`, {
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      })
    },
  }),
})
