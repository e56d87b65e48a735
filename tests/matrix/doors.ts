// Every door of the app, and who may go through it: what the source says, resolved through the modules' permissions.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { importSource } from '../../scripts/source.ts'
import { everyAction } from '../hostile/actions.ts'

export const roles = ['viewer', 'editor', 'admin'] as const
type Role = (typeof roles)[number]

/** Who may: everybody, or those with one of these roles, because of that permission. */
export type Access = 'public' | { permission: string; roles: readonly Role[] }

export interface Door {
  kind: 'action' | 'handler' | 'page'
  /** The action's name, or method and address, or address. */
  name: string
  file: string
  access: Access
  method?: string
  address?: string
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Policy {
  permissions: Readonly<Record<string, readonly Role[]>>
}

const policies = new Map<string, Policy>()

/** The table of the policy that a file takes its `can` from. */
async function policyOf(file: string): Promise<Policy> {
  const from = /^import \{[^}]*\bcan\b[^}]*\} from '([^']+)'$/m.exec(read(file))?.[1]
  if (!from?.startsWith('.')) throw new Error(`${file} takes "can" from nowhere that is known`)
  const path = `${join(dirname(file), from)}.ts`
  const known = policies.get(path) ?? (await importSource(path))[0]
  policies.set(path, known)
  return known
}

/** Who may, in the words of one `define…({ … })`. Whatever else somebody writes there is nothing that can be told. */
async function accessOf(file: string, name: string, definition: string): Promise<Access> {
  const [, isPublic] = /^define(Public)?(?:Action|Handler)\(\{/.exec(definition) ?? []
  if (isPublic) return 'public'
  const allows = [...definition.matchAll(/^\s*allow: (.+),$/gm)].map((match) => match[1] ?? '')
  const permission = /^can\('([\w.]+)'\)$/.exec(allows[0] ?? '')?.[1]
  if (allows.length !== 1 || (allows[0] !== 'signedIn' && !permission))
    throw new Error(`nobody can tell who may call ${name} in ${file}: allow is ${allows.join(' and ') || 'missing'}`)
  if (!permission) return { permission: 'signed_in', roles }
  const holders = (await policyOf(file)).permissions[permission]
  if (!holders) throw new Error(`${name} in ${file} asks for ${permission}, which its policy does not have`)
  return { permission, roles: holders }
}

/** From its beginning to the bracket that ends it, which stands as far in as the line it began on. */
function definitionAt(text: string, start: number): string {
  const line = text.slice(text.lastIndexOf('\n', start) + 1)
  const indent = /^\s*/.exec(line)?.[0] ?? ''
  const rest = text.slice(start)
  const oneLine = /^.*\}\),?$/m.exec(rest.slice(0, rest.indexOf('\n')))?.[0]
  return oneLine ?? rest.slice(0, rest.search(new RegExp(`^${indent}\\}\\)`, 'm')))
}

async function actionDoors(): Promise<Door[]> {
  const doors: Door[] = []
  for (const { name, file } of everyAction()) {
    const text = read(file)
    const before = `export const ${name} = `
    const start = text.indexOf(before)
    if (start < 0) throw new Error(`${file} has no action ${name}`)
    const access = await accessOf(file, name, definitionAt(text, start + before.length))
    doors.push({ kind: 'action', name, file, access })
  }
  return doors
}

/** Where a route file answers. Names in brackets stand for something that there is not. */
const addressOf = (file: string) =>
  dirname(file)
    .replace(/^src\/app/, '')
    .replaceAll(/\/\([^)]*\)/g, '')
    .replaceAll(/\[\[?\.\.\.\w+\]\]?/g, 'nothing-of-that-name')
    .replaceAll(/\[\w+\]/g, () => crypto.randomUUID())

async function handlerDoors(): Promise<Door[]> {
  const doors: Door[] = []
  const files = globSync('src/app/**/route.{ts,tsx}', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  for (const file of files.sort()) {
    const text = read(file)
    const inside = text.slice(text.indexOf('= defineRoute({'))
    const offered = methods.flatMap((method) => {
      const found = new RegExp(`^ {2}${method}: (\\w+)`, 'm').exec(inside)
      return found ? [{ method, maker: found[1] ?? '', at: text.indexOf(inside) + found.index }] : []
    })
    if (offered.length === 0) throw new Error(`nobody can tell what ${file} answers`)
    for (const { method, maker, at } of offered) {
      const isNamed = !maker.startsWith('define')
      const before = isNamed ? `const ${maker} = ` : `${method}: `
      const start = text.indexOf(before, isNamed ? 0 : at)
      if (start < 0) throw new Error(`nobody can tell what answers ${method} in ${file}`)
      const address = addressOf(file)
      const name = `${method} ${dirname(file)
        .replace(/^src\/app/, '')
        .replaceAll(/\/\([^)]*\)/g, '')}`
      const access = await accessOf(file, name, definitionAt(text, start + before.length))
      doors.push({ kind: 'handler', name, file, access, method, address })
      if (method === 'GET')
        doors.push({ kind: 'handler', name: name.replace('GET', 'HEAD'), file, access, method: 'HEAD', address })
    }
  }
  return doors
}

/**
 * Pages that ask for a permission. One that stands under a layout which asks for one must do so itself: Next can show it
 * without the layout. `[id]` in its address stands for somebody.
 */
async function pageDoors(): Promise<Door[]> {
  const doors: Door[] = []
  const files = globSync('src/app/**/{page,layout}.tsx', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  const guarded = files.filter((file) => file.endsWith('layout.tsx') && /\bcan\('/.test(read(file))).map(dirname)
  for (const file of files.filter((name) => name.endsWith('page.tsx')).sort()) {
    const permission = /\brequirePermission\(can\('([\w.]+)'\)/.exec(read(file))?.[1]
    const name = dirname(file)
      .replace(/^src\/app/, '')
      .replaceAll(/\/\([^)]*\)/g, '')
    if (!permission) {
      if (guarded.some((folder) => file.startsWith(`${folder}/`))) throw new Error(`${file} asks for no permission`)
      continue
    }
    const holders = (await policyOf(file)).permissions[permission]
    if (!holders) throw new Error(`${file} asks for ${permission}, which its policy does not have`)
    doors.push({ kind: 'page', name, file, access: { permission, roles: holders }, address: name })
  }
  return doors
}

/** Every action of the build, every handler and every guarded page of the file tree. Fails for one that cannot be told. */
export const everyDoor = async (): Promise<Door[]> => [
  ...(await actionDoors()),
  ...(await handlerDoors()),
  ...(await pageDoors()),
]

/**
 * Permissions that a module declares and nobody asks for: the door that they were meant for asks for something else. Those
 * that depend on whose thing it is are asked for behind the door.
 */
export async function idlePermissions(doors: Door[]): Promise<string[]> {
  const [{ modules }] = await importSource('src/modules.ts')
  const declared: string[] = modules.flatMap(({ permissions }: Partial<Policy>) => Object.keys(permissions ?? {}))
  const asked = new Set(doors.map(({ access }) => (access === 'public' ? 'public' : access.permission)))
  const sources = globSync('src/app/**/*.ts', { cwd: root })
    .filter((file) => !/(policy|module|\.test|\.e2e)\.ts$/.test(file))
    .map(read)
  const isAsked = (permission: string) =>
    asked.has(permission) || sources.some((text) => text.includes(`can('${permission}')`))
  return declared.filter((permission) => !isAsked(permission))
}
