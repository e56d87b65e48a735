import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { tenantTables } from '@/tenant-tables'

interface StatementScope {
  /** The scope of the statements; undefined if they are about all scopes. */
  scopeId?: string
  /** Statements may name tenant tables outside a scope. */
  isAllowedOutside: boolean
}

// On globalThis, because pages, routes and instrumentation are separate bundles, and share the pool that checks statements.
const shared = globalThis as { plinthStatementScopes?: AsyncLocalStorage<StatementScope> }
shared.plinthStatementScopes ??= new AsyncLocalStorage()
const statementScopes = shared.plinthStatementScopes

/** Runs work whose statements are about one scope. */
export const withStatementScope = <Data>(scope: StatementScope, work: () => PromiseLike<Data>): Promise<Data> =>
  statementScopes.run(scope, async () => await work())

export const currentStatementScope = () => statementScopes.getStore()

/**
 * Runs statements that are about rows of all scopes, such as a clean-up or the export of a user. The reason is for the reader;
 * a test lists every use.
 * @public For modules with tenant tables.
 */
export const acrossScopes = <Data>(_reason: string, work: () => PromiseLike<Data>): Promise<Data> =>
  withStatementScope({ isAllowedOutside: true }, work)

const names = new Set(tenantTables)

/** The tenant table that each statement names. Texts are few, because values are parameters; lists of parameters vary. */
const tableByText = new Map<string, string | undefined>()

function findTenantTable(text: string): string | undefined {
  if (!tableByText.has(text)) {
    if (tableByText.size > 5_000) tableByText.clear()
    tableByText.set(
      text,
      text.match(/\w+/g)?.find((word) => names.has(word)),
    )
  }
  return tableByText.get(text)
}

/**
 * Throws for a statement that names a tenant table outside a scope: it would read or change rows of every scope. In tests it also
 * throws for one that has entered a scope but does not name the column, and so depends on row-level security alone.
 */
export function checkStatement(text: string, { isInScope }: { isInScope: boolean }): void {
  const table = findTenantTable(text)
  if (table === undefined) return
  const scope = currentStatementScope()
  if (!isInScope && !scope?.isAllowedOutside)
    throw new Error(`A statement names ${table} outside a scope: use inScope, readInScope or acrossScopes.`)
  if (process.env.VITEST && scope?.scopeId !== undefined && !text.includes('scope_id'))
    throw new Error(`A statement names ${table} without its column scope_id: add ofScope(…). ${text.slice(0, 200)}`)
}
