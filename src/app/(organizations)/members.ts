import 'server-only'
import { and, asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { adminRole, isAdminRole, type Role, roles } from '@/core/auth/roles'
import { type LockedMember, type Member, transactionAs } from '@/core/auth/transaction-as'
import { endLostRights, rejectHigherRole } from '@/core/auth/user/rights'
import type { Database, Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { ofScope, readInScope } from '@/core/db/scoped'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import type { ScopeMember } from '@/core/scope'
import { ensureAdminRemains } from './ensure-admin-remains'
import { becameAdminEmail, removedEmail } from './member-emails'
import { can } from './policy'
import { invitations, members } from './schema'

/** The role that an admin has after transferring the organization: the highest below theirs. */
const formerAdminRole = roles[roles.indexOf(adminRole) - 1] ?? adminRole

const pageSize = 50

export const MemberQuery = z.object({
  search: z
    .string()
    .trim()
    .max(100)
    .refine((text) => text !== '' && !text.includes('\0'))
    .optional()
    .catch(undefined),
  role: z.enum(roles).optional().catch(undefined),
  before: z.templateLiteral([z.iso.datetime(), '_', z.uuid()]).optional().catch(undefined),
})
export type MemberQuery = z.output<typeof MemberQuery>

/** Two of the admins who can act, or the last one. */
const selectActiveAdmins = (source: Pick<Database, 'select'>) =>
  source
    .select({ userId: members.userId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(ofScope(members.scopeId), eq(members.role, adminRole), isNull(users.suspendedAt)))
    .limit(2)

const isLast = (userId: string, admins: { userId: string }[]) => admins.length === 1 && admins[0]?.userId === userId

/** One page of members, the newest first. */
export async function listMembers(reader: ScopeMember, { search, role, before }: MemberQuery) {
  const [at, beforeId] = before?.split('_') ?? []
  const [rows, admins] = await readInScope(reader, (db) => [
    db
      .select({
        id: users.id,
        name: users.name,
        email: users.email,
        image: users.image,
        isSuspended: sql<boolean>`${users.suspendedAt} is not null`,
        role: members.role,
        joinedAt: members.createdAt,
      })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(
        and(
          ofScope(members.scopeId),
          role && eq(members.role, role),
          search
            ? sql`(strpos(lower(${users.name}), lower(${search})) > 0 or strpos(lower(${users.email}), lower(${search})) > 0)`
            : undefined,
          at !== undefined && beforeId !== undefined
            ? sql`(${members.createdAt}, ${members.userId}) < (${at}::timestamptz, ${beforeId}::uuid)`
            : undefined,
        ),
      )
      .orderBy(desc(members.createdAt), desc(members.userId))
      .limit(pageSize + 1),
    selectActiveAdmins(db),
  ])
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined
  return {
    members: rows.slice(0, pageSize).map((row) => ({ ...row, isLastAdmin: isLast(row.id, admins) })),
    older: last && `${last.joinedAt.toISOString()}_${last.id}`,
  }
}
export type MemberRow = Awaited<ReturnType<typeof listMembers>>['members'][number]

/** Members that an admin can transfer the organization to, by name. */
export async function findOtherMembers(reader: ScopeMember, limit = 200) {
  const [rows] = await readInScope(reader, (db) => [
    db
      .select({ id: users.id, name: users.name, email: users.email })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(ofScope(members.scopeId), sql`${members.userId} <> ${reader.id}`, sql`${users.suspendedAt} is null`))
      .orderBy(asc(users.name), asc(users.id))
      .limit(limit),
  ])
  return rows
}

/** One member, for a dialog. */
export async function findMember(reader: ScopeMember, userId: string) {
  const [[member], admins] = await readInScope(reader, (db) => [
    db
      .select({ id: users.id, name: users.name, role: members.role })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(ofScope(members.scopeId), eq(members.userId, userId))),
    selectActiveAdmins(db),
  ])
  return member && { ...member, isLastAdmin: isLast(member.id, admins) }
}

/** Locks a membership of the organization and returns its role. Throws if it is to become that of an admin who cannot act. */
async function lockMember(tx: Transaction, userId: string, to?: Role): Promise<Role> {
  const [member] = await tx
    .select({ role: members.role, suspendedAt: users.suspendedAt })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(ofScope(members.scopeId), eq(members.userId, userId)))
    .for('update', { of: members })
  if (!member) throw new AppError('not_found', 'This member has left.')
  if (member.suspendedAt && isAdminRole(to))
    throw new AppError('conflict', 'This member is suspended. Choose an active one.')
  return member.role
}

