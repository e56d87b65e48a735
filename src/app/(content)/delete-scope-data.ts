import 'server-only'
import { eq, inArray } from 'drizzle-orm'
import type { Transaction } from '@/core/db/client'
import { posts, published } from './schema'

/** First, because a published row has a foreign key to a revision that does not cascade. The rest goes with the posts. */
export async function deleteScopeData(tx: Transaction, scopeId: string): Promise<void> {
  const ofThatScope = tx.select({ id: posts.id }).from(posts).where(eq(posts.scopeId, scopeId))
  await tx.delete(published).where(inArray(published.postId, ofThatScope))
}
