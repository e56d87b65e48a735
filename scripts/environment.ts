// What scripts that run the app need: settings from .env, made on first use, and a database.
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { envFile, loadEnv } from './env-file.ts'
import { startPostgres } from './postgres.ts'

/** Readable, and without letters that are taken for one another. */
function easyPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group()].join('-')
}

function writeEnvFile(): void {
  const lines = [
    '# Made by "npm run dev" for this machine. Never commit it. .env.example explains every setting.',
    `AUTH_SECRET=${randomBytes(33).toString('base64url')}`,
    '',
    '# The password of the seeded people, in development only.',
    `DEV_PASSWORD=${easyPassword()}`,
    '',
    '# Empty: a PostgreSQL from npm, with its data in .data/.',
    'DATABASE_URL=',
    '',
  ]
  writeFileSync(envFile, lines.join('\n'), { mode: 0o600 })
  console.log('Made .env with fresh secrets.')
}

/** For development: makes .env when there is none, and starts the database from npm when no other is named. */
export async function prepareDevelopment(): Promise<{ stop: () => Promise<void> }> {
  if (!existsSync(envFile)) writeEnvFile()
  return prepareDatabase()
}

/** Sees to it that DATABASE_URL is set. Production names its database; it is never given one. */
export async function prepareDatabase(): Promise<{ stop: () => Promise<void> }> {
  loadEnv()
  if (process.env.DATABASE_URL) return { stop: async () => {} }
  if (process.env.NODE_ENV === 'production') throw new Error('DATABASE_URL is not set')
  const { url, stop } = await startPostgres()
  process.env.DATABASE_URL = url
  return { stop }
}
