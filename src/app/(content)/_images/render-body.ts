import 'server-only'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { type Database, db, type Transaction } from '@/core/db/client'
import { ofScope, readInScope } from '@/core/db/scoped'
import { type EmbeddedImage, type EmbeddedImages, imageIdsOf, prepareCode, toHtml } from '../markdown'
import { images, imageUses, published, revisions } from '../schema'
import { imageFilePath } from './image-path'

/** A draft as HTML, with its images. `token` is that of a preview link: its readers have no account. */
export async function renderBody(body: string, { token }: { token?: string } = {}): Promise<string> {
  return toHtml(body, await findEmbedded(db, imageIdsOf(body), token === undefined ? '' : `?token=${token}`))
}

/**
 * A text as HTML, to be published. Its images are locked until the transaction ends: one that is being replaced or deleted
 * must not be published as it was before.
 */
export async function renderPublished(tx: Transaction, body: string): Promise<string> {
  const ids = imageIdsOf(body)
  if (ids.length > 0)
    await tx.select({ id: images.id }).from(images).where(inArray(images.id, ids)).orderBy(asc(images.id)).for('share')
  return toHtml(body, await findEmbedded(tx, ids))
}

async function findEmbedded(reader: Pick<Database, 'select'>, ids: string[], query = ''): Promise<EmbeddedImages> {
  if (ids.length === 0) return new Map()
  const found = await reader
    .select({
      id: images.id,
      fileId: images.fileId,
      width: images.width,
      height: images.height,
      variants: images.variants,
    })
    .from(images)
    .where(inArray(images.id, ids))
  return new Map(
    found.map(({ id, fileId, width, height, variants }) => {
      const files = (format: string) =>
        variants
          .filter((variant) => variant.endsWith(format))
          .map((variant) => ({ path: imageFilePath(fileId, variant) + query, width: Number.parseInt(variant, 10) }))
      const image: EmbeddedImage = { webp: files('.webp'), avif: files('.avif'), width, height }
      return [id, image] as const
    }),
  )
}

/** Only posts of the app itself embed images of the library. */
const selectPostsWith = (reader: Pick<Database, 'select'>, imageId: string) =>
  reader
    .select({ postId: published.postId, body: revisions.body })
    .from(imageUses)
    .innerJoin(published, and(eq(published.postId, imageUses.postId), eq(published.number, imageUses.number)))
    .innerJoin(revisions, and(eq(revisions.postId, published.postId), eq(revisions.number, published.number)))
    .where(and(ofScope(revisions.scopeId), eq(imageUses.imageId, imageId)))
    .orderBy(asc(published.postId))

/** Before a transaction that calls `renderAgain`: see `prepareCode`. */
export async function preparePostsWith(imageId: string) {
  const [found] = await readInScope(null, (source) => [selectPostsWith(source, imageId)])
  await prepareCode(found.map(({ body }) => body))
}

/** The published posts that embed an image, locked until the transaction ends. */
export const lockPostsWith = (tx: Transaction, imageId: string) =>
  selectPostsWith(tx, imageId).for('update', { of: published })

/** Renders published posts again, after an image of theirs was replaced or deleted. */
export async function renderAgain(tx: Transaction, posts: { postId: string; body: string }[]): Promise<void> {
  if (posts.length === 0) return
  const embedded = await findEmbedded(tx, [...new Set(posts.flatMap(({ body }) => imageIdsOf(body)))])
  const rows = await Promise.all(
    posts.map(async ({ postId, body }) => sql`(${postId}::uuid, ${await toHtml(body, embedded)}::text)`),
  )
  await tx.execute(sql`
    update ${published} set html = made.html
    from (values ${sql.join(rows, sql`, `)}) as made (post_id, html)
    where ${published.postId} = made.post_id`)
}
