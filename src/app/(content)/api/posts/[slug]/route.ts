import { z } from 'zod'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { ApiPost, toApiPost } from '../../../api-post'
import { findPost } from '../../../published'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get a post with its body as HTML',
    responses: { 200: ApiPost.extend({ author: z.string().nullable(), html: z.string() }) },
    errors: ['not_found', 'unavailable'],
    params: z.object({ slug: z.string().max(80) }),
    run: async ({ params }) => {
      const post = await findPost(params.slug)
      if (!post) throw new AppError('not_found')
      return { ...toApiPost(post), author: post.authorName, html: post.html }
    },
  }),
})
