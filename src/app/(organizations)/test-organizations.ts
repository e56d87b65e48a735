// Shared by the unit tests of this module.
import { eq, sql } from 'drizzle-orm'
import { signedIn } from '@/core/auth/policy'
import type { Role } from '@/core/auth/roles'
import type { ScopedActor } from '@/core/auth/session/actor'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { asRequest } from '../../../tests/app/support/next-headers'
import { createOrganization } from './organizations'
import { members, organizations } from './schema'

export async function newUser(role: Role = 'viewer', email = `${crypto.randomUUID()}@example.com`) {
  const [user] = await db
    .insert(users)
    .values({ email, name: 'Ada', role, emailVerifiedAt: sql`now()` })
    .returning({ id: users.id, email: users.email, name: users.name, role: users.role })
  if (!user) throw new Error('no user')
  return user
}
export type TestUser = Awaited<ReturnType<typeof newUser>>

export async function newOrganization(creator: TestUser, name = `Org ${crypto.randomUUID().slice(0, 8)}`) {
  const slug = await asRequest({}, () => createOrganization(creator, { name }))
  const [found] = await db.select({ id: organizations.id }).from(organizations).where(eq(organizations.slug, slug))
  if (!found) throw new Error('no organization')
  return { id: found.id, slug, name }
}
export type TestOrganization = Awaited<ReturnType<typeof newOrganization>>

export const addMember = (organization: TestOrganization, user: TestUser, role: Role) =>
  acrossScopes('a test', () => db.insert(members).values({ scopeId: organization.id, userId: user.id, role }))

/** The user as a caller in the organization. The role is what the caller claims; transactions check it. */
export const actIn = (
  user: TestUser,
  organization: TestOrganization,
  role: Role,
): ScopedActor & { scope: NonNullable<ScopedActor['scope']> } => ({
  ...user,
  role,
  scope: { ...organization, role },
})

export const rolesIn = async (organization: TestOrganization): Promise<Record<string, Role>> =>
  Object.fromEntries(
    (
      await acrossScopes('a test', () =>
        db.select({ id: members.userId, role: members.role }).from(members).where(eq(members.scopeId, organization.id)),
      )
    ).map(({ id, role }) => [id, role]),
  )

/** Imported here, so that the mock of next/headers is loaded first. */
export const deleteAccount = async (user: TestUser) =>
  (await import('@/core/auth/user/delete')).deleteUser(user, signedIn, user.id)

/** The code of the error, or `done`. */
export const outcome = (work: () => Promise<unknown>): Promise<string> =>
  asRequest({}, work).then(
    () => 'done',
    (error) => error.code ?? error.cause?.code ?? error.message,
  )
