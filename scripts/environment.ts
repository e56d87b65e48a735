// What every script that runs the app needs: settings from .env, made on first use, and a database.
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from './postgres.ts'
import { root } from './root.ts'

const file = join(root, '.env')

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
  writeFileSync(file, lines.join('\n'), { mode: 0o600 })
}

/** Reads .env; what the environment says already, wins. */
export function loadEnv(): void {
  if (existsSync(file)) process.loadEnvFile(file)
}

/** Sets process.env.DATABASE_URL, starting the database from npm when nothing else is named. */
export async function prepareEnvironment(): Promise<{ stop: () => Promise<void> }> {
  if (!existsSync(file)) {
    writeEnvFile()
    console.log('Made .env with fresh secrets.')
  }
  loadEnv()
  if (process.env.DATABASE_URL) return { stop: async () => {} }
  const { url, stop } = await startPostgres()
  process.env.DATABASE_URL = url
  return { stop }
}
