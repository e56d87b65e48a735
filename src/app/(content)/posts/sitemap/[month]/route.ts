import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { findAddresses } from '../../../published'
import { absolute, postAddress } from '../../../shown'
import { xml, xmlResponse } from '../../../xml'

/** The addresses of what was published in a month. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Find what was published in a month',
    answers: { 200: { file: 'application/xml' } },
    refuses: ['unavailable'],
    params: z.object({ month: z.string().regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/) }),
    cache: 'public, max-age=3600',
    run: async ({ params }) => {
      const urls = (await findAddresses(params.month)).map(
        ({ slug, updatedAt }) => xml`
  <url><loc>${absolute(postAddress(slug))}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url>`,
      )
      return xmlResponse(
        'application/xml',
        xml`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}
</urlset>
`,
      )
    },
  }),
})
