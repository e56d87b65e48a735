import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface RoutesManifest {
  staticRoutes: { page: string }[]
  dynamicRoutes: { page: string }[]
}

type ActionsManifest = { node: Record<string, { exportedName?: string }> }

/** Reads a manifest of Next's build. In development it may not exist yet. */
function readManifest<T>(file: string, fallback: T): T {
  try {
    return JSON.parse(readFileSync(join(process.cwd(), '.next', file), 'utf8')) as T
  } catch {
    return fallback
  }
}

/** Finds the route of a URL. Returns only known routes or `none`, so that the number of metric series stays bounded. */
export function routeFinder(
  manifest: RoutesManifest = readManifest('routes-manifest.json', { staticRoutes: [], dynamicRoutes: [] }),
): (url: string) => string {
  const staticPaths = new Set(manifest.staticRoutes.map(({ page }) => page))
  const dynamic = manifest.dynamicRoutes.map(({ page }) => ({ page, parts: page.split('/') }))
  return (url) => {
    const [path = '/'] = url.split('?', 1)
    if (path.startsWith('/_next/')) return '/_next'
    if (staticPaths.has(path)) return path
    const segments = path.split('/')
    return dynamic.find(({ parts }) => matches(parts, segments))?.page ?? 'none'
  }
}

/** `[id]` matches one segment, `[...rest]` one or more, `[[...rest]]` zero or more. */
function matches(parts: string[], segments: string[]): boolean {
  const last = parts.at(-1) ?? ''
  const minSegments = last.startsWith('[[...') ? parts.length - 1 : parts.length
  const isCatchAll = /^\[{1,2}\.\.\./.test(last)
  if (segments.length < minSegments || (!isCatchAll && segments.length > minSegments)) return false
  return parts.every((part, index) => part.startsWith('[') || part === segments[index])
}

let names: Map<string, string> | undefined

/** The export name of a server action; Next identifies it by an id that changes with every build. */
export function actionName(action: object): string {
  names ??= new Map(
    Object.entries(readManifest<ActionsManifest>('server/server-reference-manifest.json', { node: {} }).node).map(
      ([id, { exportedName = 'unknown' }]) => [id, exportedName],
    ),
  )
  const id = '$$id' in action ? String(action.$$id) : ''
  return names.get(id) ?? 'unknown'
}
