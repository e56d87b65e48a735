interface Entry {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  [key: string]: unknown
}
interface Lockfile {
  packages: Record<string, Entry>
  [key: string]: unknown
}

/** Prunes npm's lockfile for a package.json with fewer dependencies: removes packages that are no longer required. */
export function pruneLockfile(text: string, manifestText: string): string {
  const lockfile = JSON.parse(text) as Lockfile
  const { name, version, dependencies, devDependencies, engines } = JSON.parse(manifestText) as Entry
  const { packages } = lockfile
  const root = packages[''] ?? {}
  const pick = (wanted: Record<string, string> = {}, had: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(had).filter(([pack]) => pack in wanted))
  // create-plinth itself is not in the lockfile, because its checksum is not known before it is packed. npm adds it.
  const rootEntry: Entry = {
    ...root,
    name,
    version,
    engines,
    dependencies: pick(dependencies, root.dependencies),
    devDependencies: pick(devDependencies, root.devDependencies),
  }
  delete rootEntry.license
  const reachable = reachablePaths(packages, rootEntry)
  const rest = Object.entries(packages).filter(([path]) => reachable.has(path))
  return `${JSON.stringify({ ...lockfile, name, version, packages: { '': rootEntry, ...Object.fromEntries(rest) } }, null, 2)}\n`
}

/**
 * Adds to the lockfile of an app what its package.json requires and the template has locked. Without it, npm would take
 * the newest versions, which nobody has tested together.
 */
export function addLockedPackages(text: string, templateText: string, manifestText: string): string {
  const lockfile = JSON.parse(text) as Lockfile
  const packages = { ...(JSON.parse(templateText) as Lockfile).packages, ...lockfile.packages }
  const reachable = reachablePaths(packages, JSON.parse(manifestText) as Entry)
  const kept = Object.entries(packages)
    .filter(([path]) => path in lockfile.packages || reachable.has(path))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(kept) }, null, 2)}\n`
}

/** The paths of all packages that the root package requires, directly or not. */
function reachablePaths(packages: Record<string, Entry>, root: Entry): Set<string> {
  const reachable = new Set<string>()
  const visit = (from: string, entry: Entry) => {
    const peers = Object.keys(entry.peerDependencies ?? {}).filter(
      (pack) => !entry.peerDependenciesMeta?.[pack]?.optional,
    )
    const required = {
      ...entry.dependencies,
      ...entry.optionalDependencies,
      ...(from === '' ? entry.devDependencies : {}),
    }
    for (const pack of [...Object.keys(required), ...peers]) {
      const path = resolve(packages, from, pack)
      const found = path === undefined ? undefined : packages[path]
      if (path === undefined || !found || reachable.has(path)) continue
      reachable.add(path)
      visit(path, found)
    }
  }
  visit('', root)
  return reachable
}

/** Resolves a dependency like Node: in the package's own node_modules, or further up. */
function resolve(packages: Record<string, Entry>, from: string, pack: string): string | undefined {
  for (let parent = from; ; parent = parent.slice(0, Math.max(parent.lastIndexOf('/node_modules/'), 0))) {
    const path = parent === '' ? `node_modules/${pack}` : `${parent}/node_modules/${pack}`
    if (path in packages) return path
    if (parent === '') return
  }
}
