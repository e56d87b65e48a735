import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { db, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { bucket, hasBucket } from './bucket'
import { avatars } from './schema'

const ofPerson = defineLimit('account_picture', { points: 20, seconds: 60 * 60 })

const shape = { width: 256, height: 256, fit: 'cover', megabytes: 1 } as const

/** Longer than any upload takes. */
const graceMinutes = 10

/** Takes a picture out of the bucket, unless it is somebody's: rows decide, objects follow. */
export const forgetPicture = defineJob('account.forget-picture', {
  data: z.object({ id: z.uuid() }),
  run: async ({ id }) => {
    const [row] = await db.select({ id: avatars.id }).from(avatars).where(eq(avatars.id, id))
    if (!row) await bucket('DELETE', id)
  },
})

/** Makes a picture of what was sent, and gives it to that person. It has an id of its own, so its address never changes meaning. */
export async function changePicture(userId: string, sent: File): Promise<void> {
  await ofPerson.consume(userId)
  // Only here, so that a node which never takes a picture does not carry the library.
  const { makePicture } = await import('@/core/picture')
  const data = await makePicture(Buffer.from(await sent.arrayBuffer()), shape)
  const id = crypto.randomUUID()
  const isInBucket = hasBucket()
  if (isInBucket) {
    // Asked for before it is there: whatever goes wrong from here on, no object is left without its row.
    const startAfter = new Date(Date.now() + graceMinutes * 60_000)
    await db.transaction((tx) => enqueue(tx, forgetPicture, { id }, { startAfter }))
    await bucket('PUT', id, data)
  }
  await db.transaction(async (tx) => {
    await takePicture(tx, userId, `/api/account/avatars/${id}`)
    await tx.insert(avatars).values({ id, userId, data: isInBucket ? null : data })
  })
}

export async function removePicture(userId: string): Promise<void> {
  await db.transaction((tx) => takePicture(tx, userId, null))
}

/** Takes the present picture away, and says where the next one is. */
async function takePicture(tx: Transaction, userId: string, image: string | null): Promise<void> {
  // First, because it locks: of two changes at once, the second sees what the first has done.
  const { rowCount } = await tx.update(users).set({ image, updatedAt: sql`now()` }).where(eq(users.id, userId))
  if (rowCount !== 1) throw new AppError('not_found')
  await erasePicture(tx, userId)
  await tx.delete(avatars).where(eq(avatars.userId, userId))
}

/** Has the object deleted once the row is gone, which is the caller's part. */
export async function erasePicture(tx: Transaction, userId: string): Promise<void> {
  const [kept] = await tx
    .select({ id: avatars.id })
    .from(avatars)
    .where(and(eq(avatars.userId, userId), isNull(avatars.data)))
  if (kept) await enqueue(tx, forgetPicture, { id: kept.id })
}

export async function getPicture(id: string): Promise<Buffer> {
  const picture = await readPicture(eq(avatars.id, id))
  if (!picture) throw new AppError('not_found')
  return picture
}

/** The picture as it is kept, WebP; for somebody who takes their data along. */
export function pictureOf(userId: string): Promise<Buffer | null> {
  return readPicture(eq(avatars.userId, userId))
}

async function readPicture(which: ReturnType<typeof eq>): Promise<Buffer | null> {
  const [row] = await db.select({ id: avatars.id, data: avatars.data }).from(avatars).where(which)
  return row ? (row.data ?? bucket('GET', row.id)) : null
}
