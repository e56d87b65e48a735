import { definePublicHandler, defineRoute } from '@/core/handler'
import { toJsonFeed } from '../../json-feed'
import { findNewest } from '../../published'

const headers = { 'Content-Type': 'application/feed+json; charset=utf-8' }

/** JSON feed of the newest posts with their full HTML. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the newest posts as a JSON feed',
    responses: { 200: { file: 'application/feed+json' } },
    errors: ['unavailable'],
    cache: 'public, max-age=300',
    run: async () => new Response(JSON.stringify(toJsonFeed(await findNewest(20))), { headers }),
  }),
})
