import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { ApiPost, toApiPost } from '../../api-post'
import { findPosts } from '../../published'

/** Published posts, newest first; with `search`, best matches first. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'List or search published posts',
    responses: { 200: z.object({ posts: z.array(ApiPost), next: z.string().nullable() }) },
    errors: ['unavailable'],
    query: z.object({
      search: z.string().trim().max(200).optional(),
      tag: z.string().max(30).optional(),
      before: z.string().max(100).optional(),
    }),
    run: async ({ query }) => {
      const { posts, next } = await findPosts(query)
      return { posts: posts.map(toApiPost), next }
    },
  }),
})
