import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { appSlug } from '../../brand.ts'

/** The migrations folder of one owner: core, or a module with tables. */
export interface MigrationFolder {
  owner: string
  folder: string
}

export interface Migration {
  owner: string
  name: string
  sql: string
  checksum: string
}

/** Key of the advisory lock: any constant that is the same on every node. */
const lockKey = 7_046_029_254
const statementBreak = '--> statement-breakpoint'

/** First line of a file whose statements cannot run inside a transaction, such as CREATE INDEX CONCURRENTLY. */
const outsideTransaction = '-- no transaction'

export function findMigrationFolders(root: string): MigrationFolder[] {
  const apps = join(root, 'src', 'app')
  const modules = readdirSync(apps)
    .filter((name) => /^\(.+\)$/.test(name))
    .sort()
    .map((name) => ({ owner: name.slice(1, -1), folder: join(apps, name, '_migrations') }))
  return [{ owner: 'core', folder: join(root, 'src', 'core', 'db', '_migrations') }, ...modules].filter(({ folder }) =>
    existsSync(folder),
  )
}

export function readMigrations(migrationFolders: MigrationFolder[]): Migration[] {
  return migrationFolders.flatMap(({ owner, folder }) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .sort()
      .map((file) => {
        // Normalize line endings: a checkout on Windows may change them, which must not change the checksum.
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

/**
 * Compares the migrations in the database with the files: `pending` are not applied yet, `changed` were edited since.
 */
export async function migrationStatus(client: Client, migrations: Migration[]) {
  const { rows: migrationsTable } = await client.query<{ exists: boolean }>(
    `select to_regclass('plinth_migrations') is not null as exists`,
  )
  if (!migrationsTable[0]?.exists) return { pending: migrations, changed: [] }
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
 * Applies the migrations that this database does not have yet, by name: a file with an older date, or of another owner,
 * is applied like any other. One node runs at a time; the others wait and then find nothing to do.
 */
export async function migrate(databaseUrl: string, migrations: Migration[]): Promise<Migration[]> {
  const client = new Client({ connectionString: databaseUrl, application_name: `${appSlug} migrate` })
  await client.connect()
  try {
    // The timeouts that docs/deploy.md sets on the app's role are for requests; building an index may take longer.
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await acquireLock(client)
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
        `These migrations were changed after they were applied: ${names}. Restore them and add a new migration.`,
      )
    }
    for (const migration of pending) await apply(client, migration)
    return pending
  } finally {
    await client.end() // also releases the lock
  }
}

/**
 * Polls for the lock instead of waiting in one query, because a waiting query would block CREATE INDEX CONCURRENTLY.
 */
async function acquireLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey])
    if (rows[0]?.taken) return
    await sleep(100)
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function apply(client: Client, migration: Migration): Promise<void> {
  const statements = migration.sql
    .split(statementBreak)
    .map((statement) => statement.trim())
    .filter(Boolean)
  const recordApplied = () =>
    client.query('insert into plinth_migrations (owner, name, checksum) values ($1, $2, $3)', [
      migration.owner,
      migration.name,
      migration.checksum,
    ])
  const label = `${migration.owner}/${migration.name}`

  if (migration.sql.startsWith(outsideTransaction)) {
    for (const statement of statements) await client.query(statement).catch(throwMigrationError(label))
    await recordApplied()
    return
  }

  // While a statement waits for a lock, every later query on that table waits behind it. So use a short lock timeout
  // and retry: the longest stall under load is 0.3 s, instead of the duration of the slowest reader.
  for (let tries = 1; ; tries++) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = '300ms'`)
      for (const statement of statements) await client.query(statement)
      await recordApplied()
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      const isLocked = error instanceof Error && 'code' in error && error.code === '55P03'
      if (!isLocked || tries >= 20) throwMigrationError(label)(error)
      await sleep(100 * tries)
    }
  }
}

const throwMigrationError = (label: string) => (cause: unknown) => {
  throw new Error(`Migration ${label} failed: ${cause instanceof Error ? cause.message : cause}`, { cause })
}
