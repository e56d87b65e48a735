import 'server-only'
import { eq } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { AppError } from '@/core/errors'
import { defineLimit } from '@/core/limits/limit'
import { defineStorage } from '@/core/storage/storage'
import type { Writer } from './policy'
import { changeCover } from './posts'
import { covers } from './schema'
import { uploadSlots } from './upload-slots'

const perUser = defineLimit('content_cover', { points: 60, seconds: 60 * 60 })
const imageOptions = { width: 1600, height: 1600, fit: 'inside', megabytes: 8 } as const
const storage = defineStorage('covers')
export const maxBytes = imageOptions.megabytes * 1_000_000

export const coverPath = (id: string) => `/posts/covers/${id}`

/** Sets the cover of a post. `read` is called only after the rate limit and the upload slots allow it. */
export async function setCover(actor: Writer, postId: string, read: () => Promise<Buffer>): Promise<string> {
  const release = uploadSlots.take(actor.id)
  try {
    await perUser.consume(actor.id)
    const { makePicture } = await import('@/core/image/picture')
    const picture = await makePicture(await read(), imageOptions)
    const id = crypto.randomUUID()
    const data = await storage.write(id, picture)
    await changeCover(actor, postId, async (tx) => {
      await tx.insert(covers).values({ id, postId, data })
      return id
    })
    return id
  } finally {
    release()
  }
}

/** Removes the cover from the draft; older revisions keep theirs. */
export const removeCover = (actor: Writer, postId: string) => changeCover(actor, postId, async () => null)

/** Covers are public from the start, because readers of a preview link have no account. */
export async function readCover(id: string): Promise<Buffer> {
  const [cover] = await db.select({ data: covers.data }).from(covers).where(eq(covers.id, id))
  const data = cover && (await storage.read(id, cover.data))
  if (!data) throw new AppError('not_found')
  return data
}
