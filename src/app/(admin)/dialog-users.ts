import 'server-only'
import { asc, eq, inArray } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { modules } from '@/modules'

/** The parameters of a page. */
export type Query = Record<string, string | string[] | undefined>

const columns = {
  id: users.id,
  name: users.name,
  email: users.email,
  role: users.role,
  suspendedAt: users.suspendedAt,
}

/** What a dialog about a user shows; null if there is no such user. */
export async function findDialogUser(id: string) {
  if (!z.uuid().safeParse(id).success) return null
  const [user] = await db.select(columns).from(users).where(eq(users.id, id))
  return user ?? null
}

export type DialogUser = NonNullable<Awaited<ReturnType<typeof findDialogUser>>>

export async function hasSecondFactor(userId: string): Promise<boolean> {
  const found = await Promise.all(modules.map((module) => module.secondFactor?.(userId)))
  return found.some((secondFactor) => secondFactor && !secondFactor.needsSetup)
}

/** The ids in `?ids=`, which a form repeats and a link separates with commas. At most 100, as in the actions. */
export function selectedIds({ ids }: Query): string[] {
  const given = [ids ?? []].flat().flatMap((text) => text.toLowerCase().split(','))
  return [...new Set(given)].filter((id) => z.uuid().safeParse(id).success).slice(0, 100)
}

export const findSelectedUsers = (ids: string[]) =>
  db.select(columns).from(users).where(inArray(users.id, ids)).orderBy(asc(users.name), asc(users.id))
