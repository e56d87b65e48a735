import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { maxBytes, replaceImage } from '../../../../_images/library'
import { can } from '../../../../policy'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  PUT: defineHandler({
    allow: can('posts.write'),
    summary: 'Replace an image in every post that uses it',
    upload: 'image/*',
    responses: { 200: z.object({ id: z.uuid() }) },
    errors: ['not_found', 'too_large', 'invalid_input', 'rate_limited'],
    params: z.object({ id: z.uuid().toLowerCase() }),
    run: async ({ params, actor, readUpload }) => {
      await replaceImage(actor, params.id, async () => ({ bytes: await readUpload(maxBytes) }))
      return { id: params.id }
    },
  }),
})
