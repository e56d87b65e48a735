import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface RoutesOfBuild {
  staticRoutes: { page: string }[]
  dynamicRoutes: { page: string }[]
}

type ActionsOfBuild = { node: Record<string, { exportedName?: string }> }

/** What a build has written about itself. Development writes it as it goes, so there nothing may be there yet. */
function readFromBuild<T>(file: string, otherwise: T): T {
  try {
    return JSON.parse(readFileSync(join(process.cwd(), '.next', file), 'utf8')) as T
  } catch {
    return otherwise
  }
}

/** Which route answers an address. There are as many answers as routes, whatever is asked for. */
export function routeFinder(
  build: RoutesOfBuild = readFromBuild('routes-manifest.json', { staticRoutes: [], dynamicRoutes: [] }),
): (url: string) => string {
  const fixed = new Set(build.staticRoutes.map(({ page }) => page))
  const dynamic = build.dynamicRoutes.map(({ page }) => ({ page, parts: page.split('/') }))
  return (url) => {
    const [path = '/'] = url.split('?', 1)
    if (path.startsWith('/_next/')) return '/_next'
    if (fixed.has(path)) return path
    const given = path.split('/')
    return dynamic.find(({ parts }) => fits(parts, given))?.page ?? 'none'
  }
}

/** `[id]` is any one part, `[...rest]` all that follow, `[[...rest]]` those or none. */
function fits(parts: string[], given: string[]): boolean {
  const last = parts.at(-1) ?? ''
  const least = last.startsWith('[[...') ? parts.length - 1 : parts.length
  const isOpen = /^\[{1,2}\.\.\./.test(last)
  if (given.length < least || (!isOpen && given.length > least)) return false
  return parts.every((part, index) => part.startsWith('[') || part === given[index])
}

let names: Map<string, string> | undefined

/** The name under which an action is exported; Next calls it by an id that changes with every build. */
export function actionName(action: object): string {
  names ??= new Map(
    Object.entries(readFromBuild<ActionsOfBuild>('server/server-reference-manifest.json', { node: {} }).node).map(
      ([id, { exportedName = 'unknown' }]) => [id, exportedName],
    ),
  )
  const id = '$$id' in action ? String(action.$$id) : ''
  return names.get(id) ?? 'unknown'
}
