// npm run db:migrate | db:seed | db:reset | db:status | db:end-sessions | db:generate -- <owner> [name]
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { findHistories, migrationStatus, readMigrations } from '../src/core/db/migrate.ts'
import { queueSchema } from '../src/core/jobs/migrate.ts'
import { databaseUrl, migrateDatabase, refuseElsewhere, seedDatabase } from './database.ts'
import { prepareDatabase, prepareDevelopment } from './environment.ts'
import { root } from './root.ts'

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl() })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function status(): Promise<void> {
  const migrations = readMigrations(findHistories(root))
  const { pending, changed } = await withClient((client) => migrationStatus(client, migrations))
  for (const migration of migrations) {
    const state = changed.includes(migration)
      ? 'changed after it was applied'
      : pending.includes(migration)
        ? 'pending'
        : 'applied'
    console.log(`${migration.owner}/${migration.name}: ${state}`)
  }
  if (changed.length > 0) process.exitCode = 1
}

async function reset(): Promise<void> {
  refuseElsewhere('reset')
  if (process.env.NODE_ENV === 'production')
    throw new Error('db:reset deletes everything; it does not run in production')
  await withClient((client) =>
    client.query(`drop schema if exists ${queueSchema} cascade; drop schema public cascade; create schema public`),
  )
  await migrateDatabase()
  await seedDatabase()
}

/** After a backup was put in place: what had been ended since then would be open again. */
async function endSessions(): Promise<void> {
  const { rows } = await withClient((client) =>
    client.query<{ sessions: number; links: number }>(`with sessions as (delete from sessions returning 1),
      links as (delete from tokens returning 1)
      select (select count(*)::int from sessions) as sessions, (select count(*)::int from links) as links`),
  )
  console.log(`Ended ${rows[0]?.sessions} sessions and ${rows[0]?.links} links of mails.`)
}

function generate(owner = 'core', name = 'change'): void {
  const kit = join(root, 'node_modules', 'drizzle-kit', 'bin.cjs')
  const { status } = spawnSync(process.execPath, [kit, 'generate', '--name', name], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, DB_OWNER: owner },
  })
  process.exitCode = status ?? 1
}

const [command, ...rest] = process.argv.slice(2)
if (command === 'generate') generate(...rest)
else {
  const commands: Record<string, () => Promise<void>> = {
    migrate: migrateDatabase,
    seed: seedDatabase,
    reset,
    status,
    'end-sessions': endSessions,
  }
  const run = commands[command ?? '']
  if (!run) throw new Error(`Unknown command "${command}". There are: ${Object.keys(commands).join(', ')}, generate.`)
  const isForDevelopment = command === 'seed' || command === 'reset'
  const database = await (isForDevelopment ? prepareDevelopment() : prepareDatabase())
  try {
    await run()
  } finally {
    await database.stop()
  }
}
