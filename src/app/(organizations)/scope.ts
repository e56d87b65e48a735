import { sql } from 'drizzle-orm'
import type { ScopeProvider } from '@/core/scope'

/**
 * Organizations as the scopes of this app. Raw SQL, because core puts it into its own statements. A lookup of one slug, then of
 * one membership: as a join, the planner would read all memberships of the user.
 */
export const scope: ScopeProvider = {
  noun: { one: 'organization', many: 'organizations' },
  membership: (userId, named) => sql`
    select organization.id, organization.slug, organization.name, member.role
    from organizations_members as member
    join organizations_organizations as organization on organization.id = member.scope_id
    where member.user_id = ${userId}
      and member.scope_id = (select organization_id from organizations_slugs where slug = ${named})
      and organization.deleted_at is null`,
  role: (userId, scopeId) => sql`
    select member.role from organizations_members as member
    where member.user_id = ${userId} and member.scope_id = ${scopeId}
      and exists (select from organizations_organizations where id = ${scopeId} and deleted_at is null)`,
  name: (scopeId) => sql`select name from organizations_organizations where id = ${scopeId}`,
}
