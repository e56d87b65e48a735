import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { readCover } from '../../../covers'

const headers = {
  'Content-Type': 'image/webp',
  'Content-Disposition': 'inline',
  // Other sites show it beside their link to the post.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // Somebody may open it as a page of its own: whatever is in it, it can do nothing there.
  'Content-Security-Policy': "default-src 'none'; sandbox",
}

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
