import 'server-only'
import { type Handler, handlersOf } from '@/core/handler'
import type { Operation } from '@/core/operation'
import { modules } from '@/modules'

// Described means: the file is there, as with modules. Loaded when it is asked for, because one of them asks for this.
const files = import.meta.glob<Parameters<typeof handlersOf>[0]>('/src/app/**/route.ts')

export interface Described {
  /** As OpenAPI writes it: `/api/things/{id}`. */
  path: string
  method: ReturnType<typeof handlersOf>[number]['method']
  /** Core, or the title of the module that it belongs to. */
  owner: string
  access: Handler['access']
  looksAtCaller: boolean
  isCatchAll: boolean
  operation: Operation
}

/** `/src/app/(shop)/api/things/[id]/route.ts` belongs to shop and answers at `/api/things/{id}`. */
export function addressOf(file: string): { owner: string; path: string; isCatchAll: boolean } {
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

/** Everything that the app answers, core first. A catch-all is what it says it is, and nothing where it says nothing. */
export async function findDescribed(): Promise<Described[]> {
  const found: Described[] = []
  for (const [file, load] of Object.entries(files)) {
    const { owner, path, isCatchAll } = addressOf(file)
    for (const { method, handler } of handlersOf(await load())) {
      const { access, operation } = handler
      const { paths = {}, looksAtCaller = false } = operation
      const each = isCatchAll
        ? Object.entries(paths).map(([below, one]) => ({ path: `${path}/${below}`, operation: one }))
        : [{ path, operation }]
      found.push(...each.map((one) => ({ ...one, method, owner, access, looksAtCaller, isCatchAll })))
    }
  }
  const isCore = ({ owner }: Described) => owner === 'Core'
  const order = (a: Described, b: Described) =>
    Number(isCore(b)) - Number(isCore(a)) || compare(a.owner, b.owner) || compare(a.path, b.path)
  return found.sort(order)
}

const compare = (a: string, b: string) => a.localeCompare(b, 'en')
