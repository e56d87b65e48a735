import { z } from 'zod'
import { signedIn } from '@/core/auth/policy'
import { defineHandler, defineRoute } from '@/core/handler'
import { pictureHeaders } from '@/core/picture-headers'
import { getPicture } from '../../../../avatars'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: signedIn,
    summary: 'Get a picture of somebody',
    answers: { 200: { file: 'image/webp' } },
    refuses: ['not_found'],
    params: z.object({ id: z.uuid() }),
    // Another picture has another address.
    cache: 'private, max-age=31536000, immutable',
    run: async ({ params }) => new Response(new Uint8Array(await getPicture(params.id)), { headers: pictureHeaders }),
  }),
})
