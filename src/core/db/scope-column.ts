import { sql } from 'drizzle-orm'
import { uuid } from 'drizzle-orm/pg-core'
import { scopes } from './schema'

/**
 * The column that makes a table a tenant table: `scopeId: scopeColumn()`. A row that is inserted without a value gets the scope
 * that the transaction has entered, and the app itself outside of one. Deleting the scope deletes the row.
 * @public For the tables of modules.
 */
export const scopeColumn = () =>
  uuid('scope_id')
    .notNull()
    .default(sql`coalesce(scope_id(), '00000000-0000-0000-0000-000000000000'::uuid)`)
    .references(() => scopes.id, { onDelete: 'cascade' })
