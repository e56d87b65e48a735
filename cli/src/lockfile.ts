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

/** npm's lockfile for a package.json with fewer packages: what nothing leads to any more is left out. */
export function pruneLockfile(text: string, manifestText: string): string {
  const lockfile = JSON.parse(text) as Lockfile
  const { name, version, dependencies, devDependencies, engines } = JSON.parse(manifestText) as Entry
  const { packages } = lockfile
  const root = packages[''] ?? {}
  const pick = (wanted: Record<string, string> = {}, had: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(had).filter(([pack]) => pack in wanted))
  // The command-line tool itself is not in it: its checksum cannot be known before it is packed. npm adds it.
  const kept: Entry = {
    ...root,
    name,
    version,
    engines,
    dependencies: pick(dependencies, root.dependencies),
    devDependencies: pick(devDependencies, root.devDependencies),
  }
  delete kept.license
  const reached = new Set<string>()
  const visit = (from: string, entry: Entry) => {
    const peers = Object.keys(entry.peerDependencies ?? {}).filter(
      (pack) => !entry.peerDependenciesMeta?.[pack]?.optional,
    )
    const own = { ...entry.dependencies, ...entry.optionalDependencies, ...(from === '' ? entry.devDependencies : {}) }
    for (const pack of [...Object.keys(own), ...peers]) {
      const path = resolve(packages, from, pack)
      const found = path === undefined ? undefined : packages[path]
      if (path === undefined || !found || reached.has(path)) continue
      reached.add(path)
      visit(path, found)
    }
  }
  visit('', kept)
  const rest = Object.entries(packages).filter(([path]) => reached.has(path))
  return `${JSON.stringify({ ...lockfile, name, version, packages: { '': kept, ...Object.fromEntries(rest) } }, null, 2)}\n`
}

/** Where a package finds another: beside its own packages, or further up. */
function resolve(packages: Record<string, Entry>, from: string, pack: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    const path = place === '' ? `node_modules/${pack}` : `${place}/node_modules/${pack}`
    if (path in packages) return path
    if (place === '') return
  }
}
