import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { importSource } from './import-source.ts'

/** The schema after the last migration in a folder; null if there is none. */
function readLastSnapshot(migrations: string): object | null {
  const journal = join(migrations, 'meta', '_journal.json')
  if (!existsSync(journal)) return null
  const { entries } = JSON.parse(readFileSync(journal, 'utf8')) as { entries: { tag: string }[] }
  const prefix = entries.at(-1)?.tag.split('_')[0]
  return JSON.parse(readFileSync(join(migrations, 'meta', `${prefix}_snapshot.json`), 'utf8'))
}

const withoutIds = ({ id: _, prevId: __, _meta: ___, ...content }: Record<string, unknown>) => content

/** Whether a schema differs from the snapshot of its last migration. */
export async function isChanged(schema: Record<string, unknown>, snapshot: object | null): Promise<boolean> {
  const { generateDrizzleJson } = await import('drizzle-kit/api')
  // As JSON, because the snapshot was: without properties that are undefined.
  const present = JSON.parse(JSON.stringify(generateDrizzleJson(schema)))
  const before = snapshot ?? generateDrizzleJson({})
  return !isDeepStrictEqual(withoutIds(present), withoutIds(before as Record<string, unknown>))
}

/** The owners (core or modules) whose schema has changed since their last migration. */
export async function findOwnersWithoutMigration(root: string): Promise<string[]> {
  const files = ['src/core/db/schema.ts', ...globSync('src/app/*/schema.ts', { cwd: root })]
  const schemas = await importSource(...files)
  const owners = await Promise.all(
    files.map(async (file, index) => {
      const folder = dirname(file)
      const snapshot = readLastSnapshot(join(root, folder, '_migrations'))
      return (await isChanged({ ...schemas[index] }, snapshot)) ? [/\((.+)\)/.exec(folder)?.[1] ?? 'core'] : []
    }),
  )
  return owners.flat()
}
