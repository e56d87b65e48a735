import { z } from 'zod'
import { signedIn } from '@/core/auth/policy'
import { defineHandler, defineRoute } from '@/core/handler'
import { getPicture } from '../../../../avatars'

const headers = {
  'Content-Type': 'image/webp',
  'Content-Disposition': 'inline',
  // Somebody may open it as a page of its own: whatever is in it, it can do nothing there.
  'Content-Security-Policy': "default-src 'none'; sandbox",
}

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: signedIn,
    summary: 'Get a picture of somebody',
    answers: { 200: { file: 'image/webp' } },
    refuses: ['not_found'],
    params: z.object({ id: z.uuid() }),
    // Another picture has another address.
    cache: 'private, max-age=31536000, immutable',
    run: async ({ params }) => new Response(new Uint8Array(await getPicture(params.id)), { headers }),
  }),
})
