import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { endPendingSignIns } from '@/core/auth/flows/second-factor'
import { configuredProviders, findProvider, providerName } from '@/core/auth/oauth/providers'
import { causedBy } from '@/core/auth/security-notice'
import { transactionAsSelf } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { identities, passwords } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { disconnectedEmail } from './emails'
import { passkeys } from './schema'

/** How many sign-in methods the user has: password, connected accounts, passkeys. */
async function countSignInMethods(tx: Pick<Transaction, 'execute'>, userId: string): Promise<number> {
  const { rows } = await tx.execute<{ ways: number }>(sql`
    select (select count(*) from ${passwords} where ${passwords.userId} = ${userId})
         + (select count(*) from ${identities} where ${identities.userId} = ${userId})
         + (select count(*) from ${passkeys} where ${passkeys.userId} = ${userId}) as ways`)
  return Number(rows[0]?.ways)
}

/**
 * For removing a sign-in method: fails if none would be left. Locks the user row, so that two concurrent removals
 * cannot each rely on the method that the other removes. Ends pending sign-ins, which may have begun with it.
 */
export function removeSignInMethod(userId: string, work: (tx: Transaction) => Promise<void>): Promise<void> {
  return transactionAsSelf(userId, async (tx) => {
    await work(tx)
    await endPendingSignIns(tx, userId)
    if ((await countSignInMethods(tx, userId)) === 0)
      throw new AppError('conflict', 'This is your only sign-in method. Add a password or another method first.')
  })
}

/** Every OAuth provider that is configured or connected, and since when it is connected. */
export async function listIdentities(userId: string) {
  const connected = await db
    .select({ provider: identities.provider, createdAt: identities.createdAt })
    .from(identities)
    .where(eq(identities.userId, userId))
  const offered = configuredProviders().map(({ id }) => id)
  const ids = [...new Set([...offered, ...connected.map(({ provider }) => provider)])]
  return ids.map((id) => ({
    id,
    name: providerName(id),
    logo: findProvider(id)?.logo ?? [],
    isOffered: offered.includes(id),
    since: connected.find(({ provider }) => provider === id)?.createdAt ?? null,
  }))
}

export async function disconnect(userId: string, provider: string): Promise<void> {
  const client = getClientInfo(await headers())
  await removeSignInMethod(userId, async (tx) => {
    const deleted = await tx
      .delete(identities)
      .where(and(eq(identities.userId, userId), eq(identities.provider, provider)))
      .returning({ provider: identities.provider })
    if (deleted.length === 0) throw new AppError('not_found', `${providerName(provider)} isn’t connected.`)
    await recordAuditEvent(tx, 'provider.disconnected', {
      actorId: userId,
      targetId: userId,
      client,
      details: { provider },
    })
    await enqueue(tx, disconnectedEmail, { userId, provider: providerName(provider), cause: causedBy(client) })
  })
}
