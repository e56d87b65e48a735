import 'server-only'
import { type Handler, handlersOf } from '@/core/handler'
import type { Operation } from '@/core/operation'
import { modules } from '@/modules'
import { findScopeProvider } from '@/scope-provider'

// Every route file is documented. Loaded lazily, because the openapi.json route imports this file: a cycle otherwise.
const files = import.meta.glob<Parameters<typeof handlersOf>[0]>('/src/app/**/route.ts')

export interface DocumentedOperation {
  /** In OpenAPI notation: `/api/things/{id}`. */
  path: string
  method: ReturnType<typeof handlersOf>[number]['method']
  /** `Core`, or the title of the module that the route belongs to. */
  owner: string
  access: Handler['access']
  dependsOnCaller: boolean
  isCatchAll: boolean
  operation: Operation
}

/** `/src/app/(shop)/api/things/[id]/route.ts` belongs to shop and has the path `/api/things/{id}`. */
export function parseRouteFile(file: string): { owner: string; path: string; isCatchAll: boolean } {
  const folders = file.split('/').slice(3, -1)
  const name = /^\((.+)\)$/.exec(folders[0] ?? '')?.[1]
  const catchAll = /^\[\[?\.\.\..+\]$/
  return {
    owner: modules.find((module) => module.name === name)?.title ?? 'Core',
    path: `/${folders
      .filter((folder) => !folder.startsWith('(') && !catchAll.test(folder))
      .map((folder) => folder.replace(/^\[(.+)\]$/, '{$1}'))
      .join('/')}`,
    isCatchAll: folders.some((folder) => catchAll.test(folder)),
  }
}

/** All documented operations, core first. A catch-all contributes only its declared `paths`. */
export async function findOperations(): Promise<DocumentedOperation[]> {
  const found: DocumentedOperation[] = []
  for (const [file, load] of Object.entries(files)) {
    const { owner, path, isCatchAll } = parseRouteFile(file)
    // Without a module that has scopes, these routes respond 404 to everyone.
    if (path.includes('{scope}') && !findScopeProvider()) continue
    for (const { method, handler } of handlersOf(await load())) {
      const { access, operation } = handler
      const { paths = {}, dependsOnCaller = false } = operation
      const each = isCatchAll
        ? Object.entries(paths).map(([below, one]) => ({ path: `${path}/${below}`, operation: one }))
        : [{ path, operation }]
      found.push(...each.map((one) => ({ ...one, method, owner, access, dependsOnCaller, isCatchAll })))
    }
  }
  const isCore = ({ owner }: DocumentedOperation) => owner === 'Core'
  const order = (a: DocumentedOperation, b: DocumentedOperation) =>
    Number(isCore(b)) - Number(isCore(a)) || compare(a.owner, b.owner) || compare(a.path, b.path)
  return found.sort(order)
}

const compare = (a: string, b: string) => a.localeCompare(b, 'en')
