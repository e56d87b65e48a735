import { mergeKeys } from './merge.ts'
import { Refusal } from './refusal.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type Group = Record<string, Json>

const isGroup = (value: Json | undefined): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isSame = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a) === JSON.stringify(b)

/** Groups whose entries are a set: where an entry stands means nothing, so they are kept in order. */
const sorted = new Set(['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])

/** The template's package.json as an app has it. */
export function manifestFor(
  text: string,
  { name, version, unused, files }: { name: string; version: string; unused: string[]; files: Set<string> },
): string {
  const { description: _, license: __, ...manifest } = JSON.parse(text) as Group
  const drop = (group: Json | undefined) =>
    Object.fromEntries(Object.entries(isGroup(group) ? group : {}).filter(([pack]) => !unused.includes(pack)))
  const dependencies = drop(manifest.dependencies)
  const devDependencies = inOrder({ ...drop(manifest.devDependencies), 'create-plinth': version })
  const scripts = Object.entries(isGroup(manifest.scripts) ? manifest.scripts : {}).filter(([, command]) =>
    runsWhatIsThere(String(command), files),
  )
  return write({
    ...manifest,
    name,
    version: '0.1.0',
    scripts: { ...Object.fromEntries(scripts), plinth: 'create-plinth' },
    dependencies,
    devDependencies,
    overrides: withoutDangling(manifest.overrides, { ...dependencies, ...devDependencies }),
  })
}

/** A script that runs a file of the template's own workshop has no place in an app. */
const runsWhatIsThere = (command: string, files: Set<string>) =>
  [...command.matchAll(/\bnode (\S+\.m?[jt]s)\b/g)].every(([, file = '']) => files.has(file))

/** An override that repeats the version of a package ("$name") is an error once the package is gone. */
function withoutDangling(value: Json | undefined, packages: Group): Json {
  if (!isGroup(value)) return value ?? {}
  const kept = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
    if (typeof inner === 'string') return inner.startsWith('$') && !(inner.slice(1) in packages) ? [] : [[key, inner]]
    const rest = withoutDangling(inner, packages)
    return isGroup(rest) && Object.keys(rest).length === 0 ? [] : [[key, rest]]
  })
  return Object.fromEntries(kept)
}

const inOrder = (group: Group): Group =>
  Object.fromEntries(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))

const write = (manifest: Group, indent: string | number = 2) => `${JSON.stringify(manifest, null, indent)}\n`

/** Merges entry by entry: a script of theirs beside one of ours is no conflict, two versions of one package are. */
export function mergeManifest(texts: { base: string; next: string; user: string }): { base: string; next: string } {
  const [base, next] = [JSON.parse(texts.base) as Group, JSON.parse(texts.next) as Group]
  const user = parseOwn(texts.user)
  const merged = mergeGroups(base, next, user)
  const indent = /^[ \t]+(?=")/m.exec(texts.user)?.[0] ?? 2
  // What nobody touched stays as it is, to the byte.
  const asWas = (manifest: Group) => (isSame(manifest, user) ? texts.user : write(manifest, indent))
  return { base: asWas(merged.base), next: asWas(merged.next) }
}

function parseOwn(text: string): Group {
  try {
    return JSON.parse(text) as Group
  } catch {
    throw new Refusal('package.json is not valid JSON. Mend and commit it first.')
  }
}

function mergeGroups(base: Group, next: Group, user: Group): { base: Group; next: Group } {
  // Groups that all three have, or two of them and the third not yet, are merged within; everything else as a whole.
  const inner = [...new Set([...Object.keys(base), ...Object.keys(next)])].filter(
    (key) => isGroup(user[key]) && isGroup(next[key]) && (base[key] === undefined || isGroup(base[key])),
  )
  const outer = (group: Group) => new Map(Object.entries(group).filter(([key]) => !inner.includes(key)))
  const merged = mergeKeys(outer(base), outer(next), new Map(Object.entries(user)), isSame)
  const results = { base: Object.fromEntries(merged.base), next: Object.fromEntries(merged.next) }
  for (const key of inner) {
    const [was, becomes, is] = [base[key] ?? {}, next[key], user[key]] as [Group, Group, Group]
    const within = mergeGroups(was, becomes, is)
    const isSorted = sorted.has(key) && isSame(Object.keys(is), Object.keys(inOrder(is)))
    results.base[key] = isSorted ? inOrder(within.base) : within.base
    results.next[key] = isSorted ? inOrder(within.next) : within.next
  }
  return results
}
