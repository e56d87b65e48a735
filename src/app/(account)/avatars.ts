import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { db, type Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { defineStorage } from '@/core/storage/storage'
import { photoBucket } from './env'
import { avatars } from './schema'

const storage = defineStorage('avatars', photoBucket)

const uploadLimit = defineLimit('account_picture', { points: 20, seconds: 60 * 60 })

const shape = { width: 256, height: 256, fit: 'cover', megabytes: 1 } as const

/** Longer than any upload takes: the cleanup job must not run before the row is inserted. */
const graceSeconds = 10 * 60

/** Deletes a picture from the bucket unless a row refers to it: the rows are the source of truth. */
export const deleteOrphanedPicture = defineJob('account.forget-picture', {
  data: z.object({ id: z.uuid() }),
  isRetriedForYear: true,
  run: async ({ id }) => {
    const [row] = await db.select({ id: avatars.id }).from(avatars).where(eq(avatars.id, id))
    if (!row) await storage.remove(id)
  },
})

/** Re-encodes the uploaded picture and sets it for the user. Each picture gets a new id, so its URL is immutable. */
export async function changePicture(userId: string, file: File): Promise<void> {
  await uploadLimit.consume(userId)
  // Imported here, so that a node that never handles an upload does not load the image library.
  const { makePicture } = await import('@/core/image/picture')
  const data = await makePicture(Buffer.from(await file.arrayBuffer()), shape)
  const id = crypto.randomUUID()
  if (storage.isExternal()) {
    // Enqueues the cleanup before the upload: whatever fails after this, no object is left without its row.
    await inTransaction((tx) => enqueue(tx, deleteOrphanedPicture, { id }, { startAfter: graceSeconds }))
  }
  const stored = await storage.write(id, data)
  await inTransaction(async (tx) => {
    await replacePicture(tx, userId, `/api/account/avatars/${id}`)
    await tx.insert(avatars).values({ id, userId, data: stored })
  })
}

export async function removePicture(userId: string): Promise<void> {
  await inTransaction((tx) => replacePicture(tx, userId, null))
}

/** Deletes the current picture and sets the URL of the next one. */
async function replacePicture(tx: Transaction, userId: string, image: string | null): Promise<void> {
  // Locks the user row first: of two concurrent changes, the second sees what the first has done.
  const { rowCount } = await tx.update(users).set({ image, updatedAt: sql`now()` }).where(eq(users.id, userId))
  if (rowCount !== 1) throw new AppError('not_found')
  await deletePictureObject(tx, userId)
  await tx.delete(avatars).where(eq(avatars.userId, userId))
}

/** Enqueues the deletion of the object. The caller deletes the row. */
export async function deletePictureObject(tx: Transaction, userId: string): Promise<void> {
  const [stored] = await tx
    .select({ id: avatars.id })
    .from(avatars)
    .where(and(eq(avatars.userId, userId), isNull(avatars.data)))
  if (stored) await enqueue(tx, deleteOrphanedPicture, { id: stored.id })
}

export async function getPicture(id: string): Promise<Buffer> {
  const picture = await readPicture(eq(avatars.id, id))
  if (!picture) throw new AppError('not_found')
  return picture
}

/** The stored picture (WebP), for the user's data export. */
export function findUserPicture(userId: string): Promise<Buffer | null> {
  return readPicture(eq(avatars.userId, userId))
}

async function readPicture(which: ReturnType<typeof eq>): Promise<Buffer | null> {
  const [row] = await db.select({ id: avatars.id, data: avatars.data }).from(avatars).where(which)
  return row ? storage.read(row.id, row.data) : null
}
