import 'server-only'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool, type PoolClient } from 'pg'
import { env } from '../env'
import { toAppError } from '../errors'
import { log } from '../log'
import { observed } from './observed'

/** Each transaction may be on another connection than the one before, so nothing can be left on one. */
const isPooled = env.DATABASE_POOLER === 'transaction'

/** Behind a pooler these are given to the app's role, as docs/deploy.md says. */
const serverLimits = { statement_timeout: 5_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 5_000 }

/** For a query that is asked so often that the server should remember how it is done; where it cannot, no name. */
export const preparedAs = (name: string) => (isPooled ? '' : name)

function createPool(connectionString: string | undefined): Pool {
  const pool = new Pool({
    connectionString,
    max: env.DATABASE_POOL_MAX,
    application_name: 'plinth',
    // Each limit bounds another way to wait for ever: for a free connection, a slow statement, a lock, a forgotten
    // transaction, a server that accepts and never answers.
    connectionTimeoutMillis: 1_500,
    ...(!isPooled && serverLimits),
    query_timeout: 6_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  })
  // An idle connection that the server drops is no reason to fall over; the pool opens another.
  pool.on('error', (error) => log.warn({ error }, 'database connection lost'))
  pool.query = observed(pool.query.bind(pool) as (...given: never[]) => Promise<unknown>) as typeof pool.query
  return pool
}

// Development reloads this file on every change; the pool must not multiply.
const shared = globalThis as { plinthPool?: Pool; plinthReplica?: Pool }
// Not `env.DATABASE_URL`: a build imports this file and has no database. The boot check sees to it that it is set.
shared.plinthPool ??= createPool(process.env.DATABASE_URL)
if (env.DATABASE_REPLICA_URL) shared.plinthReplica ??= createPool(env.DATABASE_REPLICA_URL)

export const pool: Pool = shared.plinthPool
export const db = drizzle(pool)
export type Database = typeof db
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

// Drizzle's own way keeps the connection for good when `begin` fails, waits for a rollback on one that is lost, and hears
// nothing when one is lost between two queries: a database that hangs for a moment would use up the pool, one transaction
// at a time.
const runOnce: Database['transaction'] = async (work, config) => {
  const client = await pool.connect()
  let loss: Error | undefined
  const lose = (error: Error) => {
    loss ??= error
  }
  const query = observed(async (...given: Parameters<PoolClient['query']>) => {
    if (loss) throw loss
    try {
      return await client.query(...given)
    } catch (error) {
      if (toAppError(error).code === 'unavailable') lose(error as Error)
      throw error
    }
  })
  client.on('error', lose)
  try {
    return await drizzle(Object.create(client, { query: { value: query } }) as PoolClient).transaction(work, config)
  } finally {
    client.off('error', lose)
    client.release(loss)
  }
}

/**
 * Two transactions that wait for each other, would undo each other's work, or want what only one can have: PostgreSQL ends
 * one of them. Or the server is not the first any more and may only read (25006): another connection leads to the one that is.
 */
function mayBeginAgain(error: unknown): boolean {
  const { code, cause } = error instanceof Error ? (error as Error & { code?: unknown }) : {}
  return ['40P01', '40001', '23505', '25006'].includes(String(code)) || (cause !== undefined && mayBeginAgain(cause))
}

// The one that was ended begins again, and sees what the other has done. So what a transaction does may be done more than
// once: it must do nothing outside of the database that cannot be.
db.transaction = async (work, config) => {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(work, config)
    } catch (error) {
      if (tries === 3 || !mayBeginAgain(error)) throw error
      log.info({ error, tries }, 'a transaction was ended by the database; it begins again')
      // Not at the same moment as the other, or both would collide again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * tries))
    }
  }
}

/** A copy that did not answer is left alone for so many milliseconds; then one asks, and the others do not wait for that. */
const leftAlone = 5_000
let isAway = false
let askAgainAt = 0

/**
 * The query is wrong, or too slow, and would be anywhere. All else is about this copy: away, not let in, without a table that
 * is new, or it had to follow and could not.
 */
const isOfQuery = (error: unknown) => /^(22|23|57014)/.test(String((error as { code?: unknown }).code))

async function queryReplica(replica: Pool, given: Parameters<Pool['query']>): Promise<unknown> {
  if (isAway && Date.now() < askAgainAt) return pool.query(...given)
  askAgainAt = Date.now() + leftAlone
  try {
    const result = await replica.query(...given)
    isAway = false
    return result
  } catch (error) {
    if (isOfQuery(error)) throw error
    isAway = true
    askAgainAt = Date.now() + leftAlone
    log.warn({ error }, 'the replica does not answer; lists are read from the database')
    return pool.query(...given)
  }
}

const replica = shared.plinthReplica

/**
 * For lists that may be a moment old: read from the copy that DATABASE_REPLICA_URL names, where there is one and it answers.
 * Never for what somebody has just changed, and never to decide who may do what.
 */
export const lists: Pick<Database, 'select' | 'execute'> = replica
  ? drizzle(
      Object.create(replica, {
        query: { value: (...given: Parameters<Pool['query']>) => queryReplica(replica, given) },
      }) as Pool,
    )
  : db
