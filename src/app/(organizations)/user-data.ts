import 'server-only'
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import { adminRole } from '@/core/auth/roles'
import { db, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { AppError } from '@/core/errors'
import type { AppModule } from '@/core/module'
import { scopePath } from '@/core/scope'
import { markAsDeleted } from './delete-organization'
import { lockOrganizations } from './ensure-admin-remains'
import { invitations, members, organizations } from './schema'

/** Memberships, the organizations that the user created, and invitations to and by them. */
export async function exportUserData(userId: string): Promise<Record<string, unknown>> {
  const email = db
    .select({ email: sql`lower(${users.email})` })
    .from(users)
    .where(eq(users.id, userId))
  const invitation = { organization: organizations.name, role: invitations.role, sentAt: invitations.sentAt }
  const [memberships, created, received, sent] = await acrossScopes('the data of one user', () =>
    Promise.all([
      db
        .select({ organization: organizations.name, role: members.role, joinedAt: members.createdAt })
        .from(members)
        .innerJoin(organizations, eq(organizations.id, members.scopeId))
        .where(eq(members.userId, userId))
        .orderBy(asc(members.createdAt)),
      db
        .select({ name: organizations.name, slug: organizations.slug, createdAt: organizations.createdAt })
        .from(organizations)
        .where(eq(organizations.createdBy, userId)),
      db
        .select(invitation)
        .from(invitations)
        .innerJoin(organizations, eq(organizations.id, invitations.scopeId))
        .where(sql`${invitations.email} in ${email}`),
      db
        .select({ ...invitation, email: invitations.email })
        .from(invitations)
        .innerJoin(organizations, eq(organizations.id, invitations.scopeId))
        .where(eq(invitations.invitedBy, userId)),
    ]),
  )
  return {
    'memberships.json': memberships,
    'created.json': created,
    'invitations.json': { received, sent },
  }
}

/** Admins who are suspended do not count: they cannot act. */
const isActiveAdmin = sql`and other.role = ${adminRole}
  and exists (select from users where users.id = other.user_id and users.suspended_at is null)`

const others = (column: 'members' | 'admins') => sql<number>`(
  select count(*)::int from (select from organizations_members as other
    where other.scope_id = ${members.scopeId} and other.user_id <> ${members.userId}
      ${column === 'admins' ? isActiveAdmin : sql``} limit 1) as counted)`

/** The organizations that the user is the last admin of, and whether they have other members. */
const findLastAdminOf = (source: Pick<Transaction, 'select'>, userId: string) =>
  source
    .select({
      id: organizations.id,
      name: organizations.name,
      slug: organizations.slug,
      otherMembers: others('members'),
    })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.scopeId))
    .where(
      and(
        eq(members.userId, userId),
        eq(members.role, adminRole),
        isNull(organizations.deletedAt),
        sql`${others('admins')} = 0`,
      ),
    )
    .orderBy(asc(organizations.id))

const ownRows = 'the memberships of one user'

/** What the user has to do before their account can be deleted. */
export const findDeletionBlockers: NonNullable<AppModule['deletionBlockers']> = async (userId) => {
  const found = await acrossScopes(ownRows, () => findLastAdminOf(db, userId))
  return found
    .filter(({ otherMembers }) => otherMembers > 0)
    .map(({ name, slug }) => ({
      text: `${name} needs another admin.`,
      label: 'Go to members',
      href: scopePath({ slug }, '/members'),
    }))
}

/** Organizations that are deleted with the user, as sentences for the user or for the admin who deletes them. */
export async function findDeletionNotices(userId: string, isSelf = true): Promise<string[]> {
  const found = await acrossScopes(ownRows, () => findLastAdminOf(db, userId))
  return found
    .filter(({ otherMembers }) => otherMembers === 0)
    .map(({ name }) => `${name} will be deleted too, because ${isSelf ? 'you’re' : 'they’re'} its only member.`)
}

/** Deletes the invitations that a user has sent since then: their account was compromised. */
export const revokeSent = (tx: Transaction, userId: string, since: Date): Promise<void> =>
  acrossScopes('the invitations of one user', async () => {
    const isTheirs = eq(invitations.invitedBy, userId)
    await tx.delete(invitations).where(and(isTheirs, gt(invitations.sentAt, since), isNull(invitations.acceptedAt)))
  })

/**
 * Deletes the organizations that only this user is a member of. Throws `last_admin` if another one would have no admin. Invitations
 * to the user's email are deleted as well.
 */
export const deleteUserData = (tx: Transaction, userId: string): Promise<void> =>
  acrossScopes(ownRows, async () => {
    const admined = await tx
      .select({ id: members.scopeId })
      .from(members)
      .where(and(eq(members.userId, userId), eq(members.role, adminRole)))
    if (admined.length > 0)
      await lockOrganizations(
        tx,
        admined.map(({ id }) => id),
      )
    const last = await findLastAdminOf(tx, userId)
    const blocked = last.find(({ otherMembers }) => otherMembers > 0)
    if (blocked)
      throw new AppError('last_admin', `${blocked.name} needs another admin first. Make another member an admin.`)
    for (const { id } of last) await markAsDeleted(tx, id, { actorId: userId })
    const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId))
    if (user) await tx.delete(invitations).where(eq(invitations.email, user.email.toLowerCase()))
  })
