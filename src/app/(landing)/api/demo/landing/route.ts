import { definePublicHandler, defineRoute } from '@/core/handler'
import { Content, content } from '../../../content'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get landing page content',
    responses: { 200: Content },
    cache: 'public, max-age=3600',
    run: () => content,
  }),
})
