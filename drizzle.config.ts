import { existsSync } from 'node:fs'
import { defineConfig } from 'drizzle-kit'

// `npm run db:generate -- <owner>` generates the next migration of one owner: core, or the name of a module.
const owner = process.env.DB_OWNER ?? 'core'
const folder = owner === 'core' ? 'src/core/db' : `src/app/(${owner})`
if (!existsSync(`${folder}/schema.ts`)) throw new Error(`${folder}/schema.ts does not exist: "${owner}" has no tables`)

export default defineConfig({
  dialect: 'postgresql',
  schema: `${folder}/schema.ts`,
  out: `${folder}/_migrations`,
  // In an app, what continues a history that came with Plinth has a time as prefix, so that it never gets the number of a
  // migration that an upgrade brings. The repository of the template has no plinth.json.
  migrations: { prefix: existsSync(`${folder}/_migrations`) && existsSync('plinth.json') ? 'timestamp' : 'index' },
})
