import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { pictureHeaders } from '@/core/picture-headers'
import { readCover } from '../../../covers'

// Other sites show it beside their link to the post.
const headers = { ...pictureHeaders, 'Cross-Origin-Resource-Policy': 'cross-origin' }

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the cover of a post',
    answers: { 200: { file: 'image/webp' } },
    refuses: ['not_found', 'unavailable'],
    params: z.object({ id: z.uuid() }),
    // Another picture has another address.
    cache: 'public, max-age=31536000, immutable',
    run: async ({ params }) => new Response(new Uint8Array(await readCover(params.id)), { headers }),
  }),
})
