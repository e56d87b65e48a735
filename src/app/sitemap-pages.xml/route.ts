import { definePublicHandler, defineRoute } from '@/core/handler'
import { sitemap } from '@/core/site/sitemap'
import { xmlResponse } from '@/core/site/xml'
import { publicPages } from '@/public-pages'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the sitemap of the public pages',
    responses: { 200: { file: 'application/xml' } },
    cache: 'public, max-age=3600',
    run: () =>
      xmlResponse('application/xml', sitemap([{ path: '/' }, ...publicPages.map(({ href }) => ({ path: href }))])),
  }),
})
