import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { listUsers, User, UserQuery } from '../../../../list'
import { can } from '../../../../policy'

/** A page of people. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('users.read'),
    summary: 'List people, a page at a time',
    query: UserQuery,
    answers: { 200: z.object({ users: z.array(User), nextCursor: z.string().nullable() }) },
    run: async ({ query, actor }) => {
      const { users, nextCursor } = await listUsers(actor.id, query)
      return { users, nextCursor }
    },
  }),
})
