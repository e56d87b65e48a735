import 'server-only'
import { and, eq, inArray, isNotNull, isNull, lt, ne, sql } from 'drizzle-orm'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import type { Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { defineJob } from '@/core/jobs/job'
import { imageFiles, images, imageUses } from '../schema'
import { deleteImages, deleteObjects } from './image-files'

/** How long an image stays that no version of any post embeds. */
export const unusedDays = 30
const batchSize = 200

const isUsed = sql`exists (select 1 from ${imageUses} where ${imageUses.imageId} = ${images.id})`

/** Deletes images that no post has embedded for 30 days, and the files of images that were replaced a day ago. */
export const cleanUpImages = defineJob('content.clean-images', {
  cron: '40 3 * * *',
  data: z.object({}),
  run: async () => {
    await inTransaction(async (tx) => {
      await markUnused(tx)
      await deleteUnused(tx)
    })
    await inTransaction(deleteReplaced)
  },
})

async function markUnused(tx: Transaction): Promise<void> {
  await tx
    .update(images)
    .set({ unusedSince: null })
    .where(and(isNotNull(images.unusedSince), isUsed))
  await tx
    .update(images)
    .set({ unusedSince: sql`now()` })
    .where(and(isNull(images.unusedSince), sql`not ${isUsed}`))
}

async function deleteUnused(tx: Transaction): Promise<void> {
  const candidates = await tx
    .select({ id: images.id })
    .from(images)
    .where(lt(images.unusedSince, sql`now() - make_interval(days => ${unusedDays})`))
    .orderBy(images.id)
    .limit(batchSize)
    .for('update')
  if (candidates.length === 0) return
  const ids = candidates.map(({ id }) => id)
  // Again, now that they are locked: a post may have been saved with one of them meanwhile.
  const used = await tx.selectDistinct({ id: imageUses.imageId }).from(imageUses).where(inArray(imageUses.imageId, ids))
  const isStillUsed = new Set(used.map(({ id }) => id))
  const unused = ids.filter((id) => !isStillUsed.has(id))
  await deleteImages(tx, unused)
  await recordAuditEvent(tx, 'image.deleted', ...unused.map((id) => ({ details: { image: id, reason: 'unused' } })))
}

/** A day later: pages that are open, and feeds that were fetched before, still show the old file. */
async function deleteReplaced(tx: Transaction): Promise<void> {
  const replaced = await tx
    .selectDistinct({ fileId: imageFiles.fileId })
    .from(imageFiles)
    .innerJoin(images, eq(images.id, imageFiles.imageId))
    .where(and(ne(imageFiles.fileId, images.fileId), lt(images.updatedAt, sql`now() - interval '1 day'`)))
    .limit(batchSize)
  if (replaced.length === 0) return
  const fileIds = replaced.map(({ fileId }) => fileId)
  await deleteObjects(tx, fileIds)
  await tx.delete(imageFiles).where(inArray(imageFiles.fileId, fileIds))
}
