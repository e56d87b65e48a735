import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { countUnread } from '../inbox-folder'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Count the unread emails in the development inbox',
    responses: { 200: z.object({ count: z.number() }) },
    run: async () => ({ count: await countUnread() }),
  }),
})
