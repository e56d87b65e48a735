import 'server-only'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import type { Actor } from '@/core/auth/session/actor'
import { type Member, transactionAs } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { scopes } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { AppError } from '@/core/errors'
import { type ClientInfo, getClientInfo } from '@/core/http/client-ip'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { log } from '@/core/log'
import { modules } from '@/modules'
import { tenantTables } from '@/tenant-tables'
import { can } from './policy'
import { organizations, slugs } from './schema'

const batchSize = 1_000

/**
 * Deletes what an organization has, in batches: one statement for all of it could take longer than the statement timeout. Members
 * lost access when it was marked as deleted.
 */
export const deleteOrganizationRows = defineJob('organizations.delete', {
  data: z.object({ organizationId: z.uuid() }),
  isRetriedForYear: true,
  run: async ({ organizationId }) => {
    const [marked] = await db
      .select({ id: organizations.id })
      .from(organizations)
      .where(and(eq(organizations.id, organizationId), isNotNull(organizations.deletedAt)))
    if (!marked) return
    await acrossScopes('rows of a deleted organization', async () => {
      await inTransaction(async (tx) => {
        for (const module of modules) await module.deleteScopeData?.(tx, organizationId)
      })
      for (const table of tenantTables) await deleteInBatches(table, organizationId)
      await db.delete(scopes).where(eq(scopes.id, organizationId))
    })
    log.info({ organizationId }, 'organization deleted')
  },
})

async function deleteInBatches(table: string, organizationId: string): Promise<void> {
  const name = sql.identifier(table)
  for (;;) {
    const { rowCount } =
      await db.execute(sql`delete from ${name} where scope_id = ${organizationId} and ctid = any(array(
      select ctid from ${name} where scope_id = ${organizationId} limit ${batchSize}))`)
    if (!rowCount || rowCount < batchSize) return
  }
}

/**
 * Ends the access of all members at once; a job deletes the rows. What the organization has published, and its preview links, stay
 * until then. The slugs stay reserved for a while.
 */
export async function markAsDeleted(
  tx: Transaction,
  organizationId: string,
  event: { actorId: string; client?: ClientInfo },
): Promise<void> {
  const { rowCount } = await tx
    .update(organizations)
    .set({ deletedAt: sql`now()` })
    .where(and(eq(organizations.id, organizationId), isNull(organizations.deletedAt)))
  if (!rowCount) throw new AppError('not_found')
  await tx.update(slugs).set({ freedAt: sql`now()` }).where(eq(slugs.organizationId, organizationId))
  await enqueue(tx, deleteOrganizationRows, { organizationId })
  await recordAuditEvent(tx, 'organization.deleted', { ...event, scopeId: organizationId })
}

function requireTypedName(typed: string, name: string): void {
  if (typed.trim() !== name) throw new AppError('invalid_input', undefined, { fields: { typedName: [`Type ${name}`] } })
}

/** Deletes the organization of the actor, who typed its name. */
export async function deleteOwnOrganization(actor: Member, typedName: string): Promise<void> {
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('organization.delete'), async (tx, { id, scope }) => {
    requireTypedName(typedName, await nameOf(tx, scope.id))
    await markAsDeleted(tx, scope.id, { actorId: id, client })
  })
}

/** Deletes any organization, as an admin of the app. */
export async function deleteAnyOrganization(actor: Actor, organizationId: string, typedName: string): Promise<void> {
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('organizations.manage'), async (tx, { id }) => {
    requireTypedName(typedName, await nameOf(tx, organizationId))
    await markAsDeleted(tx, organizationId, { actorId: id, client })
  })
}

async function nameOf(tx: Transaction, organizationId: string): Promise<string> {
  const [found] = await tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(and(eq(organizations.id, organizationId), isNull(organizations.deletedAt)))
    .for('no key update')
  if (!found) throw new AppError('not_found')
  return found.name
}
