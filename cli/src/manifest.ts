import { CliError } from './cli-error.ts'
import { mergeKeys } from './merge.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type Group = Record<string, Json>

const isGroup = (value: Json | undefined): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isSame = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a) === JSON.stringify(b)

/** Groups whose order has no meaning, so they are kept sorted. */
const sorted = new Set(['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])

/** The package.json of a created app, from that of the template. */
export function manifestFor(
  text: string,
  { name, version, unused, files }: { name: string; version: string; unused: string[]; files: Set<string> },
): string {
  const { description: _, license: __, ...manifest } = JSON.parse(text) as Group
  const drop = (group: Json | undefined) =>
    Object.fromEntries(Object.entries(isGroup(group) ? group : {}).filter(([pack]) => !unused.includes(pack)))
  const dependencies = drop(manifest.dependencies)
  const devDependencies = sortKeys({ ...drop(manifest.devDependencies), 'create-plinth': version })
  const scripts = Object.entries(isGroup(manifest.scripts) ? manifest.scripts : {}).filter(([, command]) =>
    runsExistingFile(String(command), files),
  )
  return write({
    ...manifest,
    name,
    version: '0.1.0',
    scripts: { ...Object.fromEntries(scripts), plinth: 'plinth' },
    dependencies,
    devDependencies,
    overrides: withoutDanglingOverrides(manifest.overrides, { ...dependencies, ...devDependencies }),
  })
}

/** Whether the file that a script runs exists in the app. Scripts for files of the template only are removed. */
const runsExistingFile = (command: string, files: Set<string>) =>
  [...command.matchAll(/\bnode (?:--\S+ )*(\S+\.m?[jt]s)\b/g)].every(([, file = '']) => files.has(file))

/** Removes overrides that refer to the version of a removed package ("$name"), which npm rejects. */
function withoutDanglingOverrides(value: Json | undefined, packages: Group): Json {
  if (!isGroup(value)) return value ?? {}
  const kept = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
    if (typeof inner === 'string') return inner.startsWith('$') && !(inner.slice(1) in packages) ? [] : [[key, inner]]
    const rest = withoutDanglingOverrides(inner, packages)
    return isGroup(rest) && Object.keys(rest).length === 0 ? [] : [[key, rest]]
  })
  return Object.fromEntries(kept)
}

const sortKeys = (group: Group): Group =>
  Object.fromEntries(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))

const write = (manifest: Group, indent: string | number = 2) => `${JSON.stringify(manifest, null, indent)}\n`

/** Merges entry by entry: a script of the user beside one of ours is no conflict, two versions of one package are. */
export function mergeManifest(texts: { base: string; next: string; user: string }): { base: string; next: string } {
  const [base, next] = [JSON.parse(texts.base) as Group, JSON.parse(texts.next) as Group]
  const user = parseUserManifest(texts.user)
  const merged = mergeGroups(base, next, user)
  const indent = /^[ \t]+(?=")/m.exec(texts.user)?.[0] ?? 2
  // Without any change, the text stays byte-identical.
  const unchangedOr = (manifest: Group) => (isSame(manifest, user) ? texts.user : write(manifest, indent))
  return { base: unchangedOr(merged.base), next: unchangedOr(merged.next) }
}

function parseUserManifest(text: string): Group {
  try {
    return JSON.parse(text) as Group
  } catch {
    throw new CliError('package.json isn’t valid JSON. Fix and commit it first.')
  }
}

function mergeGroups(base: Group, next: Group, user: Group): { base: Group; next: Group } {
  // Groups that user and template both have (and the base either has or lacks) are merged recursively; everything else is
  // merged as a whole.
  const inner = [...new Set([...Object.keys(base), ...Object.keys(next)])].filter(
    (key) => isGroup(user[key]) && isGroup(next[key]) && (base[key] === undefined || isGroup(base[key])),
  )
  const outer = (group: Group) => new Map(Object.entries(group).filter(([key]) => !inner.includes(key)))
  const merged = mergeKeys(outer(base), outer(next), new Map(Object.entries(user)), isSame)
  const results = { base: Object.fromEntries(merged.base), next: Object.fromEntries(merged.next) }
  for (const key of inner) {
    const [was, becomes, is] = [base[key] ?? {}, next[key], user[key]] as [Group, Group, Group]
    const within = mergeGroups(was, becomes, is)
    const isSorted = sorted.has(key) && isSame(Object.keys(is), Object.keys(sortKeys(is)))
    results.base[key] = isSorted ? sortKeys(within.base) : within.base
    results.next[key] = isSorted ? sortKeys(within.next) : within.next
  }
  return results
}
