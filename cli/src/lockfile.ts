import { gt, satisfies } from 'semver'

interface Entry {
  version?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  [key: string]: unknown
}
type Packages = Record<string, Entry>
interface Lockfile {
  packages: Packages
  [key: string]: unknown
}

/**
 * npm's lockfile for a package.json with fewer dependencies: without packages that are no longer required. It never has
 * create-plinth itself, whose checksum is not known before it is packed: npm adds it.
 */
export function pruneLockfile(text: string, manifestText: string): string {
  const lockfile = JSON.parse(text) as Lockfile
  const manifest = JSON.parse(manifestText) as Entry
  return write(lockfile, manifest, lockfile.packages)
}

/**
 * Merges npm's lockfile by package, so that an app gets the versions that were tested together, whatever was published
 * since: packages that come are those of the template, and what the user has added or raised stays. Null if the lockfile
 * cannot be merged.
 */
export function mergeLockfile(
  texts: { base: string; next: string; user: string },
  manifestText: string,
): string | null {
  const [base, next, user] = [parse(texts.base), parse(texts.next), parse(texts.user)]
  if (!base || !next || !user) return null
  const manifest = JSON.parse(manifestText) as Entry
  const packages: Packages = {}
  for (const path of new Set([...Object.keys(user.packages), ...Object.keys(next.packages)])) {
    const entry = choose(base.packages[path], next.packages[path], user.packages[path])
    if (entry) packages[path] = entry
  }
  completePackages(packages, manifest, [next.packages, user.packages])
  const indent = /^[ \t]+(?=")/m.exec(texts.user)?.[0]
  return write(user, manifest, packages, indent)
}

function parse(text: string): Lockfile | null {
  try {
    const lockfile = JSON.parse(text) as Partial<Lockfile>
    return lockfile.packages ? { ...lockfile, packages: lockfile.packages } : null
  } catch {
    return null
  }
}

/** The entry at a path: the template's, unless the user has added or raised the package. */
function choose(was: Entry | undefined, becomes: Entry | undefined, is: Entry | undefined): Entry | undefined {
  if (!is) return becomes
  if (!was) return is
  if (is.version === was.version) return becomes
  if (!becomes || becomes.version === was.version) return is
  return is.version && becomes.version && gt(becomes.version, is.version) ? becomes : is
}

/**
 * Adds what is required but missing, or there in a version that does not fit, as one of the locks has it: a package of the
 * user and one of the template may need different versions of a third.
 */
function completePackages(packages: Packages, manifest: Entry, locks: Packages[]): void {
  const origins = new Map<string, { lock: Packages; path: string }[]>()
  const originsOf = (path: string) =>
    origins.get(path) ??
    locks.filter((lock) => lock[path]?.version === packages[path]?.version).map((lock) => ({ lock, path }))
  walk(packages, manifest, (from, { name, range, isPeer }) => {
    // What npm has chosen for the same requirement is right, even if an override makes it another version than required.
    const chosen = (from === '' ? locks.map((lock) => ({ lock, path: '' })) : originsOf(from)).flatMap((origin) => {
      const path = resolve(origin.lock, origin.path, name)
      const isSame = requirement(origin.lock[origin.path], name) === range
      return path !== undefined && isSame ? [{ lock: origin.lock, path }] : []
    })
    const [better] = chosen
    const path = resolve(packages, from, name)
    const entry = path === undefined ? undefined : packages[path]
    const fits =
      entry &&
      (chosen.some((one) => one.lock[one.path]?.version === entry.version) || satisfies(entry.version ?? '', range))
    if (fits) return path
    if (better && (!entry || !isPeer)) {
      const place = pathFor(packages, from, name, better.path)
      packages[place] = better.lock[better.path] ?? {}
      origins.set(place, [better])
      return place
    }
    // For npm to add with a checksum. A new version of create-plinth is such a package.
    if (path !== undefined && from === '') delete packages[path]
    return path
  })
}

/** Where a package that `from` requires is stored: where its lock has it, if that is free, or with the one that needs it. */
function pathFor(packages: Packages, from: string, name: string, preferred: string): string {
  if (!(preferred in packages) && resolve({ ...packages, [preferred]: {} }, from, name) === preferred) return preferred
  return from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`
}

interface Requirement {
  name: string
  range: string
  isPeer: boolean
}

function requirementsOf(entry: Entry, isRoot: boolean): Requirement[] {
  const peers = Object.entries(entry.peerDependencies ?? {}).filter(
    ([name]) => !entry.peerDependenciesMeta?.[name]?.optional,
  )
  const own = { ...entry.dependencies, ...entry.optionalDependencies, ...(isRoot && entry.devDependencies) }
  return [
    ...Object.entries(own).map(([name, range]) => ({ name, range, isPeer: false })),
    ...peers.map(([name, range]) => ({ name, range, isPeer: true })),
  ]
}

const requirement = (entry: Entry | undefined, name: string) =>
  requirementsOf(entry ?? {}, true).find((one) => one.name === name)?.range

/** The paths of all packages that the root package requires, directly or not. `find` says where a requirement is met. */
function walk(
  packages: Packages,
  root: Entry,
  find = (from: string, { name }: Requirement) => resolve(packages, from, name),
): Set<string> {
  const reached = new Set<string>()
  const reach = (path: string | undefined) => {
    const entry = path === undefined ? undefined : packages[path]
    if (path === undefined || !entry || reached.has(path)) return
    reached.add(path)
    // A link leads to a folder of the app, such as a workspace.
    if (entry.link) reach(String(entry.resolved))
    else visit(path, entry)
  }
  const visit = (from: string, entry: Entry) => {
    for (const one of requirementsOf(entry, from === '')) reach(find(from, one))
  }
  visit('', root)
  if (root.workspaces) for (const path of Object.keys(packages)) if (packages[path]?.link) reach(path)
  return reached
}

/** Resolves a dependency like Node: in the package's own node_modules, or further up. */
function resolve(packages: Packages, from: string, name: string): string | undefined {
  for (let parent = from; ; parent = parent.slice(0, Math.max(parent.lastIndexOf('/node_modules/'), 0))) {
    const path = parent === '' ? `node_modules/${name}` : `${parent}/node_modules/${name}`
    if (path in packages) return path
    if (parent === '') return
  }
}

/** What npm copies from package.json into the lockfile. */
const rootKeys = [
  ...['name', 'version', 'license', 'engines', 'bin', 'workspaces', 'peerDependenciesMeta'],
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'],
]

/** The text of the lockfile as npm would write it: what the manifest requires, in npm's order. */
function write(lockfile: Lockfile, manifest: Entry, packages: Packages, indent: string | number = 2): string {
  const { name, version } = manifest
  const root: Entry = { ...lockfile.packages[''] }
  for (const key of rootKeys) {
    delete root[key]
    if (manifest[key] !== undefined) root[key] = manifest[key]
  }
  const required = walk(packages, manifest)
  const { devDependencies: _, ...production } = manifest
  const inProduction = walk(packages, production)
  const entries = Object.entries(packages)
    .filter(([path]) => required.has(path))
    .map(([path, { dev: __, ...entry }]) => [
      path,
      inProduction.has(path) || entry.devOptional ? entry : { ...entry, dev: true },
    ])
  const all = { ...lockfile, name, version, packages: { '': root, ...Object.fromEntries(entries) } }
  return `${JSON.stringify(inOrder(all), null, indent)}\n`
}

const firstKeys = [
  'name',
  'version',
  'lockfileVersion',
  'resolved',
  'integrity',
  'requires',
  'packages',
  'dependencies',
]
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sorts keys as npm does: objects last, and some keys first. */
function inOrder(value: unknown): unknown {
  if (!isObject(value)) return value
  const rank = ([key, inner]: [string, unknown]) =>
    (isObject(inner) ? 100 : 0) + (firstKeys.includes(key) ? firstKeys.indexOf(key) : firstKeys.length)
  const entries = Object.entries(value).sort((a, b) => rank(a) - rank(b) || a[0].localeCompare(b[0], 'en'))
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]))
}
