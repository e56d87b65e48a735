import { definePublicHandler, defineRoute } from '@/core/handler'
import { sitemapIndex } from '@/core/site/sitemap'
import { xmlResponse } from '@/core/site/xml'
import { modules } from '@/modules'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the sitemap index',
    responses: { 200: { file: 'application/xml' } },
    errors: ['unavailable'],
    cache: 'public, max-age=3600',
    run: async () => {
      const ofModules = await Promise.all(modules.map(async ({ sitemaps }) => (await sitemaps?.()) ?? []))
      return xmlResponse('application/xml', sitemapIndex(['/sitemap-pages.xml', ...ofModules.flat()]))
    },
  }),
})
