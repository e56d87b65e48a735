'use server'

import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction } from '@/core/action'
import * as covers from './covers'
import { can } from './policy'
import * as posts from './posts'
import * as previews from './previews'
import { Text } from './text'

const somePost = z.object({ id: z.uuid().toLowerCase() })

export const createPost = defineAction({
  allow: can('posts.write'),
  input: Text.pick({ title: true }),
  keep: ['title'],
  run: async ({ input, actor }) => redirect(`/content/${await posts.createPost(actor, input.title)}`),
})

/** A time as a form sends it, in UTC; nothing, when none was chosen. */
const At = z.preprocess(
  (given) =>
    typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(given) ? `${given}Z` : given || undefined,
  z.coerce.date('Choose a time').optional(),
)

export const savePost = defineAction({
  allow: can('posts.write'),
  input: Text.extend(somePost.shape).extend({
    version: z.coerce.number().int(),
    resolve: z.enum(['mine', 'theirs']).optional(),
    step: z.enum(posts.steps).optional(),
    at: At,
  }),
  keep: ['title', 'slug', 'summary', 'tags', 'body', 'at'],
  run: async ({ input, actor }) => {
    const { id, version, resolve, step, at, ...text } = input
    const saved = await posts.savePost(actor, { id, version, text, resolve, step, at })
    // While somebody writes, the page stays as it is.
    if (step !== undefined || resolve !== undefined) refresh()
    return saved
  },
})

export const unpublishPost = defineAction({
  allow: can('posts.publish'),
  input: somePost,
  run: async ({ input, actor }) => {
    await posts.unpublishPost(actor, input.id)
    refresh()
    return {}
  },
})

export const unschedulePost = defineAction({
  allow: can('posts.publish'),
  input: somePost,
  run: async ({ input, actor }) => {
    await posts.unschedulePost(actor, input.id)
    refresh()
    return {}
  },
})

export const restoreRevision = defineAction({
  allow: can('posts.write'),
  input: somePost.extend({
    number: z.coerce
      .number()
      .int()
      .positive()
      .max(2 ** 31 - 1),
  }),
  run: async ({ input, actor }) => {
    await posts.restoreRevision(actor, input.id, input.number)
    redirect(`/content/${input.id}?done=restored`)
  },
})

export const removeCover = defineAction({
  allow: can('posts.write'),
  input: somePost,
  run: async ({ input, actor }) => {
    await covers.removeCover(actor, input.id)
    refresh()
    return {}
  },
})

export const createPreview = defineAction({
  allow: can('posts.write'),
  input: somePost,
  run: async ({ input, actor }) => ({ link: await previews.createPreview(actor, input.id) }),
})

export const endPreviews = defineAction({
  allow: can('posts.write'),
  input: somePost,
  run: async ({ input, actor }) => {
    await previews.endPreviews(actor, input.id)
    return {}
  },
})

export const deletePost = defineAction({
  allow: can('posts.delete'),
  input: somePost,
  run: async ({ input, actor }) => {
    await posts.deletePost(actor, input.id)
    redirect('/content?done=deleted')
  },
})
