import 'server-only'
import { eq } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { AppError } from '@/core/errors'
import { defineLimit } from '@/core/limits/limit'
import type { Writer } from './policy'
import { changeCover } from './posts'
import { covers } from './schema'

const ofPerson = defineLimit('content_cover', { points: 60, seconds: 60 * 60 })
const shape = { width: 1600, height: 1600, fit: 'inside', megabytes: 8 } as const
export const mostBytes = shape.megabytes * 1_000_000

export const coverAddress = (id: string) => `/posts/covers/${id}`

/** Gives a post a picture, made of what was sent. */
export async function setCover(actor: Writer, postId: string, sent: Buffer): Promise<string> {
  await ofPerson.consume(actor.id)
  const { makePicture } = await import('@/core/picture')
  const data = await makePicture(sent, shape)
  const id = crypto.randomUUID()
  await changeCover(actor, postId, async (tx) => {
    await tx.insert(covers).values({ id, postId, data })
    return id
  })
  return id
}

/** The post has none any more; older versions keep theirs. */
export const removeCover = (actor: Writer, postId: string) => changeCover(actor, postId, async () => null)

/** A cover is public from the moment that it is there: readers of a preview have no account. */
export async function readCover(id: string): Promise<Buffer> {
  const [cover] = await db.select({ data: covers.data }).from(covers).where(eq(covers.id, id))
  if (!cover) throw new AppError('not_found')
  return cover.data
}
