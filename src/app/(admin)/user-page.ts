import 'server-only'
import type { Metadata, Route } from 'next'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { isAllowed } from '@/core/auth/policy'
import { type Actor, getActor } from '@/core/auth/session/actor'
import { loadUserFields, userFieldsIn } from '@/core/auth/user-fields'
import type { Fact, UserTab } from '@/core/module-ui'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { moduleUis } from '@/module-uis'
import type { readList } from './list-url'
import { findNeighbors } from './list-users'
import { can } from './policy'
import { findUserDetails } from './user-details'

const isUserId = (id: string) => z.uuid().safeParse(id).success

/** The page of a user, or one below it. With the list that it was opened from it leads to the users before and after. */
export const userPath = (id: string, page = '', list?: Route): Route =>
  pathWithQuery(`/admin/users/${id}${page && `/${page}`}` as Route, { list })

/** The list that a page of a user was opened from, and the same page of the users before and after. */
export interface Walk {
  list: Route
  previous: Route | null
  next: Route | null
}

export async function findWalk(
  actor: Actor,
  id: string,
  page: string,
  list: ReturnType<typeof readList>,
): Promise<Walk | null> {
  if (!list) return null
  const { previous, next } = await findNeighbors(actor.id, list.query, id)
  const pathOf = (neighborId: string | null) => (neighborId ? userPath(neighborId, page, list.url) : null)
  return { list: list.url, previous: pathOf(previous), next: pathOf(next) }
}

/** Every page of a user calls this after the check of the permission: nothing is read for what is no id. */
export function requireUserId(id: string): void {
  if (!isUserId(id)) notFound()
}

/** The title of every page of a user. A title is rendered beside the page, so it checks the permission itself. */
export async function userMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const [{ id }, actor] = await Promise.all([params, getActor()])
  if (!isAllowed(actor?.role, can('users.read')) || !isUserId(id)) return { title: 'User' }
  return { title: (await findUserDetails(id))?.name ?? 'User' }
}

/** The tabs that modules add and that this admin may see. */
export const moduleTabsFor = (actor: Pick<Actor, 'role'>): UserTab[] =>
  moduleUis
    .flatMap(({ userPage }) => userPage?.tabs ?? [])
    .filter(({ allow }) => !allow || isAllowed(actor.role, allow))

/** What the header and the tabs show. Ends with 404 if there is no such user. */
export async function findUserPage(actor: Actor, id: string) {
  const tabs = moduleTabsFor(actor)
  const [user, counts] = await Promise.all([findUserDetails(id), Promise.all(tabs.map(({ count }) => count(id)))])
  if (!user) notFound()
  return {
    user,
    isSelf: user.id === actor.id,
    moduleTabs: tabs.map(({ slug, label }, index) => ({ slug, label, count: counts[index] })),
  }
}

export type UserPageData = Awaited<ReturnType<typeof findUserPage>>

/** The fields that modules keep about the user. */
export async function findFieldFacts(id: string): Promise<Fact[]> {
  const fields = userFieldsIn('admin.user')
  const values = (await loadUserFields(fields, [id])).get(id)
  return fields.map(({ name, label }) => ({ label, value: values?.[name] ?? 'Not set' }))
}

/** What modules know about how the user signs in. */
export async function findModuleFacts(id: string): Promise<Fact[]> {
  const facts = await Promise.all(moduleUis.map(({ userPage }) => userPage?.facts?.(id) ?? []))
  return facts.flat()
}
