// Runs functions of the app in this process on a separate database, for properties of single functions.
import pg from 'pg'
import type { PgBoss } from 'pg-boss'
import { importSource } from '../../../../../scripts/import-source.ts'
import type { World } from '../../../../app/support/test-world.ts'

/** If set, every statement of the app's connections waits for this first, so that a property can schedule them. */
export const statementGate: { next?: (() => Promise<void>) | undefined } = {}

class GatedClient extends pg.Client {
  /** Statements of one connection stay in order. */
  private turn = Promise.resolve()

  // biome-ignore lint/suspicious/noExplicitAny: the ways to call it are many, and all are passed on
  override query(...args: any[]): any {
    const ask = super.query.bind(this) as (...given: unknown[]) => unknown
    const { next } = statementGate
    if (!next) return ask(...args)
    this.turn = this.turn.then(next)
    return this.turn.then(() => ask(...args))
  }
}

type Settings = Record<string, string | undefined>

function setEnv(settings: Settings): void {
  for (const [name, value] of Object.entries(settings))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
}

/** Sets environment variables during the work. The app reads them on each use. */
export async function withEnv<T>(settings: Settings, work: () => T | Promise<T>): Promise<T> {
  const before = Object.fromEntries(Object.keys(settings).map((name) => [name, process.env[name]]))
  setEnv(settings)
  try {
    return await work()
  } finally {
    setEnv(before)
  }
}

let databaseUrl: Promise<string> | undefined

/** Opens the pool that the app would open itself, to a database without users. Closed at the end of the group. */
async function openDatabase(world: World): Promise<string> {
  const url = await world.migratedDatabase()
  const shared = globalThis as { plinthPool?: pg.Pool | undefined; plinthQueue?: Promise<PgBoss> | undefined }
  const pool = new pg.Pool({ connectionString: url, max: 8, pipeline: true, Client: GatedClient })
  // The database is dropped while connections may still be open.
  pool.on('error', () => {})
  shared.plinthPool = pool
  const before = process.env.AUTH_SECRET
  setEnv({ AUTH_SECRET: world.env.AUTH_SECRET })
  world.atEndOfGroup(async () => {
    databaseUrl = undefined
    setEnv({ AUTH_SECRET: before })
    await (await shared.plinthQueue)?.stop()
    shared.plinthQueue = undefined
    await pool.end()
  })
  return url
}

/** Imports files of the app: `const [{ env }] = await importAppCode<[typeof import('…')]>(world, 'src/core/env.ts')`. */
export async function importAppCode<Files extends unknown[]>(world: World, ...files: string[]): Promise<Files> {
  databaseUrl ??= openDatabase(world)
  const DATABASE_URL = await databaseUrl
  return withEnv({ DATABASE_URL, LOG_LEVEL: 'silent' }, () => importSource(...files)) as Promise<Files>
}
