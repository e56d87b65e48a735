import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { ImageText } from '../../../_images/image-text'
import { addImage, maxBytes } from '../../../_images/library'
import { markdownOf } from '../../../markdown'
import { can } from '../../../policy'

/** A handler, not an action: a photo exceeds the body limit of server actions. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: defineHandler({
    allow: can('posts.write'),
    summary: 'Upload an image for posts',
    upload: 'image/*',
    responses: { 200: z.object({ id: z.uuid(), markdown: z.string() }) },
    errors: ['too_large', 'invalid_input', 'rate_limited'],
    query: ImageText,
    run: async ({ query, actor, readUpload }) => {
      const id = await addImage(actor, async () => ({ ...query, bytes: await readUpload(maxBytes) }))
      return { id, markdown: markdownOf(id, query.alt) }
    },
  }),
})
