// Functions of the app itself, in this process, on a database of their own: for properties of a function.
import pg from 'pg'
import type { PgBoss } from 'pg-boss'
import { importSource } from '../../../scripts/source.ts'
import type { World } from '../world.ts'

/** Every statement of the app's connections waits for its turn, while somebody gives turns. */
export const turns: { next?: (() => Promise<void>) | undefined } = {}

class PatientClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the ways to call it are many, and all are passed on
  override query(...given: any[]): any {
    const ask = super.query.bind(this) as (...given: unknown[]) => unknown
    return turns.next ? turns.next().then(() => ask(...given)) : ask(...given)
  }
}

type Settings = Record<string, string | undefined>

function setAll(settings: Settings): void {
  for (const [name, value] of Object.entries(settings))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
}

/** Settings for as long as the work lasts. The app reads them whenever it needs one. */
export async function withSettings<T>(settings: Settings, work: () => T | Promise<T>): Promise<T> {
  const before = Object.fromEntries(Object.keys(settings).map((name) => [name, process.env[name]]))
  setAll(settings)
  try {
    return await work()
  } finally {
    setAll(before)
  }
}

let place: Promise<string> | undefined

/** The connections that the app would open by itself, to a database with nobody in it. It ends with the group. */
async function open(world: World): Promise<string> {
  const url = await world.emptyDatabase()
  const shared = globalThis as { plinthPool?: pg.Pool | undefined; plinthQueue?: Promise<PgBoss> | undefined }
  const pool = new pg.Pool({ connectionString: url, max: 8, Client: PatientClient })
  // Its database is dropped while a connection may still be there.
  pool.on('error', () => {})
  shared.plinthPool = pool
  const before = process.env.AUTH_SECRET
  setAll({ AUTH_SECRET: world.env.AUTH_SECRET })
  world.atEndOfGroup(async () => {
    place = undefined
    setAll({ AUTH_SECRET: before })
    await (await shared.plinthQueue)?.stop()
    shared.plinthQueue = undefined
    await pool.end()
  })
  return url
}

/** Files of the app: `const [{ env }] = await appCode<[typeof import('…')]>(world, 'src/core/env.ts')`. */
export async function appCode<Files extends unknown[]>(world: World, ...files: string[]): Promise<Files> {
  place ??= open(world)
  const DATABASE_URL = await place
  return withSettings({ DATABASE_URL, LOG_LEVEL: 'silent' }, () => importSource(...files)) as Promise<Files>
}
