import { z } from 'zod'
import { defineHandler, defineRoute } from '@/core/handler'
import { defineLimit } from '@/core/limits/limit'
import { requireDraft } from '../../../../../../../drafts'
import { can } from '../../../../../../../policy'
import { PostText } from '../../../../../../../post-text'
import { renderDraft } from '../../../../../../../render-draft'

// One editor that is typed in without end asks 170 times a minute: after each pause of 350 ms.
const perUser = defineLimit('content_preview', { points: 240, seconds: 60 })

/** A handler, not an action: actions run one after the other, so that a preview would delay the autosave. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: defineHandler({
    allow: can('posts.write'),
    summary: 'Render the Markdown of an organization’s post',
    params: z.object({ id: z.uuid() }),
    // JSON needs more bytes than the text itself.
    bodyLimit: 128 * 1024,
    body: PostText.pick({ body: true }),
    responses: { 200: z.object({ html: z.string() }) },
    errors: ['not_found', 'rate_limited'],
    run: async ({ params, body, actor }) => {
      await perUser.consume(actor.id)
      await requireDraft(actor, params.id)
      return { html: await renderDraft(body.body) }
    },
  }),
})
