import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { readBytes } from '@/core/request'
import { coverAddress, mostBytes, setCover } from '../../../../../covers'
import { can } from '../../../../../policy'

/** A handler and no action: a photograph is larger than a form may be. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  PUT: defineHandler({
    allow: can('posts.write'),
    summary: 'Give a post a cover',
    upload: 'image/*',
    answers: { 200: z.object({ url: z.string() }) },
    refuses: ['not_found', 'too_large', 'invalid_input', 'rate_limited'],
    params: z.object({ id: z.uuid() }),
    run: async ({ params, actor, request }) => ({
      url: coverAddress(await setCover(actor, params.id, await readBytes(request, mostBytes))),
    }),
  }),
})
