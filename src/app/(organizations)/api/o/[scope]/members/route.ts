import { z } from 'zod'
import { roles } from '@/core/auth/roles'
import { defineHandler, defineRoute } from '@/core/handler'
import { listMembers, MemberQuery } from '../../../../members'
import { can } from '../../../../policy'

const OrganizationMember = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    role: z.enum(roles),
    joinedAt: z.iso.datetime(),
  })
  .meta({ id: 'OrganizationMember' })

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('members.read'),
    summary: 'List the members of an organization',
    responses: { 200: z.object({ members: z.array(OrganizationMember), nextCursor: z.string().nullable() }) },
    query: MemberQuery,
    run: async ({ query, actor }) => {
      const { members, older } = await listMembers(actor, query)
      return {
        members: members.map(({ id, name, email, role, joinedAt }) => ({ id, name, email, role, joinedAt })),
        nextCursor: older ?? null,
      }
    },
  }),
})
