import 'server-only'
import { and, asc, eq, inArray, isNull, notInArray } from 'drizzle-orm'
import { adminRole } from '@/core/auth/roles'
import type { Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { ofScope } from '@/core/db/scoped'
import { AppError } from '@/core/errors'
import { members, organizations } from './schema'

/**
 * Locks organizations until the transaction ends, by id, so that two transactions cannot deadlock. Each one that removes an admin
 * takes this lock, so that two of them cannot each rely on the admin that the other removes. A trigger does the same, but it counts suspended admins, too.
 */
export const lockOrganizations = (tx: Transaction, ids: string[]) =>
  tx
    .select({ id: organizations.id, name: organizations.name, deletedAt: organizations.deletedAt })
    .from(organizations)
    .where(inArray(organizations.id, ids))
    .orderBy(asc(organizations.id))
    .for('no key update')

/**
 * Throws `last_admin` if the organization of this transaction would have no active admin without these users. A suspension can still
 * leave it without one; an admin of the app then appoints another.
 */
export async function ensureAdminRemains(tx: Transaction, organizationId: string, userIds: string[]): Promise<void> {
  await lockOrganizations(tx, [organizationId])
  const [other] = await tx
    .select({ userId: members.userId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(
      and(
        ofScope(members.scopeId),
        eq(members.role, adminRole),
        notInArray(members.userId, userIds),
        isNull(users.suspendedAt),
      ),
    )
    .limit(1)
  if (!other)
    throw new AppError('last_admin', 'An organization needs at least one admin. Make another member an admin first.')
}
