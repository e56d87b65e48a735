import 'server-only'
import { and, eq, isNull } from 'drizzle-orm'
import { isAllowed } from '@/core/auth/policy'
import type { Database } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { seedUsers } from '@/core/db/seed-users'
import { acrossScopes } from '@/core/db/tenant-check'
import { guide } from './guide'
import { can } from './policy'
import { createPost, savePost } from './posts'
import { posts } from './schema'

/** Publishes the guide as a seeded user: the one with the lowest role that may. Does nothing if there is any post already. */
export async function seedPosts(db: Database): Promise<void> {
  const author = seedUsers.findLast(({ role }) => isAllowed(role, can('posts.publish')))
  if (!author) return
  const [some] = await acrossScopes('any post at all', () => db.select({ id: posts.id }).from(posts).limit(1))
  const [user] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, author.email), eq(users.role, author.role), isNull(users.suspendedAt)))
  if (some || !user) return
  const actor = { id: user.id, role: author.role }
  // Lists are newest first, so the first post of the guide is published last.
  for (const text of guide.toReversed()) {
    const id = await createPost(actor, text.title)
    await savePost(actor, { id, version: 1, text, step: 'publish' })
  }
}
