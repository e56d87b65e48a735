import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

export const envFile = join(root, '.env')

/** Reads .env; what the environment says already, wins. */
export function loadEnv(): void {
  if (existsSync(envFile)) process.loadEnvFile(envFile)
}
