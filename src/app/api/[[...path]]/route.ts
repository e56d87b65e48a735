import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

const notFound = definePublicHandler({
  summary: 'Return 404 for unknown API paths',
  responses: {},
  run: () => {
    throw new AppError('not_found')
  },
})

/** Every API path without a route: returns problem+json, not the HTML 404 page. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: notFound,
  POST: notFound,
  PUT: notFound,
  PATCH: notFound,
  DELETE: notFound,
})
