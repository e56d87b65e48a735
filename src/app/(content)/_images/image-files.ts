import 'server-only'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { transactionAs } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import type { Variant } from '@/core/image/variants'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { defineStorage } from '@/core/storage/storage'
import { imageBucket } from '../env'
import { can, type Writer } from '../policy'
import { imageFiles, images } from '../schema'

/** The storage of image files, by `keyOf`. */
export const storage = defineStorage('images', imageBucket)
export const keyOf = (fileId: string, variant: string) => `${fileId}/${variant}`

/** Longer than any upload takes: the cleanup job must not run before the rows are inserted. */
const graceSeconds = 10 * 60

/** Deletes files from the bucket unless a row refers to them: the rows are the source of truth. */
export const deleteOrphanedFiles = defineJob('content.forget-files', {
  data: z.object({ fileId: z.uuid(), variants: z.array(z.string()) }),
  isRetriedForYear: true,
  run: async ({ fileId, variants }) => {
    const rows = await db.select({ variant: imageFiles.variant }).from(imageFiles).where(eq(imageFiles.fileId, fileId))
    const left = new Set(rows.map(({ variant }) => variant))
    const orphaned = variants.filter((variant) => !left.has(variant))
    await Promise.all(orphaned.map((variant) => storage.remove(keyOf(fileId, variant))))
  },
})

/** Stores the files of an image. Returns what their rows must hold. */
export async function storeFiles(actor: Writer, fileId: string, variants: Variant[]) {
  if (storage.isExternal()) {
    // Before the upload: whatever fails after this, no object is left without its row.
    const names = variants.map(({ name }) => name)
    await transactionAs(actor, can('posts.write'), (tx) =>
      enqueue(tx, deleteOrphanedFiles, { fileId, variants: names }, { startAfter: graceSeconds }),
    )
  }
  return Promise.all(
    variants.map(async ({ name, data }) => ({
      fileId,
      variant: name,
      data: await storage.write(keyOf(fileId, name), data),
    })),
  )
}

/** Enqueues the deletion of files that are in the bucket. The caller deletes their rows. */
export async function deleteObjects(tx: Transaction, fileIds: string[]): Promise<void> {
  if (fileIds.length === 0) return
  const rows = await tx
    .select({ fileId: imageFiles.fileId, variant: imageFiles.variant })
    .from(imageFiles)
    .where(and(inArray(imageFiles.fileId, fileIds), isNull(imageFiles.data)))
  for (const [fileId, files] of Map.groupBy(rows, (row) => row.fileId))
    await enqueue(tx, deleteOrphanedFiles, { fileId, variants: files.map(({ variant }) => variant) })
}

/** Deletes images with all their files. Texts that embed them keep only the alt text. */
export async function deleteImages(tx: Transaction, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const files = await tx
    .selectDistinct({ fileId: imageFiles.fileId })
    .from(imageFiles)
    .where(inArray(imageFiles.imageId, ids))
  await deleteObjects(
    tx,
    files.map(({ fileId }) => fileId),
  )
  await tx.delete(images).where(inArray(images.id, ids))
}
