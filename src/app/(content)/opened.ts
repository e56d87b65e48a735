import 'server-only'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import type { Actor } from '@/core/auth/actor'
import { AppError } from '@/core/errors'
import { findDraft } from './drafts'

/** For the pages about one post. To those who may not edit it there is nothing here. */
export async function openPost(actor: Actor, id: string) {
  const post = z.uuid().safeParse(id).success
    ? await findDraft(actor, id).catch((error) => {
        if (error instanceof AppError && error.code === 'forbidden') return null
        throw error
      })
    : null
  if (!post) notFound()
  return post
}
