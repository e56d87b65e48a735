import { definePublicHandler, defineRoute } from '@/core/handler'
import { content } from '../../../content'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({ cache: 'public, max-age=3600', run: () => content }),
})
