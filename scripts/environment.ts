// Prepares what scripts that run the app need: a .env, created on first use, and a database.
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { envFile, loadEnv } from './env-file.ts'
import { startPostgres } from './postgres.ts'

/** A readable password without ambiguous characters such as 0 and o. */
function readablePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return [group(), group(), group()].join('-')
}

function writeEnvFile(): void {
  const lines = [
    '# Created by "npm run dev" for this machine. Never commit it. .env.example explains every setting.',
    `AUTH_SECRET=${randomBytes(33).toString('base64url')}`,
    '',
    '# The password of the seeded users, in development only.',
    `DEV_PASSWORD=${readablePassword()}`,
    '',
    '# Empty: a PostgreSQL from npm, with its data in .data/.',
    'DATABASE_URL=',
    '',
  ]
  writeFileSync(envFile, lines.join('\n'), { mode: 0o600 })
  console.log('Created .env with new secrets.')
}

/** For development: creates .env if it does not exist, and starts the PostgreSQL from npm if DATABASE_URL is empty. */
export async function prepareDevelopment(): Promise<{ stop: () => Promise<void> }> {
  if (!existsSync(envFile)) writeEnvFile()
  return prepareDatabase()
}

/** Ensures that DATABASE_URL is set. In production it must be configured; no PostgreSQL is started there. */
export async function prepareDatabase(): Promise<{ stop: () => Promise<void> }> {
  loadEnv()
  if (process.env.DATABASE_URL) return { stop: async () => {} }
  if (process.env.NODE_ENV === 'production') throw new Error('DATABASE_URL is not set')
  const { url, stop } = await startPostgres()
  process.env.DATABASE_URL = url
  return { stop }
}
