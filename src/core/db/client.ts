import 'server-only'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool, type PoolClient } from 'pg'
import { env } from '../env'
import { toAppError } from '../errors'
import { log } from '../log'

function createPool(): Pool {
  const pool = new Pool({
    // Not `env.DATABASE_URL`: a build imports this file and has no database. The boot check sees to it that it is set.
    connectionString: process.env.DATABASE_URL,
    max: env.DATABASE_POOL_MAX,
    application_name: 'plinth',
    // Each limit bounds another way to wait for ever: for a free connection, a slow statement, a lock, a forgotten
    // transaction, a server that accepts and never answers.
    connectionTimeoutMillis: 1_500,
    statement_timeout: 5_000,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 5_000,
    query_timeout: 6_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  })
  // An idle connection that the server drops is no reason to fall over; the pool opens another.
  pool.on('error', (error) => log.warn({ error }, 'database connection lost'))
  return pool
}

// Development reloads this file on every change; the pool must not multiply.
const shared = globalThis as { plinthPool?: Pool }
shared.plinthPool ??= createPool()

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
  const query = async (...given: Parameters<PoolClient['query']>) => {
    if (loss) throw loss
    try {
      return await client.query(...given)
    } catch (error) {
      if (toAppError(error).code === 'unavailable') lose(error as Error)
      throw error
    }
  }
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
 * one of them.
 */
function isCollision(error: unknown): boolean {
  const { code, cause } = error instanceof Error ? (error as Error & { code?: unknown }) : {}
  return ['40P01', '40001', '23505'].includes(String(code)) || (cause !== undefined && isCollision(cause))
}

// The one that was ended begins again, and sees what the other has done. So what a transaction does may be done more than
// once: it must do nothing outside of the database that cannot be.
db.transaction = async (work, config) => {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(work, config)
    } catch (error) {
      if (tries === 3 || !isCollision(error)) throw error
      log.info({ error, tries }, 'two transactions collided; this one begins again')
      // Not at the same moment as the other, or both would collide again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * tries))
    }
  }
}
