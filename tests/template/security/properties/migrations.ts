import assert from 'node:assert/strict'
import fc from 'fast-check'
import pg from 'pg'
import { root } from '../../../../scripts/root.ts'
import { findMigrationFolders, type Migration, migrate, readMigrations } from '../../../../src/core/db/migrate.ts'
import { check } from '../../../app/support/checks.ts'
import { createDatabase, dropDatabase, findServer } from '../../../app/support/database.ts'
import { assertProperty } from './support/property.ts'

/** Columns, constraints, indexes, triggers and functions of a database; the order of columns does not matter. */
async function schemaOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
      from information_schema.columns where table_schema = 'public'
    union all select format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select md5(pg_get_functiondef(p.oid)) || p.proname from pg_proc p
      where pronamespace = 'public'::regnamespace and prokind = 'f'
        and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`)
  return rows.map(({ line }) => line).sort()
}

interface Column {
  table_name: string
  column_name: string
  data_type: string
  is_nullable: string
  column_default: string | null
}

const columnsOf = async (client: pg.Client) =>
  (
    await client.query<Column>(
      `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
       where table_schema = 'public'`,
    )
  ).rows

/** Tables that only triggers write to, and these come with the migration. */
const ofTriggers = ['admin_terms']

/** Changes that would break code that knows only the earlier columns. */
function findBreakingChanges(earlier: Column[], later: Column[]): string[] {
  const find = (columns: Column[], { table_name, column_name }: Column) =>
    columns.find((one) => one.table_name === table_name && one.column_name === column_name)
  const changed = earlier
    .filter((column) => find(later, column)?.data_type !== column.data_type)
    .map((column) => `${column.table_name}.${column.column_name} is gone or of another type`)
  const tables = new Set(earlier.map(({ table_name }) => table_name))
  const newlyRequired = later
    .filter((column) => tables.has(column.table_name) && !find(earlier, column))
    .filter(({ is_nullable, column_default }) => is_nullable === 'NO' && column_default === null)
    .filter(({ table_name }) => !ofTriggers.includes(table_name))
    .map((column) => `${column.table_name}.${column.column_name} is required, but older code does not know it`)
  return [...changed, ...newlyRequired]
}

async function apply(client: pg.Client, migrations: Migration[], afterEach = async () => {}): Promise<void> {
  for (const { sql } of migrations) {
    for (const statement of sql.split('--> statement-breakpoint'))
      await client.query(statement.replaceAll(/concurrently/gi, ''))
    await afterEach()
  }
}

/** Runs the work in a transaction that is rolled back: creating hundreds of databases would take minutes. */
async function inRolledBackTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    return await work()
  } finally {
    await client.query('rollback')
  }
}

check(
  'P-18',
  'migrations end in one schema, whatever was applied before and in whatever order of modules, and do not break older code',
  async () => {
    const server = await findServer()
    const [database, empty] = [await createDatabase(server.url), await createDatabase(server.url)]
    const clients = [database, empty].map(({ url }) => new pg.Client({ connectionString: url }))
    const [client, other] = clients as [pg.Client, pg.Client]
    try {
      await Promise.all(clients.map((one) => one.connect()))
      const all = readMigrations(findMigrationFolders(root))
      // With the real migrator, in two parts, and then again.
      const half = all.slice(0, Math.ceil(all.length / 2))
      await migrate(database.url, half)
      await migrate(database.url, all)
      const fullSchema = await schemaOf(client)
      assert.deepEqual(await migrate(database.url, all), [])
      assert.deepEqual(await schemaOf(client), fullSchema)
      const final = fullSchema.filter((line) => !line.includes('plinth_migrations'))

      // After every migration: what code of that version relies on still exists at the end.
      const stages: Column[][] = []
      await inRolledBackTransaction(other, () =>
        apply(other, all, async () => void stages.push(await columnsOf(other))),
      )
      const last = stages.at(-1) ?? []
      const found = stages.flatMap((columns, index) =>
        findBreakingChanges(columns, last).map((what) => `${all[index]?.name}: ${what}`),
      )
      assert.deepEqual(found, [])

      // Modules in any order, after core; each partially migrated first, or fully at once.
      const core = all.filter(({ owner }) => owner === 'core')
      const owners = [...new Set(all.map(({ owner }) => owner))].filter((owner) => owner !== 'core')
      const seen = new Set<string>()
      const order = fc.tuple(fc.shuffledSubarray(owners, { minLength: owners.length }), fc.constantFrom(0, 1, 2))
      const tryOrder = fc.asyncProperty(order, async ([chosen, progress]) => {
        // There are few orders, so each is tried only once.
        const name = `${chosen} ${progress}`
        if (seen.has(name)) return
        seen.add(name)
        const histories = chosen.map((owner) => all.filter((one) => one.owner === owner))
        const cut = (history: Migration[]) => Math.ceil((history.length * progress) / 2)
        const earlier = histories.flatMap((history) => history.slice(0, cut(history)))
        const later = histories.toReversed().flatMap((history) => history.slice(cut(history)))
        await other.query('savepoint only_core')
        try {
          await apply(other, [...earlier, ...later])
          assert.deepEqual(await schemaOf(other), final)
        } finally {
          await other.query('rollback to savepoint only_core')
        }
      })
      return await inRolledBackTransaction(other, async () => {
        await apply(other, core)
        return assertProperty('P-18', tryOrder, {
          examples: [],
          note: () => `${seen.size} orders, ${all.length} migrations`,
        })
      })
    } finally {
      await Promise.all(clients.map((one) => one.end()))
      for (const { name } of [database, empty]) await dropDatabase(server.url, name)
      await server.stop()
    }
  },
  {
    full: 'takes long',
    notCovered: 'code of an earlier release is not run here; only its tables and columns are checked',
  },
)
