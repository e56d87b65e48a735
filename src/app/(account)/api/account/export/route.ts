import { appSlug } from '@/brand'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { signedIn } from '@/core/auth/policy'
import { requireReauthenticated } from '@/core/auth/session/actor'
import { exportUserData } from '@/core/auth/user/export'
import { db } from '@/core/db/client'
import { defineHandler, defineRoute } from '@/core/handler'
import { getClientInfo } from '@/core/http/client-ip'
import { streamBody } from '@/core/http/stream-body'
import { defineLimit } from '@/core/limits/limit'
import { defineSlots } from '@/core/slots'
import { zip } from '../../../zip'

const exportLimit = defineLimit('account_export', { points: 10, seconds: 60 * 60 })
const exportSlots = defineSlots('export', 10)

/** The signed-in user's data as a ZIP. Needs a session: API tokens are rejected. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: signedIn,
    summary: 'Export your data',
    responses: { 200: { file: 'application/zip' } },
    errors: ['forbidden', 'reauth_required', 'rate_limited'],
    run: async ({ actor, request }) => {
      await requireReauthenticated()
      const releaseSlot = exportSlots.take(actor.id)
      try {
        await exportLimit.consume(actor.id)
        await recordAuditEvent(db, 'person.exported', {
          actorId: actor.id,
          targetId: actor.id,
          client: getClientInfo(request.headers),
        })
        const archive = zip(await exportUserData(actor.id))
        const name = `${appSlug}-export-${new Date().toISOString().slice(0, 10)}.zip`
        const headers = { 'Content-Type': 'application/zip', 'Content-Disposition': `attachment; filename="${name}"` }
        return new Response(streamBody(archive, { signal: request.signal, onEnd: releaseSlot }), { headers })
      } catch (error) {
        releaseSlot()
        throw error
      }
    },
  }),
})
