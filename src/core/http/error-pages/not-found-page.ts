import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ErrorPage } from './replace-document'

/**
 * The static 404 page of the build, with the policy that scripts/postbuild.ts wrote for it. Null if the build has no such page,
 * or no policy for it.
 */
export function readNotFoundPage(folder: string = process.cwd()): ErrorPage | null {
  const read = (file: string) => readFileSync(join(folder, '.next', file))
  try {
    const html = read('server/app/_not-found.html')
    const policy = JSON.parse(read('server/app/_not-found.meta').toString()).headers?.['Content-Security-Policy']
    return policy ? { html, gzip: gzipSync(html), policy } : null
  } catch {
    return null
  }
}
