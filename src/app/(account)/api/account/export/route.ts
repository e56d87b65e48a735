import { zipSync } from 'fflate'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { requireConfirmed } from '@/core/auth/actor'
import { gatherPerson } from '@/core/auth/gather'
import { signedIn } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { defineHandler, defineRoute } from '@/core/handler'
import { defineLimit } from '@/core/limits/limit'

const ofPerson = defineLimit('account_export', { points: 10, seconds: 60 * 60 })

/** All that the app holds of whoever asks, as a ZIP. For people, not for programs with a token: those have no session. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: signedIn,
    summary: 'Get all that is held of you',
    answers: { 200: { file: 'application/zip' } },
    refuses: ['forbidden', 'reauth_required', 'rate_limited'],
    run: async ({ actor, request }) => {
      await requireConfirmed()
      await ofPerson.consume(actor.id)
      await record(db, 'person.exported', { actorId: actor.id, targetId: actor.id, from: originOf(request.headers) })
      const archive = zipSync(await gatherPerson(actor.id))
      const name = `plinth-export-${new Date().toISOString().slice(0, 10)}.zip`
      const headers = { 'Content-Type': 'application/zip', 'Content-Disposition': `attachment; filename="${name}"` }
      return new Response(archive, { headers })
    },
  }),
})
