import 'server-only'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { appSlug } from '@/brand'
import { env } from '../env'
import { log } from '../log'
import { timeoutMs } from '../timeout'
import { instrumentQuery, queryText } from './instrument-query'
import { checkStatement } from './tenant-check'

/** With transaction pooling, each transaction may use another connection, so connections can hold no session state. */
const isPooled = env.DATABASE_POOLER === 'transaction'

/** Behind a pooler, set these on the app's database role instead: see docs/deploy.md. */
const serverLimits = {
  statement_timeout: timeoutMs(5_000),
  lock_timeout: timeoutMs(2_000),
  idle_in_transaction_session_timeout: timeoutMs(5_000),
}

/** Name of a prepared statement for a frequent query. Empty behind a pooler, which does not support them. */
export const preparedName = (name: string) => (isPooled ? '' : name)

function createPool(connectionString: string | undefined): Pool {
  const pool = new Pool({
    connectionString,
    max: env.DATABASE_POOL_MAX,
    application_name: appSlug,
    // Each timeout bounds one kind of endless wait: for a free connection, a slow statement, a lock, an idle
    // transaction, a server that accepts connections but does not respond.
    connectionTimeoutMillis: timeoutMs(1_500),
    ...(!isPooled && serverLimits),
    query_timeout: timeoutMs(6_000),
    // Statements of one transaction that are started together are sent together, without waiting for each result.
    pipeline: true,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  })
  // Without this listener, an idle connection that the server closes would crash the process. The pool opens another.
  pool.on('error', (error) => log.warn({ error }, 'database connection lost'))
  const query = instrumentQuery(pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>)
  pool.query = (async (...args: unknown[]) => {
    checkStatement(queryText(args[0]), { isInScope: false })
    return query(...args)
  }) as typeof pool.query
  return pool
}

// Development reloads this module on every change; share one pool across reloads.
const shared = globalThis as { plinthPool?: Pool; plinthReplica?: Pool }
// Not `env.DATABASE_URL`, which throws if unset: `next build` imports this file without a database. Startup checks that
// it is set.
shared.plinthPool ??= createPool(process.env.DATABASE_URL)
if (env.DATABASE_REPLICA_URL) shared.plinthReplica ??= createPool(env.DATABASE_REPLICA_URL)

export const pool: Pool = shared.plinthPool
/** Without Drizzle's `transaction`, which leaks connections in an outage: use `inTransaction`. */
export type Database = Omit<ReturnType<typeof drizzle>, 'transaction'>
export type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0]
export const db: Database = drizzle(pool)

/** For scripts. After that, a new import of this file opens another pool. */
export async function closeDatabase(): Promise<void> {
  const { plinthReplica } = shared
  delete shared.plinthPool
  delete shared.plinthReplica
  await Promise.all([pool.end(), plinthReplica?.end()])
}

/**
 * Milliseconds without queries to a read replica that failed. Then one query tries it; the others still use the
 * primary.
 */
const replicaCooldownMs = 5_000
let isReplicaDown = false
let retryReplicaAt = 0

/**
 * The query itself is invalid or too slow, and would fail on the primary, too. Any other error is about the replica:
 * unavailable, access denied, a new table missing, or a conflict with replication.
 */
const isQueryError = (error: unknown) => /^(22|23|57014)/.test(String((error as { code?: unknown }).code))

async function queryReplica(replicaPool: Pool, args: Parameters<Pool['query']>): Promise<unknown> {
  if (isReplicaDown && Date.now() < retryReplicaAt) return pool.query(...args)
  retryReplicaAt = Date.now() + replicaCooldownMs
  try {
    const result = await replicaPool.query(...args)
    isReplicaDown = false
    return result
  } catch (error) {
    if (isQueryError(error)) throw error
    isReplicaDown = true
    retryReplicaAt = Date.now() + replicaCooldownMs
    log.warn({ error }, 'read replica unavailable; reading from the primary')
    return pool.query(...args)
  }
}

const replicaPool = shared.plinthReplica

/**
 * For lists that may be slightly stale: reads from the replica at DATABASE_REPLICA_URL if it is set and available, else
 * from the primary. Never use it for data that the user has just changed, or for authorization.
 */
export const readReplica: Pick<Database, 'select' | 'execute'> = replicaPool
  ? drizzle(
      Object.create(replicaPool, {
        query: { value: (...args: Parameters<Pool['query']>) => queryReplica(replicaPool, args) },
      }) as Pool,
    )
  : db
