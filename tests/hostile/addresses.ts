import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'

/** Addresses of one kind of file in this build: a `route` is the API, a `page` is a page. What is in brackets is made up. */
export function addressesOf(kind: 'route' | 'page'): string[] {
  const listed: Record<string, string> = JSON.parse(
    readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8'),
  )
  return Object.entries(listed)
    .filter(([file, route]) => file.endsWith(`/${kind}`) && !/^\/_|\[\.\.\.|\[\[/.test(route))
    .map(([, route]) => route.replace(/\[\w+\]/g, crypto.randomUUID()))
}
