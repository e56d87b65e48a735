import type { SQL } from 'drizzle-orm'
import type { Route } from 'next'
import type { Role } from './auth/roles'

/** Something that rows and permissions belong to, such as an organization, and the role of the caller in it. */
export interface Scope {
  id: string
  /** In URLs: `/o/acme`. */
  slug: string
  name: string
  role: Role
}

/** The id of the app itself, which is a scope like any other: rows that belong to no organization belong to it. */
export const appScopeId = '00000000-0000-0000-0000-000000000000'

/** A user who acts in a scope, or without one in the app itself. */
export interface ScopeMember {
  id: string
  scope?: Scope | null | undefined
}

/**
 * The module that has the scopes, at most one. Its functions return SQL, so that core can put it into its own statements: no
 * further round trip is needed. Write them as lookups by key, not as joins: the planner may read all memberships of a user
 * otherwise.
 */
export interface ScopeProvider {
  /** What a scope is called, for documentation: "organization". */
  noun: { one: string; many: string }
  /** `select id, slug, name, role`: the scope with this slug or id, if the user is a member. */
  membership: (userId: SQL, named: SQL) => SQL
  /** The role of the user in the scope with this id: a scalar query, null if the user is not a member. */
  role: (userId: SQL, scopeId: SQL) => SQL
  /** The name of the scope with this id, for the audit log of the app: a scalar query, null if it does not exist any more. */
  name: (scopeId: SQL) => SQL
}

/** Whether a part of a URL can be the slug or the id of a scope. */
export const isScopeName = (text: unknown): text is string =>
  typeof text === 'string' && /^[a-z0-9-]{2,39}$/i.test(text)

/**
 * The path of a page in a scope, or in the app itself: `/o/acme/members`.
 * @public For modules with pages in scopes.
 */
export const scopePath = (scope: Pick<Scope, 'slug'> | null, path: string): Route =>
  (scope ? `/o/${scope.slug}${path}` : path) as Route
