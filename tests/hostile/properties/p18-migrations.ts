import assert from 'node:assert/strict'
import fc from 'fast-check'
import pg from 'pg'
import { root } from '../../../scripts/root.ts'
import { findHistories, type Migration, migrate, readMigrations } from '../../../src/core/db/migrate.ts'
import { createDatabase, dropDatabase, findServer } from '../../support/database.ts'
import { check } from '../checks.ts'
import { holds } from './property.ts'

/** Columns, constraints, indexes, triggers and functions of a database; the order in which columns came is nobody's affair. */
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

/** Only triggers write these, and they come with the migration. */
const ofTriggers = ['admin_terms']

/** What code that knows only the earlier columns could not live with. */
function hurts(earlier: Column[], later: Column[]): string[] {
  const find = (columns: Column[], { table_name, column_name }: Column) =>
    columns.find((one) => one.table_name === table_name && one.column_name === column_name)
  const changed = earlier
    .filter((column) => find(later, column)?.data_type !== column.data_type)
    .map((column) => `${column.table_name}.${column.column_name} is gone or of another type`)
  const tables = new Set(earlier.map(({ table_name }) => table_name))
  const demanded = later
    .filter((column) => tables.has(column.table_name) && !find(earlier, column))
    .filter(({ is_nullable, column_default }) => is_nullable === 'NO' && column_default === null)
    .filter(({ table_name }) => !ofTriggers.includes(table_name))
    .map((column) => `${column.table_name}.${column.column_name} is demanded of code that does not know it`)
  return [...changed, ...demanded]
}

async function apply(client: pg.Client, migrations: Migration[], look = async () => {}): Promise<void> {
  for (const { sql } of migrations) {
    for (const statement of sql.split('--> statement-breakpoint'))
      await client.query(statement.replaceAll(/concurrently/gi, ''))
    await look()
  }
}

/** What is done in it is taken back: hundreds of databases would take minutes. */
async function inVain<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    return await work()
  } finally {
    await client.query('rollback')
  }
}

check(
  'P-18',
  'migrations end in one schema, whichever part was applied before and whichever module came first, and take nothing from older code',
  async () => {
    const server = await findServer()
    const [database, empty] = [await createDatabase(server.url), await createDatabase(server.url)]
    const clients = [database, empty].map(({ url }) => new pg.Client({ connectionString: url }))
    const [client, other] = clients as [pg.Client, pg.Client]
    try {
      await Promise.all(clients.map((one) => one.connect()))
      const all = readMigrations(findHistories(root))
      // As it is really done, in two parts, and then once more.
      const half = all.slice(0, Math.ceil(all.length / 2))
      await migrate(database.url, half)
      await migrate(database.url, all)
      const whole = await schemaOf(client)
      assert.deepEqual(await migrate(database.url, all), [])
      assert.deepEqual(await schemaOf(client), whole)
      const final = whole.filter((line) => !line.includes('plinth_migrations'))

      // Every prefix: what code of that time relies on is there at the end.
      const stages: Column[][] = []
      await inVain(other, () => apply(other, all, async () => void stages.push(await columnsOf(other))))
      const last = stages.at(-1) ?? []
      const found = stages.flatMap((columns, index) =>
        hurts(columns, last).map((what) => `${all[index]?.name}: ${what}`),
      )
      assert.deepEqual(found, [])

      // Modules in any order among one another, after core; each at an earlier version first, or at once as it is.
      const core = all.filter(({ owner }) => owner === 'core')
      const owners = [...new Set(all.map(({ owner }) => owner))].filter((owner) => owner !== 'core')
      const seen = new Set<string>()
      const order = fc.tuple(fc.shuffledSubarray(owners, { minLength: owners.length }), fc.constantFrom(0, 1, 2))
      const tryOrder = fc.asyncProperty(order, async ([chosen, part]) => {
        // An order that was tried is not tried again: there are not so many.
        const name = `${chosen} ${part}`
        if (seen.has(name)) return
        seen.add(name)
        const histories = chosen.map((owner) => all.filter((one) => one.owner === owner))
        const cut = (history: Migration[]) => Math.ceil((history.length * part) / 2)
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
      return await inVain(other, async () => {
        await apply(other, core)
        return holds('P-18', tryOrder, { examples: [], note: () => `${seen.size} orders, ${all.length} migrations` })
      })
    } finally {
      await Promise.all(clients.map((one) => one.end()))
      for (const { name } of [database, empty]) await dropDatabase(server.url, name)
      await server.stop()
    }
  },
  { waits: 'code of an earlier release is not here to be run; shown is that its tables and columns are' },
)
