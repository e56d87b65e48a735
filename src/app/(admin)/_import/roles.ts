import 'server-only'
import { and, count, eq, isNull } from 'drizzle-orm'
import { type Role, roleLabel, roles } from '@/core/auth/roles'
import { type Database, db } from '@/core/db/client'
import { importRows } from '../schema'

export type RoleCount = { role: Role; count: number }

/** How many users get each role, from the highest to the lowest. Only before the start: rows that are imported are deleted. */
export async function countRoles(importId: string, source: Pick<Database, 'select'> = db): Promise<RoleCount[]> {
  const found = await source
    .select({ role: importRows.role, count: count() })
    .from(importRows)
    .where(and(eq(importRows.importId, importId), isNull(importRows.problem)))
    .groupBy(importRows.role)
  const counts = new Map(found.map((row) => [row.role, row.count]))
  return roles.toReversed().map((role) => ({ role, count: counts.get(role) ?? 0 }))
}

/** "2 admins, 1 viewer". */
export const describeRoles = (counts: RoleCount[]): string =>
  counts
    .filter(({ count }) => count > 0)
    .map(({ role, count }) => `${count.toLocaleString('en')} ${roleLabel(role).toLowerCase()}${count === 1 ? '' : 's'}`)
    .join(', ')
