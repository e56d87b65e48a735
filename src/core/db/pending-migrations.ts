import { readdirSync } from 'node:fs'
import { log } from '../log'
import { pool } from './client'
import { findMigrationFolders } from './migrate'

// Shared by the bundles of the server, which have a copy of this module each.
const shared = globalThis as { plinthExpectedMigrations?: string[]; plinthIsMissingLogged?: boolean }

/**
 * At startup: the migrations that came with the app, such as "core/0003_roles". They are in the folder of the app, also in the
 * standalone one. Nothing is expected where the folder is not there.
 */
export function expectMigrations(root: string): void {
  try {
    shared.plinthExpectedMigrations = findMigrationFolders(root).flatMap(({ owner, folder }) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.sql'))
        .map((file) => `${owner}/${file.slice(0, -'.sql'.length)}`),
    )
  } catch {
    shared.plinthExpectedMigrations = []
  }
}

/** The expected migrations that the database does not have. Once it has all of them, this costs nothing. */
export async function findPendingMigrations(): Promise<string[]> {
  const expected = shared.plinthExpectedMigrations ?? []
  if (expected.length === 0) return []
  const { rows: tables } = await pool.query<{ exists: boolean }>(
    `select to_regclass('plinth_migrations') is not null as exists`,
  )
  const { rows } = tables[0]?.exists
    ? await pool.query<{ name: string }>(`select owner || '/' || name as name from plinth_migrations`)
    : { rows: [] }
  const pending = expected.filter((name) => !rows.some((row) => row.name === name))
  if (pending.length === 0) shared.plinthExpectedMigrations = []
  else if (!shared.plinthIsMissingLogged) {
    shared.plinthIsMissingLogged = true
    log.error({ pending }, 'migrations are pending: run "npm run db:migrate"')
  }
  return pending
}
