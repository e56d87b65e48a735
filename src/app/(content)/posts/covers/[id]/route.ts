import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { pictureResponse } from '@/core/image/picture-response'
import { readCover } from '../../../covers'

// Link previews on other sites embed the image.
const headers = { 'Cross-Origin-Resource-Policy': 'cross-origin' }

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get a post’s cover image',
    responses: { 200: { file: 'image/webp' } },
    errors: ['not_found', 'unavailable'],
    params: z.object({ id: z.uuid() }),
    // A new image gets a new id, so the URL never changes its content.
    cache: 'public, max-age=31536000, immutable',
    run: ({ params, request }) => pictureResponse(request, () => readCover(params.id), headers),
  }),
})
