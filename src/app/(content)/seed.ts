import 'server-only'
import { eq } from 'drizzle-orm'
import type { Database } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { guide } from './guide'
import { createPost, savePost } from './posts'
import { posts } from './schema'

/** The guide, published by the seeded editor. Where there is any post already, nothing is added. */
export async function seedPosts(db: Database): Promise<void> {
  const [some] = await db.select({ id: posts.id }).from(posts).limit(1)
  const [editor] = await db.select({ id: users.id }).from(users).where(eq(users.email, 'editor@example.com'))
  if (some || !editor) return
  const actor = { id: editor.id, role: 'editor' } as const
  // The first one is read first, so it comes last.
  for (const text of guide.toReversed()) {
    const id = await createPost(actor, text.title)
    await savePost(actor, { id, version: 1, text, step: 'publish' })
  }
}
