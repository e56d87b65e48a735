import 'server-only'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { adminRole } from '@/core/auth/roles'
import type { Actor } from '@/core/auth/session/actor'
import { transactionAs } from '@/core/auth/transaction-as'
import { normalizeEmail } from '@/core/auth/user/email'
import { hasVerifiedEmail } from '@/core/auth/user/has-verified-email'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { lockOrganizations } from './ensure-admin-remains'
import { becameAdminEmail } from './member-emails'
import { can } from './policy'
import { members } from './schema'

const noSuchMember = () =>
  new AppError('invalid_input', undefined, { fields: { email: ['Enter the email of an active member'] } })

/**
 * Makes a member an admin of an organization that no active admin is left in, for example because they were suspended. An admin
 * of the app cannot make themselves one in any other way, and cannot add anybody who is not a member.
 */
export async function appointAdmin(actor: Actor, organizationId: string, email: string): Promise<void> {
  const client = getClientInfo(await headers())
  const isActive = and(hasVerifiedEmail(normalizeEmail(email) ?? ''), isNull(users.suspendedAt))
  const [user] = await db.select({ id: users.id }).from(users).where(isActive)
  if (!user) throw noSuchMember()
  await transactionAs(
    actor,
    can('organizations.manage'),
    (tx, { id: actorId }) =>
      acrossScopes('an admin of the app is no member', async () => {
        const [organization] = await lockOrganizations(tx, [organizationId])
        if (!organization || organization.deletedAt) throw new AppError('not_found')
        const [active] = await tx
          .select({ id: users.id })
          .from(members)
          .innerJoin(users, eq(users.id, members.userId))
          .where(and(eq(members.scopeId, organizationId), eq(members.role, adminRole), isNull(users.suspendedAt)))
          .limit(1)
        if (active) throw new AppError('conflict', 'This organization has an active admin, who can do this.')
        const appointed = await tx
          .update(members)
          .set({ role: adminRole })
          .where(
            and(
              eq(members.scopeId, organizationId),
              eq(members.userId, user.id),
              // Again, now that the user is locked.
              inArray(members.userId, tx.select({ id: users.id }).from(users).where(isActive)),
            ),
          )
        if (!appointed.rowCount) throw noSuchMember()
        await recordAuditEvent(tx, 'member.appointed', {
          actorId,
          targetId: user.id,
          client,
          scopeId: organizationId,
        })
        await enqueue(tx, becameAdminEmail, { userId: user.id, organizationId })
      }),
    { locks: [user.id] },
  )
}
