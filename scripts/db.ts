// npm run db:migrate | db:seed | db:reset | db:status | db:end-sessions | db:generate -- <owner> [name]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findMigrationFolders, migrationStatus, readMigrations } from '../src/core/db/migrate.ts'
import { queueSchema } from '../src/core/jobs/migrate.ts'
import { databaseUrl, migrateDatabase, rejectRemote, seedDatabase } from './database.ts'
import { prepareDatabase, prepareDevelopment } from './environment.ts'
import { exitWithExplanation } from './explain-error.ts'
import { root } from './root.ts'
import { showUsage } from './show-usage.mjs'

showUsage('npm run db:migrate | db:seed | db:reset | db:status | db:end-sessions | db:generate -- <owner> [name]')
exitWithExplanation()

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
  const migrations = readMigrations(findMigrationFolders(root))
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
  rejectRemote('reset')
  if (process.env.NODE_ENV === 'production')
    throw new Error('db:reset deletes everything, so it doesn’t run in production')
  await withClient((client) =>
    client.query(`drop schema if exists ${queueSchema} cascade; drop schema public cascade; create schema public`),
  )
  await migrateDatabase()
  await seedDatabase()
}

/** Run it after restoring a backup: sessions and email tokens that were revoked since the backup would be valid again. */
async function endSessions(): Promise<void> {
  const { rows } = await withClient((client) =>
    client.query<{ sessions: number; links: number }>(`with sessions as (delete from sessions returning 1),
      links as (delete from tokens returning 1)
      select (select count(*)::int from sessions) as sessions, (select count(*)::int from links) as links`),
  )
  console.log(`Signed out ${rows[0]?.sessions} sessions and revoked ${rows[0]?.links} email links.`)
}

function generate(owner = 'core', name = 'change'): void {
  if (owner === 'core' && existsSync(join(root, 'plinth.json')))
    console.log(
      'This changes the tables of core, which upgrades change as well. A table of a module with the same key is less work later: see docs/recipes.md.',
    )
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
  if (!run) throw new Error(`Unknown command "${command}". Commands: ${Object.keys(commands).join(', ')}, generate.`)
  const isForDevelopment = command === 'seed' || command === 'reset'
  const database = await (isForDevelopment ? prepareDevelopment() : prepareDatabase())
  try {
    await run()
  } finally {
    await database.stop()
  }
}
