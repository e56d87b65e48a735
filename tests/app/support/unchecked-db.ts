import { drizzle } from 'drizzle-orm/node-postgres'
import type { Pool } from 'pg'
import { type Database, pool } from '@/core/db/client'

/** Reads and writes rows of all scopes, for tests: without the check that a statement about a tenant table is in a scope. */
export const uncheckedDb: Database = drizzle(
  Object.create(pool, {
    query: {
      value: async (...args: Parameters<Pool['query']>) => {
        const client = await pool.connect()
        try {
          return await client.query(...args)
        } finally {
          client.release()
        }
      },
    },
  }) as Pool,
)
