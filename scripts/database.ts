import pg from 'pg'
import { findMigrationFolders, migrate, readMigrations } from '../src/core/db/migrate.ts'
import { buildScopeWall } from '../src/core/db/scope-wall.ts'
import { migrateQueue, queueSchema } from '../src/core/jobs/migrate.ts'
import { root } from './root.ts'

export async function migrateDatabase(): Promise<void> {
  const applied = await migrate(databaseUrl(), readMigrations(findMigrationFolders(root)))
  await migrateQueue(databaseUrl())
  await setUpRowSecurity()
  if (applied.length > 0) console.log(`Applied ${applied.map(({ owner, name }) => `${owner}/${name}`).join(', ')}.`)
}

/** Last, because the role `app_scoped` needs privileges on the tables of the queue as well. */
async function setUpRowSecurity(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl() })
  await client.connect()
  try {
    await buildScopeWall(client, ['public', queueSchema])
  } catch (error) {
    // Not every app has scopes. One that has does not start in production without row-level security.
    console.warn(
      `Row-level security was not set up: ${error instanceof Error ? error.message : error}. See docs/tenancy.md.`,
    )
  } finally {
    await client.end()
  }
}

export async function seedDatabase(): Promise<void> {
  rejectRemote('seed')
  // Imported lazily: it needs devDependencies, and migrating must work without them.
  const { importSource } = await import('./import-source.ts')
  const [{ seed }, { closeDatabase }, { modules }] = await importSource(
    'src/core/db/seed.ts',
    'src/core/db/client.ts',
    'src/modules.ts',
  )
  await seed(devPassword(), modules)
  await closeDatabase()
}

/** Seeding adds users with a known password, resetting deletes everything: on a remote database both need --database=<name>. */
export function rejectRemote(action: string): void {
  const { hostname, pathname } = new URL(databaseUrl())
  const isLocal = ['localhost', '127.0.0.1', '[::1]', ''].includes(hostname)
  const name = pathname.slice(1)
  if (isLocal || process.argv.includes(`--database=${name}`)) return
  throw new Error(`The database is on ${hostname}. To ${action} it anyway, add -- --database=${name}`)
}

export function databaseUrl(): string {
  if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set')
  return process.env.DATABASE_URL
}

export function devPassword(): string {
  if (!process.env.DEV_PASSWORD)
    throw new Error('DEV_PASSWORD is not set in .env. The seeded users need it as their password.')
  return process.env.DEV_PASSWORD
}
