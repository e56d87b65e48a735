import { changeSource } from '../support/recipes.ts'

export const newName = { name: 'Fruit & Sons', slug: 'fruit-sons' }

/** Renames a created app as its owner does: in src/brand.ts only. */
export function renameApp(folder: string): void {
  changeSource(folder, 'src/brand.ts', /appName = '[^']+'/, `appName = '${newName.name}'`)
  changeSource(folder, 'src/brand.ts', /appSlug = '[^']+'/, `appSlug = '${newName.slug}'`)
}

/** Everything of a response that a browser gets. */
const allOf = async (response: Response) =>
  `${[...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${await response.text()}`

const filesIn = (page: string) =>
  [...page.matchAll(/(?:src|href)="(\/(?:_next\/static|icon|apple-icon|manifest)[^"]*)"/g)].map(([, path = '']) =>
    path.replaceAll('&amp;', '&'),
  )

/**
 * Opens these paths, and the scripts, styles, icons and the manifest that they load. Returns where the name of the template is, and
 * whether the new name was seen.
 */
export async function searchServed(
  get: (path: string) => Promise<Response>,
  paths: string[],
): Promise<{ leftovers: string[]; isRenamed: boolean }> {
  const waiting = [...paths]
  const seen = new Set<string>()
  const leftovers: string[] = []
  let isRenamed = false
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const text = await allOf(await get(path))
    isRenamed ||= text.includes('Fruit &amp; Sons')
    for (const [found] of text.matchAll(/.{0,40}plinth.{0,40}/gi)) leftovers.push(`${path}: ${found}`)
    waiting.push(...filesIn(text))
  }
  return { leftovers, isRenamed }
}
