import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../../scripts/postgres.ts'
import { root } from '../../../scripts/root.ts'

/**
 * The PostgreSQL server for tests: the one in TEST_DATABASE_URL, or the one from npm. Tests create their own databases
 * on it and never touch others.
 */
export async function findServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL
  return url ? { url, stop: async () => {} } : startPostgres('tests')
}

async function onServer<T>(serverUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A copy of a template has its name and a suffix. */
export async function createDatabase(serverUrl: string, template?: string): Promise<{ url: string; name: string }> {
  const name = `${template ?? 'plinth_test'}_${randomBytes(6).toString('hex')}`
  await onServer(serverUrl, (client) =>
    client.query(`create database ${name} template ${template ?? 'template0'} strategy file_copy`),
  )
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, name }
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`))
}

/** Drops a template and all its copies, several at a time: some file systems wait for the disk after each deleted file. */
export async function dropTemplate(serverUrl: string, template: string): Promise<void> {
  // `end` does not wait until its connections are closed, and the server may be stopped right after it.
  const pool = new pg.Pool({ connectionString: serverUrl, max: 10 }).on('error', () => {})
  const { rows } = await pool.query('select datname from pg_database where starts_with(datname, $1)', [template])
  await Promise.all(rows.map(({ datname }) => pool.query(`drop database if exists ${datname} with (force)`)))
  await pool.end()
}

/** Runs a command of scripts/db.ts on that database. */
export function runDb(command: 'migrate' | 'seed', databaseUrl: string, password = 'not-needed', folder = root): void {
  execFileSync(process.execPath, [join(folder, 'scripts', 'db.ts'), command], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: databaseUrl, DEV_PASSWORD: password },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
