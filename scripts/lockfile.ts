// Checks that package-lock.json is complete for every platform and free of registry hosts, and that versions are exact and
// not too old. An outdated npm mirror can silently omit the binaries of other platforms; `npm ci` then fails on those.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minimumVersionProblem } from './minimum-versions.ts'
import { root } from './root.ts'
import { showUsage } from './show-usage.mjs'

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

interface Manifest {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  /** Install scripts that npm may run. Every package with a script must be reviewed and denied here: it must work without. */
  allowScripts?: Record<string, boolean>
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

export function lockfileProblems(lockfile: Lockfile, manifest: Manifest): string[] {
  const names = new Set(Object.keys(lockfile.packages).map(nameOf))
  const problems: string[] = []
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    if (path === '') continue
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!names.has(name))
        problems.push(`${path} needs ${name} on some platform, but the lockfile has no entry for it`)
    }
    if (!entry.link && !entry.integrity) problems.push(`${path} has no checksum`)
    if (entry.hasInstallScript && manifest.allowScripts?.[nameOf(path)] !== false) {
      const denyCommand = `npm install-scripts deny ${nameOf(path)}`
      problems.push(`${path} has an install script. Check that it works without, then run: ${denyCommand}`)
    }
    problems.push(...minimumVersionProblem(nameOf(path), entry.version ?? '', path))
    if (entry.resolved) problems.push(`${path} has a download URL that npm must omit (see .npmrc)`)
  }
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
      if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        problems.push(`${name} is "${version}" in package.json. Pin an exact version`)
      else problems.push(...minimumVersionProblem(name, version, `${name} in package.json`))
    }
  }
  return problems
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  showUsage('npm run lockfile')
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const otherLockfile = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock'].find((file) => existsSync(join(root, file)))
  const problems = lockfileProblems(otherLockfile ? { packages: {} } : read('package-lock.json'), read('package.json'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
  console.log(
    otherLockfile
      ? `Versions are exact. ${otherLockfile} wasn’t checked.`
      : 'The lockfile is complete for all platforms.',
  )
}
