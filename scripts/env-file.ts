import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

export const envFile = join(root, '.env')

/** Loads .env; variables that are already set in the environment win. */
export function loadEnv(): void {
  if (existsSync(envFile)) process.loadEnvFile(envFile)
}
