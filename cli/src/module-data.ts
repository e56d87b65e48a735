import type { ModuleFacts, Tree } from './snapshot.ts'

/**
 * The statements that take away all that a module has put into the database: its own `drop.sql` where it has more than
 * tables, such as an index on a table of core.
 */
export function dropMigration({ name, title, tables }: ModuleFacts, tree: Tree): string {
  const own = tree.get(`src/app/(${name})/drop.sql`)?.toString().trim()
  const statements = own ? [own] : tables.map((table) => `DROP TABLE IF EXISTS "${table}" CASCADE;`)
  return [
    `-- Deletes all data of the module "${title}", for good. Look at it before you apply it: npm run db:migrate`,
    [...statements, `DELETE FROM "plinth_migrations" WHERE "owner" = '${name}';`].join('--> statement-breakpoint\n'),
    '',
  ].join('\n')
}

/** Beside core's own migrations: what takes a module's tables away must outlive the module. */
export const dropMigrationPath = (name: string, today: Date) =>
  `src/core/db/_migrations/drop_${name}_${today.toISOString().slice(0, 19).replaceAll(/\D/g, '')}.sql`

export const isDropMigration = (path: string, name: string) =>
  path.startsWith('src/core/db/_migrations/') && new RegExp(`/drop_${name}_\\d+\\.sql$`).test(path)
