import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { importSource } from './import-source.ts'

type Schema = Record<string, unknown>

interface Snapshot {
  tables: Record<string, Table>
}

interface Table {
  schema: string
  name: string
  columns: Record<string, { type: string; notNull: boolean }>
  indexes: object
  foreignKeys: object
  uniqueConstraints: object
  checkConstraints: object
}

/** The names of the migrations in a folder that Drizzle has generated. */
function readJournal(migrations: string): string[] {
  const journal = join(migrations, 'meta', '_journal.json')
  if (!existsSync(journal)) return []
  return (JSON.parse(readFileSync(journal, 'utf8')) as { entries: { tag: string }[] }).entries.map(({ tag }) => tag)
}

/** The schema after the last migration in a folder that Drizzle has generated; null if there is none. */
function readLastSnapshot(migrations: string): object | null {
  const prefix = readJournal(migrations).at(-1)?.split('_')[0]
  return prefix ? JSON.parse(readFileSync(join(migrations, 'meta', `${prefix}_snapshot.json`), 'utf8')) : null
}

function hasHandwritten(migrations: string): boolean {
  const generated = readJournal(migrations).map((tag) => `${tag}.sql`)
  return globSync('*.sql', { cwd: migrations }).some((file) => !generated.includes(file))
}

async function toSnapshot(schema: Schema): Promise<Snapshot> {
  const { generateDrizzleJson } = await import('drizzle-kit/api')
  // As JSON, because the stored snapshot was: without properties that are undefined.
  return JSON.parse(JSON.stringify(generateDrizzleJson(schema)))
}

const withoutIds = ({ id: _, prevId: __, _meta: ___, ...content }: Record<string, unknown>) => content

/** Whether a schema differs from the snapshot of its last migration. */
export async function isChanged(schema: Schema, snapshot: object | null): Promise<boolean> {
  const present = await toSnapshot(schema)
  const before = snapshot ?? (await toSnapshot({}))
  return !isDeepStrictEqual(withoutIds({ ...present }), withoutIds({ ...before }))
}

/** Where the tables of a schema and those of a database differ: columns, indexes and constraints. */
export async function findDifferences(schema: Schema, database: pg.Client): Promise<string[]> {
  const { tables } = await toSnapshot(schema)
  const { rows: names } = await database.query<{ name: string }>(
    'select conname as name from pg_constraint union select relname from pg_class',
  )
  const differences: string[] = []
  for (const table of Object.values(tables)) {
    const wanted = Object.entries(table.columns)
    const { rows: columns } = await database.query<{ name: string; isSame: boolean | null }>(
      `select attname as name, coalesce(to_regtype(type) = atttypid, true)
         and (is_required = attnotnull or attnum = any(conkey)) as "isSame"
       from pg_attribute
       left join pg_constraint on conrelid = attrelid and contype = 'p'
       left join unnest($3::text[], $4::text[], $5::bool[]) wanted (name, type, is_required) on name = attname
       where attrelid = to_regclass(format('%I.%I', $1::text, $2::text)) and attnum > 0 and not attisdropped`,
      [
        table.schema || 'public',
        table.name,
        wanted.map(([name]) => name),
        wanted.map(([, { type }]) => type),
        wanted.map(([, { notNull }]) => notNull),
      ],
    )
    const { indexes, foreignKeys, uniqueConstraints, checkConstraints } = table
    const named = Object.keys({ ...indexes, ...foreignKeys, ...uniqueConstraints, ...checkConstraints })
    const different = [
      ...wanted.map(([name]) => name).filter((name) => !columns.some((column) => column.name === name)),
      ...columns.filter(({ isSame }) => !isSame).map(({ name }) => name),
      // PostgreSQL truncates names to 63 bytes.
      ...named.filter((name) => !names.some((found) => found.name === name.slice(0, 63))),
    ]
    differences.push(...different.map((name) => `${table.name}.${name}`))
  }
  return differences
}

/**
 * The owners (core or modules) whose schema has changed since their last migration. Drizzle does not know what a handwritten
 * migration changes, so then the database decides, if there is one.
 */
export async function findOwnersWithoutMigration(root: string, migrated?: pg.Client): Promise<string[]> {
  const files = ['src/core/db/schema.ts', ...globSync('src/app/*/schema.ts', { cwd: root })]
  const schemas = await importSource(...files)
  const owners: string[] = []
  for (const [index, file] of files.entries()) {
    const schema = { ...schemas[index] }
    const migrations = join(root, dirname(file), '_migrations')
    if (!(await isChanged(schema, readLastSnapshot(migrations)))) continue
    if (hasHandwritten(migrations) && (!migrated || (await findDifferences(schema, migrated)).length === 0)) continue
    owners.push(/\((.+)\)/.exec(file)?.[1] ?? 'core')
  }
  return owners
}
