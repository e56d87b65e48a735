// The scope in which the matrix calls entry points. The module that has scopes brings the file matrix-scope.ts.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../../scripts/root.ts'
import type { Role } from '../../../src/core/auth/roles.ts'

type Query = (text: string, values?: unknown[]) => Promise<unknown>

/** Creates a scope with this admin and this member. Returns its slug. */
export type MakeScope = (query: Query, adminId: string, member?: { id: string; role: Role }) => Promise<string>

export async function findMakeScope(): Promise<MakeScope | null> {
  const [file] = globSync('src/app/*/matrix-scope.ts', { cwd: root })
  return file ? (await import(pathToFileURL(join(root, file)).href)).makeScope : null
}
