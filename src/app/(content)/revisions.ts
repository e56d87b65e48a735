import 'server-only'
import { and, eq, gt, max, ne, sql } from 'drizzle-orm'
import type { Transaction } from '@/core/db/client'
import { ofScope } from '@/core/db/scoped'
import { AppError } from '@/core/errors'
import { writeImageUses } from './_images/image-uses'
import type { LockedPost } from './lock-post'
import type { Writer } from './policy'
import type { PostText } from './post-text'
import { revisions, textColumns } from './schema'

/** Saves by the same author go into the same revision for this long; then a new one is created. */
const revisionWindow = sql`interval '10 minutes'`

export async function readRevision(tx: Transaction, postId: string, number: number) {
  const [revision] = await tx
    .select(textColumns)
    .from(revisions)
    .where(and(ofScope(revisions.scopeId), eq(revisions.postId, postId), eq(revisions.number, number)))
  if (!revision) throw new AppError('not_found')
  return revision
}

type Content = PostText & { coverId: string | null }

/** Writes the new draft: into the open revision if it is recent and by the same author, otherwise into a new one. */
export async function writeText(...args: Parameters<typeof writeRevision>): Promise<number> {
  const [tx, post, , content] = args
  const number = await writeRevision(...args)
  await writeImageUses(tx, post.id, number, content.body)
  return number
}

async function writeRevision(
  tx: Transaction,
  post: LockedPost,
  actor: Writer,
  content: Content,
  options: { isNew?: boolean; isAside?: boolean; restoredFrom?: number } = {},
): Promise<number> {
  if (!options.isNew) {
    const [open] = await tx
      .update(revisions)
      .set({ ...content, restoredFrom: null, updatedAt: sql`now()` })
      .where(
        and(
          ofScope(revisions.scopeId),
          eq(revisions.postId, post.id),
          eq(revisions.number, post.draft),
          eq(revisions.authorId, actor.id),
          eq(revisions.isOpen, true),
          gt(revisions.createdAt, sql`now() - ${revisionWindow}`),
        ),
      )
      .returning({ number: revisions.number })
    if (open) return open.number
  }
  const [last] = await tx
    .select({ number: max(revisions.number) })
    .from(revisions)
    .where(and(ofScope(revisions.scopeId), eq(revisions.postId, post.id)))
  const number = (last?.number ?? 0) + 1
  const { isAside = false, restoredFrom } = options
  await tx
    .insert(revisions)
    .values({ ...content, postId: post.id, number, authorId: actor.id, isAside, isOpen: !isAside, restoredFrom })
  return number
}

/** Closes the open revisions: the trigger then rejects any change to them. */
export async function closeRevisions(tx: Transaction, postId: string, except?: number): Promise<void> {
  await tx
    .update(revisions)
    .set({ isOpen: false })
    .where(
      and(
        ofScope(revisions.scopeId),
        eq(revisions.postId, postId),
        eq(revisions.isOpen, true),
        except === undefined ? undefined : ne(revisions.number, except),
      ),
    )
}
