import 'server-only'
import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm'
import { isAllowed } from '@/core/auth/policy'
import { db, type Transaction } from '@/core/db/client'
import { isInApp, ofScope, readInScope } from '@/core/db/scoped'
import { imageIdsOf } from '../markdown'
import { can, type Writer } from '../policy'
import { images, imageUses, posts, published } from '../schema'

/**
 * Records which images a revision embeds. Called whenever its text was written. The library belongs to the app itself: an image in
 * a post of an organization is not recorded, so publishing the post does not make it public.
 */
export async function writeImageUses(tx: Transaction, postId: string, number: number, body: string): Promise<void> {
  await tx.delete(imageUses).where(and(eq(imageUses.postId, postId), eq(imageUses.number, number)))
  const ids = imageIdsOf(body)
  if (ids.length === 0 || !isInApp()) return
  // Locked, so that no image is deleted before this transaction ends.
  const found = await tx
    .select({ id: images.id })
    .from(images)
    .where(inArray(images.id, ids))
    .orderBy(asc(images.id))
    .for('key share')
  if (found.length > 0) await tx.insert(imageUses).values(found.map(({ id }) => ({ postId, number, imageId: id })))
}

/** Whether a published text embeds the image. */
export async function isImagePublic(imageId: string): Promise<boolean> {
  const [use] = await db
    .select({ postId: imageUses.postId })
    .from(imageUses)
    .innerJoin(published, and(eq(published.postId, imageUses.postId), eq(published.number, imageUses.number)))
    .where(eq(imageUses.imageId, imageId))
    .limit(1)
  return use !== undefined
}

/** A post that embeds an image: in its published text, in its draft, or only in an older version. */
export interface ImageUse {
  postId: string
  /** Null if the reader may not open the post. */
  title: string | null
  isPublic: boolean
  isInDraft: boolean
}

/** Where an image is used. */
export interface ImageUses {
  /** Whether a published text embeds it. */
  isPublic: boolean
  /** How many posts embed it. */
  count: number
  /** Those that were changed last. */
  posts: ImageUse[]
}
export const unused: ImageUses = { isPublic: false, count: 0, posts: [] }

/** At most this many posts of each image are listed. */
const maxListed = 5

/** The posts that embed images, by image. Has no entry for an image that no post embeds. */
export async function findImageUses(reader: Writer, imageIds: string[]): Promise<Map<string, ImageUses>> {
  if (imageIds.length === 0) return new Map()
  const isPublic = sql<boolean>`coalesce(bool_or(${imageUses.number} = ${published.number}), false)`
  const ofImage = sql`partition by ${imageUses.imageId}`
  // The limit is per image: a page of images shows a few posts of each, and knows the rest of them by its count.
  const [rows] = await readInScope(null, (source) => {
    const ranked = source
      .select({
        imageId: imageUses.imageId,
        postId: sql<string>`${posts.id}`.as('post_id'),
        title: posts.title,
        authorId: posts.authorId,
        isPublic: isPublic.as('is_public'),
        isInDraft: sql<boolean>`bool_or(${imageUses.number} = ${posts.draft})`.as('is_in_draft'),
        isImagePublic: sql<boolean>`bool_or(${isPublic}) over (${ofImage})`.as('is_image_public'),
        count: sql<number>`(count(*) over (${ofImage}))::int`.as('count'),
        rank: sql<number>`row_number() over (${ofImage} order by ${posts.updatedAt} desc, ${posts.id} desc)`.as('rank'),
      })
      .from(imageUses)
      .innerJoin(posts, eq(posts.id, imageUses.postId))
      .leftJoin(published, eq(published.postId, posts.id))
      .where(and(ofScope(posts.scopeId), inArray(imageUses.imageId, imageIds)))
      .groupBy(imageUses.imageId, posts.id)
      .as('ranked')
    return [source.select().from(ranked).where(lte(ranked.rank, maxListed)).orderBy(ranked.imageId, ranked.rank)]
  })
  const mayOpenOthers = isAllowed(reader.role, can('posts.write_others'))
  return new Map(
    Map.groupBy(rows, ({ imageId }) => imageId)
      .entries()
      .map(([imageId, found]) => [
        imageId,
        {
          isPublic: found.some(({ isImagePublic }) => isImagePublic),
          count: found[0]?.count ?? 0,
          posts: found.map(({ postId, title, authorId, isPublic, isInDraft }) => ({
            postId,
            title: mayOpenOthers || authorId === reader.id ? title : null,
            isPublic,
            isInDraft,
          })),
        },
      ]),
  )
}
