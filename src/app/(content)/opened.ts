import 'server-only'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { requirePermission } from '@/core/auth/actor'
import { AppError } from '@/core/errors'
import { findDraft } from './drafts'
import { can } from './policy'

/** For the pages about one post: who opens it, and the post. To those who may not there is nothing here. */
export async function openPost(id: string, path: string) {
  const actor = await requirePermission(can('posts.write'), path)
  const post = z.uuid().safeParse(id).success
    ? await findDraft(actor, id).catch((error) => {
        if (error instanceof AppError && error.code === 'forbidden') return null
        throw error
      })
    : null
  if (!post) notFound()
  return { actor, post }
}
