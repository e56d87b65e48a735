import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { defineLimit } from '@/core/limits/limit'
import { Comparison, compareDraft } from '../../../../../compare-draft'
import { can } from '../../../../../policy'
import { maxLengths, PostText } from '../../../../../post-text'

const perUser = defineLimit('content_compare', { points: 60, seconds: 60 })

/** As typed: the text may be one that cannot be saved yet. */
const text = (max: number) => z.string().max(max)
const Typed = PostText.pick({ body: true }).extend({
  title: text(maxLengths.title),
  slug: text(maxLengths.slug),
  summary: text(maxLengths.summary),
  tags: text(maxLengths.tags),
})

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: defineHandler({
    allow: can('posts.write'),
    summary: 'Compare a text with a post’s draft',
    params: z.object({ id: z.uuid() }),
    bodyLimit: 160 * 1024,
    body: Typed,
    responses: { 200: Comparison },
    errors: ['not_found', 'rate_limited'],
    run: async ({ params, body, actor }) => {
      await perUser.consume(actor.id)
      return compareDraft(actor, params.id, body)
    },
  }),
})
