import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { listUsers } from '../../../../list-users'
import { can } from '../../../../policy'
import { User, UserQuery } from '../../../../user-query'

/** One page of users. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('users.read'),
    summary: 'List users',
    query: UserQuery,
    responses: { 200: z.object({ users: z.array(User), nextCursor: z.string().nullable() }) },
    run: async ({ query, actor }) => {
      const { users, nextCursor } = await listUsers(actor.id, query)
      return { users, nextCursor }
    },
  }),
})
