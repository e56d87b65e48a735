import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

/** Each owner (core, and every module with tables) has a history of its own. */
export interface History {
  owner: string
  folder: string
}

export interface Migration {
  owner: string
  name: string
  sql: string
  checksum: string
}

/** Any constant will do; it must only be the same on every node. */
const lockKey = 7_046_029_254
const statementBreak = '--> statement-breakpoint'

/** First line of a file whose statements cannot run inside a transaction, such as CREATE INDEX CONCURRENTLY. */
const outsideTransaction = '-- no transaction'

export function findHistories(root: string): History[] {
  const apps = join(root, 'src', 'app')
  const modules = readdirSync(apps)
    .filter((name) => /^\(.+\)$/.test(name))
    .sort()
    .map((name) => ({ owner: name.slice(1, -1), folder: join(apps, name, '_migrations') }))
  return [{ owner: 'core', folder: join(root, 'src', 'core', 'db', '_migrations') }, ...modules].filter(({ folder }) =>
    existsSync(folder),
  )
}

export function readMigrations(histories: History[]): Migration[] {
  return histories.flatMap(({ owner, folder }) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .sort()
      .map((file) => {
        // A checkout on Windows may have changed the line ends; that is no change of the migration.
        const sql = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')
        return {
          owner,
          name: file.slice(0, -'.sql'.length),
          sql,
          checksum: createHash('sha256').update(sql).digest('hex'),
        }
      }),
  )
}

/** What a database has, compared with what the files say. */
export async function migrationStatus(client: Client, migrations: Migration[]) {
  const { rows: known } = await client.query<{ exists: boolean }>(
    `select to_regclass('plinth_migrations') is not null as exists`,
  )
  if (!known[0]?.exists) return { pending: migrations, changed: [] }
  const { rows } = await client.query<{ owner: string; name: string; checksum: string }>(
    'select owner, name, checksum from plinth_migrations',
  )
  const applied = new Map(rows.map((row) => [`${row.owner}/${row.name}`, row.checksum]))
  const checksumOf = (migration: Migration) => applied.get(`${migration.owner}/${migration.name}`)
  return {
    pending: migrations.filter((migration) => checksumOf(migration) === undefined),
    changed: migrations.filter((migration) => ![undefined, migration.checksum].includes(checksumOf(migration))),
  }
}

/**
 * Applies what this database does not have yet, by name: a file with an older date, or from another owner, is
 * applied like any other. One node at a time; the others wait and then find nothing to do.
 */
export async function migrate(databaseUrl: string, migrations: Migration[]): Promise<Migration[]> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'plinth migrate' })
  await client.connect()
  try {
    // The limits that docs/deploy.md gives to the app's role behind a pooler are for requests: an index takes what it takes.
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await takeLock(client)
    await client.query(`create table if not exists plinth_migrations (
      owner text not null,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now(),
      primary key (owner, name)
    )`)
    const { pending, changed } = await migrationStatus(client, migrations)
    if (changed.length > 0) {
      const names = changed.map(({ owner, name }) => `${owner}/${name}`).join(', ')
      throw new Error(
        `These migrations were changed after they were applied: ${names}. Put them back and write a new one instead.`,
      )
    }
    for (const migration of pending) await apply(client, migration)
    return pending
  } finally {
    await client.end() // and with the connection goes the lock
  }
}

/** Asks again and again instead of waiting inside one query: a waiting query would hold up CREATE INDEX CONCURRENTLY. */
async function takeLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey])
    if (rows[0]?.taken) return
    await pause(100)
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function apply(client: Client, migration: Migration): Promise<void> {
  const statements = migration.sql
    .split(statementBreak)
    .map((statement) => statement.trim())
    .filter(Boolean)
  const record = () =>
    client.query('insert into plinth_migrations (owner, name, checksum) values ($1, $2, $3)', [
      migration.owner,
      migration.name,
      migration.checksum,
    ])
  const where = `${migration.owner}/${migration.name}`

  if (migration.sql.startsWith(outsideTransaction)) {
    for (const statement of statements) await client.query(statement).catch(explain(where))
    await record()
    return
  }

  // A statement that waits for a lock makes every later query on that table wait behind it. Give up quickly and
  // try again: longest stall under load 0.3 s instead of as long as the slowest reader.
  for (let tries = 1; ; tries++) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = '300ms'`)
      for (const statement of statements) await client.query(statement)
      await record()
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      const isLocked = error instanceof Error && 'code' in error && error.code === '55P03'
      if (!isLocked || tries >= 20) explain(where)(error)
      await pause(100 * tries)
    }
  }
}

const explain = (where: string) => (cause: unknown) => {
  throw new Error(`Migration ${where} failed: ${cause instanceof Error ? cause.message : cause}`, { cause })
}
