// Makes what Next compiles again for every request shorter: the pattern of the proxy, and the rewrites of intercepting routes.

interface Node {
  isEnd: boolean
  next: Map<string, Node>
}

const newNode = (): Node => ({ isEnd: false, next: new Map() })

const parameter = '([^/]+?)'
/** What Next writes for a path of literal segments and parameters that are one segment each. */
const simplePattern = /^\^((?:\/(?:[\w~()-]|\\.|\(\[\^\/\]\+\?\))+)+)\(\?:\/\)\?\$$/
/** No path has it. */
const placeholder = '\u0000'

/** The segments of a pattern; null if it is not simple. */
function segmentsOf(pattern: string): string[] | null {
  const path = simplePattern.exec(pattern)?.[1]?.replaceAll(parameter, placeholder)
  // A parenthesis that is not escaped is a group.
  if (path === undefined || /(?<!\\)[()]/.test(path)) return null
  return path
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll(placeholder, '[^/]+').replaceAll('\\-', '-'))
}

/** The rest of the paths after this node, as a pattern. */
function write({ isEnd, next }: Node): string {
  const branches = [...next].map(([segment, node]) => `${segment}${write(node)}`)
  if (branches.length === 0) return ''
  const choice = branches.length === 1 ? `/${branches[0]}` : `/(?:${branches.join('|')})`
  return isEnd ? `(?:${choice})?` : choice
}

/** A pattern for these paths, given as the patterns of their segments. Common beginnings are in it once. */
function writePaths(paths: string[][]): string {
  const start = newNode()
  for (const segments of paths) {
    let node = start
    for (const segment of segments) {
      const known = node.next.get(segment) ?? newNode()
      node.next.set(segment, known)
      node = known
    }
    node.isEnd = true
  }
  return write(start)
}

/**
 * One pattern that matches the same paths as these, without their groups. Next compiles it again for every request, which takes
 * longer than matching: the pattern of a hundred pages was a twelfth of the cost of a small request.
 */
export function joinPatterns(patterns: string[]): string {
  const paths = patterns.map(segmentsOf)
  const simple = paths.filter((segments) => segments !== null)
  const others = patterns.filter((_, index) => paths[index] === null)
  return [...(simple.length > 0 ? [`^${writePaths(simple)}/?$`] : []), ...others].join('|')
}

export interface Rewrite {
  source: string
  destination: string
  regex: string
  has?: { type: string; key: string; value?: string }[]
  [name: string]: unknown
}

const marker = '(.)'

/** Splits a rewrite to `/base/(.)rest` from `/base/rest`; null for any other rewrite. */
function splitInterception({ source, destination, has }: Rewrite): { base: string; rest: string } | null {
  const [base = '', rest] = destination.split(marker)
  const isPlain = rest !== undefined && source === base + rest && /^(?:[\w~/-]|:nxtP\w+)+$/.test(rest)
  return isPlain && has?.length === 1 && has[0]?.key.toLowerCase() === 'next-url' ? { base, rest } : null
}

/**
 * One rewrite for all intercepting routes at the same place. Next compiles every rewrite again for every request, also for those
 * to the API: 23 of them were a tenth of the cost of a small request. A path in another case is not found, as without `Next-Url`.
 */
export function mergeInterceptions(rewrites: Rewrite[]): Rewrite[] {
  const groups = new Map<string, { first: Rewrite; base: string; rests: string[] }>()
  const others: Rewrite[] = []
  for (const rewrite of rewrites) {
    const split = splitInterception(rewrite)
    if (!split) {
      others.push(rewrite)
      continue
    }
    const key = JSON.stringify([split.base, rewrite.has])
    const group = groups.get(key) ?? { first: rewrite, base: split.base, rests: [] }
    group.rests.push(split.rest)
    groups.set(key, group)
  }
  const merged = [...groups.values()].map(({ first, base, rests }): Rewrite => {
    if (rests.length === 1) return first
    const segments = rests.map((rest) => rest.split('/').map((part) => (part.startsWith(':') ? '[^/]+?' : part)))
    const choice = writePaths(segments).slice(1)
    return {
      ...first,
      source: `${base}:nxtPintercepted(${choice})`,
      destination: `${base}${marker}:nxtPintercepted`,
      regex: `^${base}(${choice})(?:/)?$`,
    }
  })
  return [...others, ...merged]
}
