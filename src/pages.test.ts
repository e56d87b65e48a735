import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/root.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = globSync('src/app/**/page.tsx', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

/** The source file that an import of another one means. */
function resolve(from: string, name: string): string | undefined {
  const path = name.startsWith('@/') ? `src/${name.slice(2)}` : name.startsWith('.') ? join(dirname(from), name) : ''
  return ['', '.ts', '.tsx']
    .map((end) => path + end)
    .find((file) => /\.tsx?$/.test(file) && existsSync(join(root, file)))
}

/** The file that queries the database for a page: the page itself, or one of its owner that it imports. */
function findQuery(file: string, seen = new Set<string>()): string | undefined {
  if (seen.has(file)) return
  seen.add(file)
  const text = read(file)
  // Actions have rules of their own.
  if (/^'use (client|server)'/.test(text)) return
  const imports = [...text.matchAll(/^(?:import|export)(?! type)\b[^'"]*from '([^']+)'/gm)].flatMap(
    ([, name = '']) => resolve(file, name) ?? [],
  )
  if (imports.some((one) => /^src\/core\/db\/(client|in-transaction)\.ts$/.test(one))) return file
  for (const one of imports) {
    const found = one.startsWith('src/app/') ? findQuery(one, seen) : undefined
    if (found) return found
  }
}

/** Whether a page asks who is calling, or says that it need not. */
const asksOrIsPublic = (text: string) =>
  /\brequire(Permission|Reauthenticated)\(|^export const access = 'public'$/m.test(text)

/** The page itself, or the one that it shows at another URL. */
function shownPage(page: string): string {
  const [, name] = /^export \{ default\b[^}]*\} from '([^']+)'/m.exec(read(page)) ?? []
  return (name && resolve(page, name)) || page
}

test('a page that queries the database asks who is calling, or says that everybody may see it', () => {
  const unguarded = pages.flatMap((page) => {
    const query = asksOrIsPublic(read(shownPage(page))) ? undefined : findQuery(page)
    return query
      ? `${page} shows what ${query} reads, but does not ask who is calling. Call "await requirePermission(can('…'), path)" first, or write "export const access = 'public'" if everybody may see it.`
      : []
  })
  expect(unguarded).toEqual([])
})

test('the rule recognizes a query, and both ways to follow it', () => {
  expect(findQuery('src/core/db/seed.ts')).toBe('src/core/db/seed.ts')
  expect(asksOrIsPublic('export default async function Page() {\n  return db.select()\n}')).toBe(false)
  expect(asksOrIsPublic("export const access = 'public'\n")).toBe(true)
  expect(asksOrIsPublic("  const actor = await requirePermission(can('notes.read'), '/notes')")).toBe(true)
})
