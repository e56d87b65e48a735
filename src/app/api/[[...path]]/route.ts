import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

const nothing = definePublicHandler({
  summary: 'Refuse what no other route answers',
  answers: {},
  run: () => {
    throw new AppError('not_found')
  },
})

/** Whatever no other route answers: a caller of the API is refused in its own language, not with a page. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: nothing,
  POST: nothing,
  PUT: nothing,
  PATCH: nothing,
  DELETE: nothing,
})
