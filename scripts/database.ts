import { findHistories, migrate, readMigrations } from '../src/core/db/migrate.ts'
import { migrateQueue } from '../src/core/jobs/migrate.ts'
import { root } from './root.ts'

export async function migrateDatabase(): Promise<void> {
  const applied = await migrate(databaseUrl(), readMigrations(findHistories(root)))
  await migrateQueue(databaseUrl())
  if (applied.length > 0) console.log(`Applied ${applied.map(({ owner, name }) => `${owner}/${name}`).join(', ')}.`)
}

export async function seedDatabase(): Promise<void> {
  refuseElsewhere('seed')
  // Only here: it needs development's packages, and migrating must not.
  const { importSource } = await import('./source.ts')
  const [{ seed, closeDatabase }, { modules }] = await importSource('src/core/db/seed.ts', 'src/modules.ts')
  await seed(devPassword(), modules)
  await closeDatabase()
}

/** Seeding opens doors and resetting deletes everything: only on this machine, unless the database is named once more. */
export function refuseElsewhere(what: string): void {
  const { hostname, pathname } = new URL(databaseUrl())
  const isHere = ['localhost', '127.0.0.1', '[::1]', ''].includes(hostname)
  const name = pathname.slice(1)
  if (isHere || process.argv.includes(`--database=${name}`)) return
  throw new Error(`The database is on ${hostname}. To ${what} it all the same, add -- --database=${name}`)
}

export function databaseUrl(): string {
  if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set')
  return process.env.DATABASE_URL
}

export function devPassword(): string {
  if (!process.env.DEV_PASSWORD)
    throw new Error('DEV_PASSWORD is not set in .env: it is the password of the seeded people')
  return process.env.DEV_PASSWORD
}
