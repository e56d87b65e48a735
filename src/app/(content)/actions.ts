'use server'

import type { Route } from 'next'
import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction } from '@/core/action'
import type { ScopedActor } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { getTimeFormat } from '@/core/time/get-time-format'
import { closeDialog } from '@/core/ui/close-dialog'
import { withResult } from '@/core/ui/result-params'
import * as library from './_images/library'
import * as bulk from './bulk-posts'
import * as covers from './covers'
import { can } from './policy'
import { PostText } from './post-text'
import * as posts from './posts'
import * as previews from './previews'
import { type ContentResult, contentReturnPath } from './results'

/** The editor of a post, in the scope of the actor. */
const postPage = ({ scope }: ScopedActor, id: string) => scopePath(scope, `/content/${id}`)

const PostId = z.object({ id: z.uuid().toLowerCase() })
const ImageId = z.object({ id: z.uuid().toLowerCase() })

export const createPost = defineAction({
  allow: can('posts.write'),
  input: PostText.pick({ title: true }),
  preserve: ['title'],
  run: async ({ input, actor }) => redirect(postPage(actor, await posts.createPost(actor, input.title))),
})

const localTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/** The value of a datetime-local input, which is in the time zone of the user, or a time with a zone. Empty is undefined. */
const ScheduledAt = z.preprocess(
  (value) => value || undefined,
  z
    .string('Choose a date and time')
    .refine((text) => !Number.isNaN(Date.parse(localTime.test(text) ? `${text}Z` : text)), 'Choose a date and time')
    .optional(),
)

const parseTime = async (text: string) =>
  localTime.test(text) ? (await getTimeFormat()).fromLocal(text) : new Date(text)

export const savePost = defineAction({
  allow: can('posts.write'),
  input: PostText.extend(PostId.shape).extend({
    version: z.coerce.number().int(),
    resolve: z.enum(['mine', 'theirs']).optional(),
    step: z.enum(posts.steps).optional(),
    at: ScheduledAt,
  }),
  preserve: ['title', 'slug', 'summary', 'tags', 'body', 'at'],
  run: async ({ input, actor }) => {
    const { id, version, resolve, step, at, ...text } = input
    const time = at === undefined ? undefined : await parseTime(at)
    const saved = await posts.savePost(actor, { id, version, text, resolve, step, at: time })
    // An autosave rerenders the page only when its heading would be wrong otherwise, because the user is typing.
    if (step !== undefined || resolve !== undefined || saved.isHeadingChanged) refresh()
    // The form is reset after an action: a time that was only typed stays in it.
    return { ...saved, step, ...(step === 'save' && { at }) }
  },
})

export const unpublishPost = defineAction({
  allow: can('posts.publish'),
  input: PostId,
  run: async ({ input, actor }) => {
    await posts.unpublishPost(actor, input.id)
    refresh()
    return {}
  },
})

export const unschedulePost = defineAction({
  allow: can('posts.publish'),
  input: PostId,
  run: async ({ input, actor }) => {
    await posts.unschedulePost(actor, input.id)
    refresh()
    return {}
  },
})

export const restoreRevision = defineAction({
  allow: can('posts.write'),
  input: PostId.extend({
    number: z.coerce
      .number()
      .int()
      .positive()
      .max(2 ** 31 - 1),
  }),
  run: async ({ input, actor }) => {
    await posts.restoreRevision(actor, input.id, input.number)
    redirect(`${postPage(actor, input.id)}?done=restored` as Route)
  },
})

export const removeCover = defineAction({
  allow: can('posts.write'),
  input: PostId,
  run: async ({ input, actor }) => {
    await covers.removeCover(actor, input.id)
    refresh()
    return {}
  },
})

export const createPreview = defineAction({
  allow: can('posts.write'),
  input: PostId,
  run: async ({ input, actor }) => ({ link: await previews.createPreview(actor, input.id) }),
})

export const endPreviews = defineAction({
  allow: can('posts.write'),
  input: PostId,
  run: async ({ input, actor }) => {
    await previews.endPreviews(actor, input.id)
    return {}
  },
})

export const deletePost = defineAction({
  allow: can('posts.delete'),
  input: PostId,
  run: async ({ input, actor }) => {
    await posts.deletePost(actor, input.id)
    closeDialog(withResult(scopePath(actor.scope, '/content'), { done: 'posts_deleted' } satisfies ContentResult))
  },
})

/** A form sends one id as a string. */
const Selection = z.object({
  ids: z.preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(z.uuid().toLowerCase())
      .min(1, 'Select a post')
      .max(bulk.maxSelected, `Select up to ${bulk.maxSelected} posts`),
  ),
  returnTo: z.string().max(2_048).optional(),
})

function showResult(
  { scope }: ScopedActor,
  returnTo: string | undefined,
  done: ContentResult['done'],
  count: number,
): never {
  const result: ContentResult = count === 0 ? { done: 'posts_unchanged' } : { done, count }
  closeDialog(withResult(contentReturnPath(returnTo, scope), result))
}

export const publishPosts = defineAction({
  allow: can('posts.publish'),
  input: Selection,
  run: async ({ input, actor }) =>
    showResult(actor, input.returnTo, 'posts_published', await bulk.publishPosts(actor, input.ids)),
})

export const unpublishPosts = defineAction({
  allow: can('posts.publish'),
  input: Selection,
  run: async ({ input, actor }) =>
    showResult(actor, input.returnTo, 'posts_unpublished', await bulk.unpublishPosts(actor, input.ids)),
})

export const deletePosts = defineAction({
  allow: can('posts.delete'),
  input: Selection,
  run: async ({ input, actor }) =>
    showResult(actor, input.returnTo, 'posts_deleted', await bulk.deletePosts(actor, input.ids)),
})

export const duplicatePost = defineAction({
  allow: can('posts.write'),
  input: PostId,
  run: async ({ input, actor }) => redirect(postPage(actor, await bulk.duplicatePost(actor, input.id))),
})

export const deleteImage = defineAction({
  allow: can('posts.delete'),
  input: ImageId,
  run: async ({ input, actor }) => {
    await library.deleteImage(actor, input.id)
    closeDialog(withResult('/content/images', { done: 'deleted' }))
  },
})
