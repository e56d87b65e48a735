import type { ModuleManifest, Tree } from './snapshot.ts'

/**
 * The statements that remove everything of a module from the database: its own `drop.sql` if it has more than tables, such
 * as an index on a table of core.
 */
export function dropMigration({ name, title, tables }: ModuleManifest, tree: Tree): string {
  const own = tree.get(`src/app/(${name})/drop.sql`)?.toString().trim()
  const statements = own ? [own] : tables.map((table) => `DROP TABLE IF EXISTS "${table}" CASCADE;`)
  return [
    `-- Deletes all data of the module "${title}" permanently. Review it before you apply it: npm run db:migrate`,
    [...statements, `DELETE FROM "plinth_migrations" WHERE "owner" = '${name}';`].join('--> statement-breakpoint\n'),
    '',
  ].join('\n')
}

/** In core's migrations, because the migration that drops a module's tables must still exist after the module is removed. */
export const dropMigrationPath = (name: string, today: Date) =>
  `src/core/db/_migrations/drop_${name}_${today.toISOString().slice(0, 19).replaceAll(/\D/g, '')}.sql`

export const isDropMigration = (path: string, name: string) =>
  path.startsWith('src/core/db/_migrations/') && new RegExp(`/drop_${name}_\\d+\\.sql$`).test(path)
