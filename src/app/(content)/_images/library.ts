import 'server-only'
import { and, desc, eq, sql } from 'drizzle-orm'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { type Allow, authorize, isAllowed } from '@/core/auth/policy'
import { type LockedMember, transactionAs } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { ofScope } from '@/core/db/scoped'
import { AppError } from '@/core/errors'
import { defineLimit } from '@/core/limits/limit'
import { afterCursor, decodeCursor, toPage } from '../cursor'
import { can, type Writer } from '../policy'
import { isStorable } from '../post-text'
import { requireApp } from '../require-posts'
import { imageFiles, images, imageUses, posts } from '../schema'
import { uploadSlots } from '../upload-slots'
import { deleteImages, storeFiles } from './image-files'
import type { ImageText } from './image-text'
import { findImageUses, unused } from './image-uses'
import { lockPostsWith, preparePostsWith, renderAgain } from './render-body'

const perUser = defineLimit('content_image', { points: 60, seconds: 60 * 60 })
const imageOptions = { widths: [640, 1280, 1920], maxHeight: 4_000, megabytes: 8 } as const
export const maxBytes = imageOptions.megabytes * 1_000_000
const pageSize = 24

interface Upload extends ImageText {
  bytes: Buffer
}

/** Converts an upload and stores its files. `read` is called only after the rate limit and the upload slots allow it. */
async function makeFiles<Read extends { bytes: Buffer }>(actor: Writer, read: () => Promise<Read>) {
  const release = uploadSlots.take(actor.id)
  try {
    await perUser.consume(actor.id)
    const { makeVariants } = await import('@/core/image/variants')
    const { bytes, ...text } = await read()
    const { width, height, variants } = await makeVariants(bytes, imageOptions)
    const fileId = crypto.randomUUID()
    const files = await storeFiles(actor, fileId, variants)
    return { text, files, columns: { fileId, width, height, variants: variants.map(({ name }) => name) } }
  } finally {
    release()
  }
}

/** Adds an image to the library. Returns its id. */
export async function addImage(actor: Writer, read: () => Promise<Upload>): Promise<string> {
  requireApp(actor)
  const { text, files, columns } = await makeFiles(actor, read)
  const id = crypto.randomUUID()
  await transactionAs(actor, can('posts.write'), async (tx) => {
    await tx.insert(images).values({ id, ownerId: actor.id, name: text.name, alt: text.alt, ...columns })
    await tx.insert(imageFiles).values(files.map((file) => ({ ...file, imageId: id })))
    await recordAuditEvent(tx, 'image.uploaded', { actorId: actor.id, details: { image: id } })
  })
  return id
}

/** Replaces the files of an image. Every post that embeds it shows the new one; the old files are deleted a day later. */
export async function replaceImage(writer: Writer, id: string, read: () => Promise<{ bytes: Buffer }>): Promise<void> {
  requireApp(writer)
  const image = await findImage(id)
  if (!image) throw new AppError('not_found')
  if (!mayReplace(writer, image.ownerId)) throw new AppError('forbidden')
  const { files, columns } = await makeFiles(writer, read)
  await preparePostsWith(id)
  await transactionAs(writer, can('posts.write'), async (tx, actor) => {
    await lockImage(tx, id, actor, can('posts.write_others'))
    await tx.insert(imageFiles).values(files.map((file) => ({ ...file, imageId: id })))
    await tx
      .update(images)
      .set({ ...columns, updatedAt: sql`now()` })
      .where(eq(images.id, id))
    const published = await lockPostsWith(tx, id)
    // What the public sees, or will see, changes.
    if (published.length > 0 || (await isScheduled(tx, id))) authorize(actor, can('posts.publish'))
    await renderAgain(tx, published)
    await recordAuditEvent(tx, 'image.replaced', { actorId: actor.id, details: { image: id } })
  })
}

/** Deletes an image. Posts that embed it show its alt text instead. */
export async function deleteImage(writer: Writer, id: string): Promise<void> {
  requireApp(writer)
  await preparePostsWith(id)
  await transactionAs(writer, can('posts.delete'), async (tx, actor) => {
    await lockImage(tx, id, actor, can('posts.delete_others'))
    const posts = await lockPostsWith(tx, id)
    await deleteImages(tx, [id])
    await renderAgain(tx, posts)
    await recordAuditEvent(tx, 'image.deleted', { actorId: actor.id, details: { image: id } })
  })
}

/** Whether a scheduled post embeds the image. */
async function isScheduled(tx: Transaction, imageId: string): Promise<boolean> {
  const found = await tx
    .select({ id: posts.id })
    .from(imageUses)
    .innerJoin(posts, and(eq(posts.id, imageUses.postId), eq(posts.scheduled, imageUses.number)))
    .where(and(ofScope(posts.scopeId), eq(imageUses.imageId, imageId)))
    .limit(1)
  return found.length > 0
}

/** Locks the image for an actor. Throws `not_found`, or `forbidden` if it is another user’s and the actor lacks `others`. */
async function lockImage(
  tx: Transaction,
  id: string,
  actor: LockedMember,
  others: Allow<'scope or app'>,
): Promise<void> {
  const [image] = await tx.select({ ownerId: images.ownerId }).from(images).where(eq(images.id, id)).for('update')
  if (!image) throw new AppError('not_found')
  if (image.ownerId !== actor.id) authorize(actor, others)
}

/** Whether to show the link that replaces an image. `replaceImage` checks the permission again. */
export const mayReplace = (actor: Writer, ownerId: string | null) =>
  ownerId === actor.id || isAllowed(actor.role, can('posts.write_others'))

/** Whether to show the link that deletes an image. `deleteImage` checks the permission again. */
export const mayDeleteImage = (actor: Writer, ownerId: string | null) =>
  isAllowed(actor.role, can('posts.delete')) &&
  (ownerId === actor.id || isAllowed(actor.role, can('posts.delete_others')))

const listColumns = {
  id: images.id,
  ownerId: images.ownerId,
  name: images.name,
  alt: images.alt,
  fileId: images.fileId,
  width: images.width,
  height: images.height,
  variants: images.variants,
  createdAt: images.createdAt,
}

export async function findImage(id: string) {
  const [image] = await db.select(listColumns).from(images).where(eq(images.id, id))
  return image ?? null
}

/** One page of the library, newest first. Every word of a search is in the file name or the alt text. */
export async function findImages(
  reader: Writer,
  { search = '', before }: { search?: string | undefined; before?: string | undefined },
) {
  if (!isStorable(search)) return { images: [], next: null }
  const words = search.split(/\s+/, 10).filter(Boolean)
  const rows = await db
    .select({ ...listColumns, ownerName: users.name })
    .from(images)
    .leftJoin(users, eq(users.id, images.ownerId))
    .where(
      and(
        ...words.map((word) => sql`strpos(lower(${images.name} || ' ' || ${images.alt}), lower(${word})) > 0`),
        afterCursor(images.createdAt, images.id, before ? decodeCursor(before) : null),
      ),
    )
    .orderBy(desc(images.createdAt), desc(images.id))
    .limit(pageSize + 1)
  const { posts: found, next } = toPage(rows, pageSize, ({ createdAt, id }) => ({ at: createdAt, id }))
  const uses = await findImageUses(
    reader,
    found.map(({ id }) => id),
  )
  return { images: found.map((image) => ({ ...image, uses: uses.get(image.id) ?? unused })), next }
}
export type LibraryImage = Awaited<ReturnType<typeof findImages>>['images'][number]
