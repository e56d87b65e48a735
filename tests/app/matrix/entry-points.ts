// Lists every entry point of the app (actions, handlers, guarded pages) with its access rule, read from the source.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importSource } from '../../../scripts/import-source.ts'
import { root } from '../../../scripts/root.ts'
import { type Role, roles } from '../../../src/core/auth/roles.ts'
import { listActions } from '../support/server-actions.ts'

/** Where a permission is decided: by the role in the app, in the scope that the request names, or in either. */
export type DecidedIn = 'app' | 'scope' | 'scope or app'

/** Who may call an entry point: everybody, or the roles that have the permission. */
export type Access = 'public' | { permission: string; roles: readonly Role[]; where: DecidedIn }

export interface EntryPoint {
  kind: 'action' | 'handler' | 'page'
  /** The action's name, the handler's method and path, or the page's path. */
  name: string
  file: string
  access: Access
  method?: string
  path?: string
}

/** The role in the app decides: for one in a scope, callers who are no member of it get `not_found`. */
export const isDecidedInApp = ({ access, path = '' }: EntryPoint) =>
  access === 'public' || (access.where !== 'scope' && !path.includes('[scope]'))

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Entry = readonly Role[] | { where: DecidedIn; roles: readonly Role[] }

interface Policy {
  permissions: Readonly<Record<string, Entry>>
}

/** A permission of a policy. One that is decided in a scope cannot be required where the path has no scope. */
function accessFor(permission: string, entry: Entry, path?: string): Access {
  const { where, roles: allowedRoles } = 'where' in entry ? entry : { where: 'app' as const, roles: entry }
  if (where === 'scope' && path !== undefined && !path.includes('/[scope]'))
    throw new Error(`${path} requires ${permission}, which is decided in a scope, but the path names none`)
  return { permission, roles: allowedRoles, where }
}

const policies = new Map<string, Policy>()

/** The policy that a file imports `can` from. */
async function policyOf(file: string): Promise<Policy> {
  const from = /^import \{[^}]*\bcan\b[^}]*\} from '([^']+)'$/m.exec(read(file))?.[1]
  if (!from?.startsWith('.')) throw new Error(`${file} does not import "can" from a relative path`)
  const path = `${join(dirname(file), from)}.ts`
  const known = policies.get(path) ?? (await importSource(path))[0]
  if (!known.permissions) throw new Error(`${path} does not export "permissions"`)
  policies.set(path, known)
  return known
}

/** Reads `allow` from the source of one `define…({ … })`. Throws for any form that it cannot parse. */
async function accessOf(file: string, name: string, definition: string, path?: string): Promise<Access> {
  const [, isPublic] = /^define(Public)?(?:Action|Handler)\(\{/.exec(definition) ?? []
  if (isPublic) return 'public'
  const allows = [...definition.matchAll(/^\s*allow: (.+),$/gm)].map((match) => match[1] ?? '')
  const permission = /^can\('([\w.]+)'\)$/.exec(allows[0] ?? '')?.[1]
  if (allows.length !== 1 || (allows[0] !== 'signedIn' && !permission))
    throw new Error(`cannot determine who may call ${name} in ${file}: allow is ${allows.join(' and ') || 'missing'}`)
  if (!permission) return { permission: 'signed_in', roles, where: 'app' }
  const entry = (await policyOf(file)).permissions[permission]
  if (!entry) throw new Error(`${name} in ${file} requires ${permission}, which its policy does not define`)
  return accessFor(permission, entry, path)
}

/** The source text from `start` to the closing bracket with the same indentation as the first line. */
function definitionAt(text: string, start: number): string {
  const line = text.slice(text.lastIndexOf('\n', start) + 1)
  const indent = /^\s*/.exec(line)?.[0] ?? ''
  const rest = text.slice(start)
  const oneLine = /^.*\}\),?$/m.exec(rest.slice(0, rest.indexOf('\n')))?.[0]
  return oneLine ?? rest.slice(0, rest.search(new RegExp(`^${indent}\\}\\)`, 'm')))
}

async function actionEntryPoints(): Promise<EntryPoint[]> {
  const entryPoints: EntryPoint[] = []
  for (const { name, file } of listActions()) {
    const text = read(file)
    const before = `export const ${name} = `
    const start = text.indexOf(before)
    if (start < 0) throw new Error(`${file} has no action ${name}`)
    const access = await accessOf(file, name, definitionAt(text, start + before.length))
    entryPoints.push({ kind: 'action', name, file, access })
  }
  return entryPoints
}

/** The URL path of a route file. Parameters are filled with values that do not exist. */
const pathOf = (file: string) =>
  dirname(file)
    .replace(/^src\/app/, '')
    .replaceAll(/\/\([^)]*\)/g, '')
    .replaceAll(/\[\[?\.\.\.\w+\]\]?/g, 'nothing-of-that-name')
    .replaceAll(/\[(?!scope\])\w+\]/g, () => crypto.randomUUID())

