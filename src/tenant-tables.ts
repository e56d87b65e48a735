import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'

// A table of a module is a tenant table if it has the column `scope_id`. There is no other list of them.
const schemas = import.meta.glob<Record<string, unknown>>('./app/*/schema.ts', { eager: true })

/** The names of the tables whose rows belong to a scope. */
export const tenantTables: string[] = Object.values(schemas)
  .flatMap((schema) => Object.values(schema))
  .filter((value) => value instanceof PgTable)
  .map((table) => getTableConfig(table))
  .filter(({ columns }) => columns.some(({ name, notNull }) => name === 'scope_id' && notNull))
  .map(({ name }) => name)
  .sort()
