import { z } from 'zod'
import { signedIn } from '@/core/auth/policy'
import { defineHandler, defineRoute } from '@/core/handler'
import { pictureResponse } from '@/core/image/picture-response'
import { getPicture } from '../../../../avatars'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: signedIn,
    summary: 'Get a user’s avatar',
    responses: { 200: { file: 'image/webp' } },
    errors: ['not_found'],
    params: z.object({ id: z.uuid() }),
    // A new picture gets a new URL.
    cache: 'private, max-age=31536000, immutable',
    run: ({ params, request }) => pictureResponse(request, () => getPicture(params.id)),
  }),
})