async function handlerEntryPoints(): Promise<EntryPoint[]> {
  const entryPoints: EntryPoint[] = []
  const files = globSync('src/app/**/route.{ts,tsx}', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  for (const file of files.sort()) {
    const text = read(file)
    const inside = text.slice(text.indexOf('= defineRoute({'))
    const offered = methods.flatMap((method) => {
      const found = new RegExp(`^ {2}${method}: (\\w+)`, 'm').exec(inside)
      return found ? [{ method, maker: found[1] ?? '', at: text.indexOf(inside) + found.index }] : []
    })
    if (offered.length === 0) throw new Error(`cannot determine the methods of ${file}`)
    for (const { method, maker: factory, at } of offered) {
      const isNamed = !factory.startsWith('define')
      const before = isNamed ? `const ${factory} = ` : `${method}: `
      const start = text.indexOf(before, isNamed ? 0 : at)
      if (start < 0) throw new Error(`cannot find the handler of ${method} in ${file}`)
      const path = pathOf(file)
      const name = `${method} ${dirname(file)
        .replace(/^src\/app/, '')
        .replaceAll(/\/\([^)]*\)/g, '')}`
      const access = await accessOf(file, name, definitionAt(text, start + before.length), file)
      entryPoints.push({ kind: 'handler', name, file, access, method, path })
      if (method === 'GET')
        entryPoints.push({ kind: 'handler', name: name.replace('GET', 'HEAD'), file, access, method: 'HEAD', path })
    }
  }
  return entryPoints
}

/** The file that defines a page: the page itself, or the one that it exports again. */
function sourceOf(file: string): string {
  const from = /^export \{[^}]*\bdefault\b[^}]*\} from '([./][^']+\/page)'$/m.exec(read(file))?.[1]
  return from ? `${join(dirname(file), from)}.tsx` : file
}

/**
 * Pages that require a permission. A page below a layout that checks one must check it itself, because Next can render a page
 * without its layout. That includes what a parallel slot shows, such as a dialog, unless it shows nothing; but a slot has no
 * URL of its own to request. `[id]` in the path is replaced later.
 */
async function pageEntryPoints(): Promise<EntryPoint[]> {
  const entryPoints: EntryPoint[] = []
  const files = globSync('src/app/**/{page,layout}.tsx', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  const guarded = files.filter((file) => file.endsWith('layout.tsx') && /\bcan\('/.test(read(file))).map(dirname)
  for (const file of files.filter((name) => name.endsWith('page.tsx')).sort()) {
    const source = sourceOf(file)
    const permission = /\brequirePermission\(can\('([\w.]+)'\)/.exec(read(source))?.[1]
    const name = dirname(file)
      .replace(/^src\/app/, '')
      .replaceAll(/\/\([^)]*\)/g, '')
    if (!permission) {
      if (file.includes('/@') && /^export \{ default \} from '[./]+\/default'$/m.test(read(file))) continue
      if (guarded.some((folder) => file.startsWith(`${folder}/`)))
        throw new Error(`${file} requires no permission, but its layout does`)
      continue
    }
    const entry = (await policyOf(source)).permissions[permission]
    if (!entry) throw new Error(`${file} requires ${permission}, which its policy does not define`)
    const access = accessFor(permission, entry, name)
    if (file.includes('/@')) continue
    const path = name.replace('[tab]', () => userTabs()[0] ?? '')
    if (!path.endsWith('/')) entryPoints.push({ kind: 'page', name, file, access, path })
  }
  return entryPoints
}

/** The slugs of the tabs that modules add to the page of a user. */
const userTabs = () =>
  globSync('src/app/*/ui.tsx', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/\bslug: '(\w+)'/g)].map(([, slug]) => slug),
  )

/** Every action of the build, and every handler and guarded page of the file tree. Throws if an access rule is unclear. */
export const findEntryPoints = async (): Promise<EntryPoint[]> => [
  ...(await actionEntryPoints()),
  ...(await handlerEntryPoints()),
  ...(await pageEntryPoints()),
]

/**
 * Permissions that a module declares but no code checks: probably an entry point checks the wrong one. Permissions that depend
 * on the owner of an object are checked inside the action, so the sources are searched as well.
 */
export async function unusedPermissions(entryPoints: EntryPoint[]): Promise<string[]> {
  const [{ modules }] = await importSource('src/modules.ts')
  const declared: string[] = modules.flatMap(({ permissions }: Partial<Policy>) => Object.keys(permissions ?? {}))
  const required = new Set(entryPoints.map(({ access }) => (access === 'public' ? 'public' : access.permission)))
  const sources = globSync('src/app/**/*.ts', { cwd: root })
    .filter((file) => !/(policy|module|\.test|\.e2e)\.ts$/.test(file))
    .map(read)
  const isRequired = (permission: string) =>
    required.has(permission) || sources.some((text) => text.includes(`can('${permission}')`))
  return declared.filter((permission) => !isRequired(permission))
}
