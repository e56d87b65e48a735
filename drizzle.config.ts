import { existsSync } from 'node:fs'
import { defineConfig } from 'drizzle-kit'

// `npm run db:generate -- <owner>` writes the next migration of one owner: core, or a module by its name.
const owner = process.env.DB_OWNER ?? 'core'
const folder = owner === 'core' ? 'src/core/db' : `src/app/(${owner})`
if (!existsSync(`${folder}/schema.ts`)) throw new Error(`${folder}/schema.ts does not exist: "${owner}" has no tables`)

export default defineConfig({
  dialect: 'postgresql',
  schema: `${folder}/schema.ts`,
  out: `${folder}/_migrations`,
})
