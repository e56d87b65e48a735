import 'server-only'
import { and, inArray } from 'drizzle-orm'
import type { Route } from 'next'
import { z } from 'zod'
import { isAllowed } from '@/core/auth/policy'
import type { Actor } from '@/core/auth/session/actor'
import { ofScope, readInScope } from '@/core/db/scoped'
import type { AuditSubject } from '@/core/module-ui'
import { can } from './policy'
import { posts } from './schema'

/** The posts that audit events are about, for readers who may open all of them. */
export async function findPostsOfEvents(reader: Actor, ids: string[]): Promise<Map<string, AuditSubject>> {
  const valid = ids.filter((id) => z.uuid().safeParse(id).success)
  if (valid.length === 0 || !isAllowed(reader.role, can('posts.write_others'))) return new Map()
  // Those of the app itself: an admin of the app sees nothing that is in an organization.
  const [found] = await readInScope(null, (db) => [
    db
      .select({ id: posts.id, title: posts.title })
      .from(posts)
      .where(and(ofScope(posts.scopeId), inArray(posts.id, valid))),
  ])
  return new Map(found.map(({ id, title }) => [id, { label: title || 'Untitled', href: `/content/${id}` as Route }]))
}
