// Is package-lock.json complete for every platform, free of registry hosts, and are versions exact? A mirror that lags
// behind can leave out the binaries of other platforms without a word; `npm ci` then fails on somebody else's machine.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

interface Package {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  optionalDependencies?: Record<string, string>
}

interface Lockfile {
  packages: Record<string, Package>
}

export function lockfileProblems(
  lockfile: Lockfile,
  manifest: Record<string, Record<string, string> | undefined>,
): string[] {
  const names = new Set(
    Object.keys(lockfile.packages).map((path) =>
      path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    ),
  )
  const problems: string[] = []
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    if (path === '') continue
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!names.has(name))
        problems.push(`${path} wants ${name} on some platform, and the lockfile has no entry for it`)
    }
    if (!entry.link && !entry.integrity) problems.push(`${path} has no checksum`)
    if (entry.resolved) problems.push(`${path} names where it was downloaded; npm must leave that out (see .npmrc)`)
  }
  for (const kind of ['dependencies', 'devDependencies']) {
    for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
      if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        problems.push(`${name} is "${version}" in package.json: pin it exactly`)
    }
  }
  return problems
}

if (import.meta.main) {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const problems = lockfileProblems(read('package-lock.json'), read('package.json'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
  console.log('The lockfile is complete for all platforms.')
}
