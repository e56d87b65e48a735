import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { configuredProviders, isProviderId, type ProviderId, providerNames } from '@/core/auth/oauth/providers'
import { db, type Transaction } from '@/core/db/client'
import { accounts, passwords, users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { enqueue } from '@/core/jobs/queue'
import { disconnectedMail } from './mails'
import { passkeys } from './schema'

/** How many ways in somebody has: a password, services, passkeys. */
async function countWaysIn(tx: Pick<Transaction, 'execute'>, userId: string): Promise<number> {
  const { rows } = await tx.execute<{ ways: number }>(sql`
    select (select count(*) from ${passwords} where ${passwords.userId} = ${userId})
         + (select count(*) from ${accounts} where ${accounts.userId} = ${userId})
         + (select count(*) from ${passkeys} where ${passkeys.userId} = ${userId}) as ways`)
  return Number(rows[0]?.ways)
}

/**
 * For taking a way in away: nobody locks themselves out. Two at once queue up behind the person's row, so that they cannot
 * each count on the other.
 */
export function keepAWayIn(userId: string, work: (tx: Transaction) => Promise<void>): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')
    await work(tx)
    if ((await countWaysIn(tx, userId)) === 0)
      throw new AppError('conflict', 'This is your only way to sign in. Choose a password or add another way first')
  })
}

/** Every service that is offered or connected, and since when it is. */
export async function listConnections(userId: string) {
  const connected = await db
    .select({ provider: accounts.provider, createdAt: accounts.createdAt })
    .from(accounts)
    .where(eq(accounts.userId, userId))
  const ids = [...new Set([...configuredProviders(), ...connected.map(({ provider }) => provider)])]
  return ids.filter(isProviderId).map((id) => ({
    id,
    name: providerNames[id],
    isOffered: configuredProviders().includes(id),
    since: connected.find(({ provider }) => provider === id)?.createdAt ?? null,
  }))
}

export async function disconnect(userId: string, provider: ProviderId): Promise<void> {
  const from = originOf(await headers())
  await keepAWayIn(userId, async (tx) => {
    const gone = await tx
      .delete(accounts)
      .where(and(eq(accounts.userId, userId), eq(accounts.provider, provider)))
      .returning({ provider: accounts.provider })
    if (gone.length === 0) throw new AppError('not_found', 'That one is not connected')
    await record(tx, 'provider.disconnected', { actorId: userId, targetId: userId, from, details: { provider } })
    await enqueue(tx, disconnectedMail, { userId, provider: providerNames[provider] })
  })
}
