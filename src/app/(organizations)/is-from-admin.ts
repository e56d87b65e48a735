import 'server-only'
import { sql } from 'drizzle-orm'
import { adminRole } from '@/core/auth/roles'

/**
 * Whether the inviter of an invitation is still an active admin of its organization; it is void otherwise. With the names of the
 * tables, because the columns of Drizzle have none in a query of one table.
 */
export const isFromAdmin = sql<boolean>`exists (
  select from organizations_members as inviting join users as inviter on inviter.id = inviting.user_id
  where inviting.scope_id = organizations_invitations.scope_id and inviting.user_id = organizations_invitations.invited_by
    and inviting.role = ${adminRole} and inviter.suspended_at is null)`
