import 'server-only'
import { inArray, type SQL, sql } from 'drizzle-orm'
import { roles } from '@/core/auth/roles'
import { can } from './policy'
import { invitations } from './schema'

/** For how many days an invitation is valid. */
export const validDays = 7

const rankOf = (role: SQL) => sql`array_position(${sql.param(roles)}::text[], ${role})`

/**
 * Whether the admin who sent an invitation may still invite, and give that role; it is void otherwise. With the names of the
 * tables, because the columns of Drizzle have none in a query of one table.
 */
export const isFromInviter = sql<boolean>`(admin_invitations.invited_by is null or exists (
  select from users as inviter where inviter.id = admin_invitations.invited_by and inviter.suspended_at is null
    and ${inArray(sql`inviter.role`, [...can('users.invite').roles])}
    and ${rankOf(sql`inviter.role`)} >= ${rankOf(sql`admin_invitations.role`)}))`

/** Whether an invitation has not expired, and its sender may still invite. */
export const isValid = sql<boolean>`(${invitations.sentAt} > now() - make_interval(days => ${sql.raw(String(validDays))}) and ${isFromInviter})`
