import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { pictureResponse } from '@/core/image/picture-response'
import { findImageFile } from '../../../../_images/find-image-file'

const year = 365 * 24 * 60 * 60

/** Other sites may show public images, in feed readers for example. */
const publicHeaders = {
  'Cache-Control': `public, max-age=${year}, immutable`,
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
/** Not for long: it may become public, or its preview link may be revoked. */
const privateHeaders = { 'Cache-Control': 'private, max-age=600' }

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get an image of a post',
    responses: { 200: { file: 'image/*' } },
    errors: ['not_found', 'unavailable'],
    params: z.object({ file: z.uuid().toLowerCase(), variant: z.string().regex(/^\d{1,4}\.(webp|avif)$/) }),
    query: z.object({ token: z.string().max(100).optional() }),
    // Public once a published post embeds it. Until then, only users who write posts and readers of a preview see it.
    dependsOnCaller: true,
    run: async ({ params: { file, variant }, query: { token }, request }) => {
      const { isPublic, read } = await findImageFile(file, variant, token)
      const format = variant.endsWith('.avif') ? 'avif' : 'webp'
      return pictureResponse(request, read, {
        'Content-Type': `image/${format}`,
        'Content-Disposition': `inline; filename="picture.${format}"`,
        ...(isPublic ? publicHeaders : privateHeaders),
      })
    },
  }),
})
