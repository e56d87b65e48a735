import { z } from 'zod'
import { signedIn } from '@/core/auth/policy'
import { defineHandler, defineRoute } from '@/core/handler'
import { pictureResponse } from '@/core/image/picture-response'
import { getLogo } from '../../../../logos'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: signedIn,
    summary: 'Get the logo of an organization',
    responses: { 200: { file: 'image/webp' } },
    errors: ['not_found'],
    params: z.object({ id: z.uuid() }),
    // A new logo gets a new URL.
    cache: 'private, max-age=31536000, immutable',
    run: ({ params, request }) => pictureResponse(request, () => getLogo(params.id)),
  }),
})
