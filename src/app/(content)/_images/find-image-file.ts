import 'server-only'
import { and, eq } from 'drizzle-orm'
import { isAllowed } from '@/core/auth/policy'
import { getCaller } from '@/core/auth/session/actor'
import { db } from '@/core/db/client'
import { AppError } from '@/core/errors'
import { can } from '../policy'
import { isPreviewed } from '../previews'
import { imageFiles } from '../schema'
import { keyOf, storage } from './image-files'
import { isImagePublic } from './image-uses'

/**
 * Finds a file, and checks who may see it before `read` loads its bytes. Anyone may see an image that a published post embeds.
 * All others are for users who write posts, and for readers with the token of a preview link whose draft embeds it. Everyone
 * else learns nothing: `not_found`.
 */
export async function findImageFile(
  fileId: string,
  variant: string,
  token: string | undefined,
): Promise<{ isPublic: boolean; read: () => Promise<Buffer> }> {
  const isFile = and(eq(imageFiles.fileId, fileId), eq(imageFiles.variant, variant))
  const [file] = await db.select({ imageId: imageFiles.imageId }).from(imageFiles).where(isFile)
  if (!file) throw new AppError('not_found')
  const isPublic = await isImagePublic(file.imageId)
  if (!isPublic && !(await maySeeDrafts(file.imageId, token))) throw new AppError('not_found')
  const read = async () => {
    const [stored] = await db.select({ data: imageFiles.data }).from(imageFiles).where(isFile)
    const data = stored && (await storage.read(keyOf(fileId, variant), stored.data))
    if (!data) throw new AppError('not_found')
    return data
  }
  return { isPublic, read }
}

async function maySeeDrafts(imageId: string, token: string | undefined): Promise<boolean> {
  if (token !== undefined && (await isPreviewed(imageId, token))) return true
  return isAllowed((await getCaller())?.user.role, can('posts.write'))
}
