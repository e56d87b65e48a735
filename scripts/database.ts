import { findHistories, migrate, readMigrations } from '../src/core/db/migrate.ts'
import { root } from './root.ts'
import { importSource } from './source.ts'

export async function migrateDatabase(): Promise<void> {
  const applied = await migrate(databaseUrl(), readMigrations(findHistories(root)))
  if (applied.length > 0) console.log(`Applied ${applied.map(({ owner, name }) => `${owner}/${name}`).join(', ')}.`)
}

export async function seedDatabase(): Promise<void> {
  const [{ seed, closeDatabase }, { modules }] = await importSource('src/core/db/seed.ts', 'src/modules.ts')
  await seed(devPassword(), modules)
  await closeDatabase()
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
