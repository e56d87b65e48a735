import 'server-only'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { AppError } from '@/core/errors'
import { findDraft } from './drafts'
import type { Writer } from './policy'

/** Loads a post for its pages. Responds 404 both when it does not exist and when the actor may not edit it. */
export async function openPost(actor: Writer, id: string) {
  const post = z.uuid().safeParse(id).success
    ? await findDraft(actor, id).catch((error) => {
        if (error instanceof AppError && ['forbidden', 'not_found'].includes(error.code)) return null
        throw error
      })
    : null
  if (!post) notFound()
  return post
}
