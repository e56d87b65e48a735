import { definePublicHandler, defineRoute } from '@/core/handler'
import { findMonths } from '../published'
import { absolute } from '../shown'
import { xml, xmlResponse } from '../xml'

/** Leads to a sitemap for each month: one alone may hold 50,000 addresses. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Find the sitemaps',
    answers: { 200: { file: 'application/xml' } },
    refuses: ['unavailable'],
    cache: 'public, max-age=3600',
    run: async () => {
      const months = (await findMonths()).map(
        (month) => xml`
  <sitemap><loc>${absolute(`/posts/sitemap/${month}`)}</loc></sitemap>`,
      )
      return xmlResponse(
        'application/xml',
        xml`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${months}
</sitemapindex>
`,
      )
    },
  }),
})
