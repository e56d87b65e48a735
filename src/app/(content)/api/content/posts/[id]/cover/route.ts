import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { coverPath, maxBytes, setCover } from '../../../../../covers'
import { can } from '../../../../../policy'

/** A handler, not an action: a photo exceeds the body limit of server actions. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  PUT: defineHandler({
    allow: can('posts.write'),
    summary: 'Set a post’s cover image',
    upload: 'image/*',
    responses: { 200: z.object({ url: z.string() }) },
    errors: ['not_found', 'too_large', 'invalid_input', 'rate_limited'],
    params: z.object({ id: z.uuid() }),
    run: async ({ params, actor, readUpload }) => ({
      url: coverPath(await setCover(actor, params.id, () => readUpload(maxBytes))),
    }),
  }),
})
