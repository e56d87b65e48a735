import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { takeImageForm } from '../../../../_images/image-form'
import { can } from '../../../../policy'

/** For the forms of the library, which work without JavaScript. The redirect says what happened. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: defineHandler({
    allow: can('posts.write'),
    summary: 'Upload or replace an image with a form',
    upload: 'multipart/form-data',
    responses: { 303: { redirect: 'the image library, or the form if the image was rejected' } },
    errors: ['not_found'],
    query: z.object({ id: z.uuid().toLowerCase().optional() }),
    run: async ({ query, actor, request, readUpload }) => {
      const path = await takeImageForm(actor, query.id, request.headers.get('content-type') ?? '', readUpload)
      return new Response(null, { status: 303, headers: { Location: path } })
    },
  }),
})
