import { z } from 'zod'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { findPost } from '../../../published'
import { inApi, ShownPost } from '../../../shown'

/** One of them, with its text as HTML. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get a post, with its text as HTML',
    answers: { 200: ShownPost.extend({ author: z.string().nullable(), html: z.string() }) },
    refuses: ['not_found', 'unavailable'],
    params: z.object({ slug: z.string().max(80) }),
    run: async ({ params }) => {
      const post = await findPost(params.slug)
      if (!post) throw new AppError('not_found')
      return { ...inApi(post), author: post.authorName, html: post.html }
    },
  }),
})