type LockedAdmin = LockedMember & Pick<Member, 'scope'>

interface RoleChange {
  userId: string
  to: Role
}

/** Writes a role that was checked before, and ends what the member may no longer do. */
async function writeRole(tx: Transaction, actor: LockedAdmin, { userId, to }: RoleChange): Promise<void> {
  await tx
    .update(members)
    .set({ role: to })
    .where(and(ofScope(members.scopeId), eq(members.userId, userId)))
  await endLostRights(tx, [userId], to, actor.id, actor.scope.id)
}

/** Changes the role of a member, effective at their next request. Returns whether it is another now. */
export async function changeMemberRole(actor: Member, userId: string, to: Role): Promise<boolean> {
  const client = getClientInfo(await headers())
  const work = async (tx: Transaction, locked: LockedAdmin) => {
    const from = await lockMember(tx, userId, to)
    if (from === to) return false
    for (const role of [from, to]) rejectHigherRole(locked, role)
    if (isAdminRole(from)) await ensureAdminRemains(tx, locked.scope.id, [userId])
    await writeRole(tx, locked, { userId, to })
    await recordAuditEvent(tx, 'member.role_changed', {
      actorId: locked.id,
      targetId: userId,
      client,
      details: { from, to },
    })
    if (isAdminRole(to) && userId !== locked.id)
      await enqueue(tx, becameAdminEmail, { userId, organizationId: locked.scope.id })
    return true
  }
  return transactionAs(actor, can('members.change_role'), work, { locks: [userId] })
}

/** Another member becomes an admin and the actor an editor, at the same moment. */
export async function transferOrganization(actor: Member, userId: string): Promise<void> {
  if (userId === actor.id)
    throw new AppError('invalid_input', undefined, { fields: { userId: ['Choose another member'] } })
  const client = getClientInfo(await headers())
  const work = async (tx: Transaction, locked: LockedAdmin) => {
    const from = await lockMember(tx, userId, adminRole)
    if (!isAdminRole(from)) await writeRole(tx, locked, { userId, to: adminRole })
    await writeRole(tx, locked, { userId: locked.id, to: formerAdminRole })
    await recordAuditEvent(tx, 'organization.transferred', { actorId: locked.id, targetId: userId, client })
    await enqueue(tx, becameAdminEmail, { userId, organizationId: locked.scope.id })
  }
  await transactionAs(actor, can('organization.transfer'), work, { locks: [userId] })
}

async function deleteMember(tx: Transaction, actor: LockedAdmin, userId: string): Promise<void> {
  const role = await lockMember(tx, userId)
  rejectHigherRole(actor, role)
  if (isAdminRole(role)) await ensureAdminRemains(tx, actor.scope.id, [userId])
  const email = tx
    .select({ email: sql`lower(${users.email})` })
    .from(users)
    .where(eq(users.id, userId))
  await Promise.all([
    tx.delete(members).where(and(ofScope(members.scopeId), eq(members.userId, userId))),
    // One that was sent at the moment they joined, or to an email that is theirs now, would bring them back.
    tx.delete(invitations).where(and(ofScope(invitations.scopeId), inArray(invitations.email, email))),
  ])
  await endLostRights(tx, [userId], null, actor.id, actor.scope.id)
}

/** Removes a member, who loses access at the next request. What they made stays. */
export async function removeMember(actor: Member, userId: string): Promise<void> {
  const client = getClientInfo(await headers())
  const work = async (tx: Transaction, locked: LockedAdmin) => {
    await deleteMember(tx, locked, userId)
    await recordAuditEvent(tx, 'member.removed', { actorId: locked.id, targetId: userId, client })
    await enqueue(tx, removedEmail, { userId, organizationId: locked.scope.id })
  }
  await transactionAs(actor, can('members.remove'), work, { locks: [userId] })
}

export async function leaveOrganization(actor: Member): Promise<void> {
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('members.leave'), async (tx, locked) => {
    await deleteMember(tx, locked, locked.id)
    await recordAuditEvent(tx, 'member.left', { actorId: locked.id, targetId: locked.id, client })
  })
}
