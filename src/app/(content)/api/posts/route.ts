import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { findPosts } from '../../published'
import { inApi, ShownPost } from '../../shown'

/** What is published, the newest first; with `search`, what fits best. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'List what is published, a page at a time, or search it',
    answers: { 200: z.object({ posts: z.array(ShownPost), next: z.string().nullable() }) },
    refuses: ['unavailable'],
    query: z.object({
      search: z.string().trim().max(200).optional(),
      tag: z.string().max(30).optional(),
      before: z.string().max(100).optional(),
    }),
    run: async ({ query }) => {
      const { posts, next } = await findPosts(query)
      return { posts: posts.map(inApi), next }
    },
  }),
})
