import 'server-only'
import { describeApi } from './document'
import type { OperationEntry } from './match-operations'
import type { Call } from './samples'

/** The operations of core, or of one module. */
interface Group {
  title: string
  /** The anchor on the page. */
  id: string
  calls: Call[]
}

let groups: Promise<Group[]> | undefined

/** Every operation, by owner. Built once per process: routes change at runtime only in development. */
export function findGroups(): Promise<Group[]> {
  if (process.env.NODE_ENV === 'development') groups = undefined
  groups ??= loadGroups()
  return groups
}

async function loadGroups(): Promise<Group[]> {
  const { paths, tags, components } = await describeApi()
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]): Call => ({ method: method.toUpperCase(), path, operation, named: components.schemas }),
    ),
  )
  return tags.map(({ name }) => ({
    title: name,
    id: `of-${name.toLowerCase().replaceAll(/\W+/g, '-')}`,
    calls: calls.filter(({ operation }) => operation.tags[0] === name),
  }))
}

export const entryOf = ({ method, path, operation }: Call): OperationEntry => ({
  id: operation.operationId,
  method,
  path,
  summary: operation.summary,
})
