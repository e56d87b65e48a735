import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../../scripts/root.ts'

/** Paths of the routes (`route`: API, `page`: pages) in this build. Dynamic segments are filled with random UUIDs; intercepting routes have no path of their own. */
export function routePaths(kind: 'route' | 'page'): string[] {
  const listed: Record<string, string> = JSON.parse(
    readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8'),
  )
  return Object.entries(listed)
    .filter(([file, route]) => file.endsWith(`/${kind}`) && !/^\/_|\[\.\.\.|\[\[|\(\.\)/.test(route))
    .map(([, route]) => route.replace(/\[\w+\]/g, crypto.randomUUID()))
}
