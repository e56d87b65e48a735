import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { sitemap } from '@/core/site/sitemap'
import { xmlResponse } from '@/core/site/xml'
import { postPath } from '../../../api-post'
import { findSlugs } from '../../../published'

/** Sitemap of the posts published in one month. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the sitemap of one month',
    responses: { 200: { file: 'application/xml' } },
    errors: ['unavailable'],
    params: z.object({ month: z.string().regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/) }),
    cache: 'public, max-age=3600',
    run: async ({ params }) => {
      const posts = await findSlugs(params.month)
      const pages = posts.map(({ slug, updatedAt }) => ({ path: postPath(slug), updatedAt }))
      return xmlResponse('application/xml', sitemap(pages))
    },
  }),
})
