import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { refuseCrossSite } from '@/core/request'
import { listUsers, User, UserQuery } from '../../../../list'
import { can } from '../../../../policy'

/** A page of people. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('users.read'),
    summary: 'List people, a page at a time',
    query: UserQuery,
    answers: { 200: z.object({ users: z.array(User), nextCursor: z.string().nullable() }) },
    refuses: ['cross_site'],
    run: async ({ query, actor, request }) => {
      // It writes down that somebody looked: another site must not make an admin's browser do that.
      refuseCrossSite(request.headers, { isBrowserOnly: false })
      const { users, nextCursor } = await listUsers(actor.id, query)
      return { users, nextCursor }
    },
  }),
})
