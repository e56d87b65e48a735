import 'server-only'
import { sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PoolClient } from 'pg'
import { toAppError } from '../errors'
import { log } from '../log'
import { type Database, pool, type Transaction } from './client'
import { instrumentQuery, queryText } from './instrument-query'
import { checkStatement } from './tenant-check'

type Work<Data> = (tx: Transaction) => Promise<Data>

interface Options {
  /**
   * Also retry a unique violation: for work that reads whether a value is taken before it writes the value. If a
   * concurrent transaction takes it in between, the second run reads that. An insert with `on conflict` needs no retry.
   */
  retry?: 'unique_violation'
  /** The first statement enters a scope. Use `inScope` of core/db/scoped.ts. */
  isInScope?: boolean
}

/** Deadlock, serialization failure, and a read-only standby after a failover. */
const retryableCodes = ['40P01', '40001', '25006']
const uniqueViolation = '23505'

/**
 * Runs the work in a transaction, and again if PostgreSQL aborted it: it then sees what the other transaction has
 * committed. The work may run up to three times, so it must have no side effects outside the database.
 */
export function inTransaction<Data>(work: Work<Data>, { retry, isInScope }: Options = {}): Promise<Data> {
  return retrying(retry ? [...retryableCodes, uniqueViolation] : retryableCodes, () =>
    onConnection((database) => database.transaction(work), isInScope),
  )
}

/**
 * Runs statements as one transaction in one round trip. They run in this order, and each sees what was committed while
 * the one before it waited for a lock. None can use the result of another, except in SQL.
 */
export function inOneRoundTrip<const Statements extends readonly PromiseLike<unknown>[]>(
  build: (tx: Pick<Database, 'select' | 'insert' | 'update' | 'delete' | 'execute'>) => Statements,
  { isInScope }: Pick<Options, 'isInScope'> = {},
): Promise<{ -readonly [Index in keyof Statements]: Awaited<Statements[Index]> }> {
  return retrying(retryableCodes, () =>
    onConnection(async (database, sentCount) => {
      const statements = build(database)
      if (statements.length === 1) return [await statements[0]] as never
      const begun = Promise.resolve(database.execute(sql`begin`).execute())
      const results = statements.map(start)
      // A statement that could not even be sent has not aborted the transaction.
      const isComplete = sentCount() === statements.length + 1
      const ended = database.execute(isComplete ? sql`commit` : sql`rollback`).execute()
      const settled = await Promise.allSettled([begun, ...results, ended])
      const failed = settled.find(({ status }) => status === 'rejected')
      if (failed) throw (failed as PromiseRejectedResult).reason
      return Promise.all(results) as never
    }, isInScope),
  )
}

/** Drizzle sends a statement when `then` is called. */
const start = (statement: PromiseLike<unknown>) =>
  new Promise<unknown>((resolve, reject) => {
    statement.then(resolve, reject)
  })

async function retrying<Data>(codes: string[], run: () => Promise<Data>): Promise<Data> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (tries === 3 || !hasCode(error, codes)) throw error
      log.info({ error, tries }, 'transaction aborted by the database; retrying')
      // Random delay, so that the two do not collide again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * tries))
    }
  }
}

/** Whether the error or one of its causes has one of these codes of PostgreSQL. */
function hasCode(error: unknown, codes: string[]): boolean {
  const { code, cause } = error instanceof Error ? (error as Error & { code?: unknown }) : {}
  return codes.includes(String(code)) || (cause !== undefined && hasCode(cause, codes))
}

// Drizzle's own `transaction` leaks the connection if `begin` fails, waits for a rollback on a lost connection, and
// does not notice a connection lost between two queries. So a short database outage would use up the pool.
async function onConnection<Data>(
  work: (database: NodePgDatabase, sentCount: () => number) => Promise<Data>,
  isInScope = false,
): Promise<Data> {
  const client = await pool.connect()
  let sent = 0
  let isOver = false
  let begun: Promise<unknown> | undefined
  let connectionError: Error | undefined
  const markLost = (error: Error) => {
    connectionError ??= error
  }
  const send = instrumentQuery(async (...args: Parameters<PoolClient['query']>) => {
    if (connectionError) throw connectionError
    try {
      sent++
      return await client.query(...args)
    } catch (error) {
      if (toAppError(error).code === 'unavailable') markLost(error as Error)
      throw error
    }
  })
  const query = async (...args: Parameters<PoolClient['query']>) => {
    // Does not wait for `begin`, so that the first statement is sent together with it.
    if ((args[0] as { text?: unknown }).text === 'begin') {
      begun = send(...args)
      begun.catch(() => {})
      return
    }
    // Work that was started together may go on after one part of it failed: it must not write outside the transaction.
    const text = queryText(args[0])
    checkStatement(text, { isInScope })
    if (isOver && text !== 'rollback') throw new Error('The transaction is over.')
    isOver ||= text === 'commit' || text === 'rollback'
    const result = await send(...args)
    await begun
    return result
  }
  client.on('error', markLost)
  try {
    return await work(drizzle(Object.create(client, { query: { value: query } }) as PoolClient), () => sent)
  } finally {
    client.off('error', markLost)
    client.release(connectionError)
  }
}
