import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { requireReauthenticated } from '@/core/auth/session/actor'
import { db } from '@/core/db/client'
import { defineHandler, defineRoute } from '@/core/handler'
import { getClientInfo } from '@/core/http/client-ip'
import { streamBody } from '@/core/http/stream-body'
import { getTimeFormat } from '@/core/time/get-time-format'
import { type AuditEvent, EventFilter, prepareExport } from '../../../../audit'
import { csvLine } from '../../../../csv'
import { can } from '../../../../policy'

/** Streams all matching events as CSV, newest first, page by page. Needs a session: API tokens are rejected. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('audit.read'),
    summary: 'Export the audit log as CSV',
    query: EventFilter,
    responses: { 200: { file: 'text/csv' } },
    errors: ['reauth_required'],
    run: async ({ query, actor, request }) => {
      await requireReauthenticated()
      const client = getClientInfo(request.headers)
      const pages = await prepareExport(query, await getTimeFormat())
      await recordAuditEvent(db, 'audit.exported', { actorId: actor.id, client, details: detailsOf(query) })
      const headers = {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="audit-log-${new Date().toISOString().slice(0, 10)}.csv"`,
      }
      return new Response(streamBody(csvLines(pages), { signal: request.signal }), { headers })
    },
  }),
})

/** Without the names and emails that were searched for. */
const detailsOf = ({ user, actor, target, kind, from, to }: EventFilter) => ({
  ...(kind && { kind }),
  ...(from && { from }),
  ...(to && { to }),
  ...((user || actor || target) && { isSearch: true }),
})

const columns: Record<string, (event: AuditEvent) => string | Date | null> = {
  id: ({ id }) => `${id}`,
  time: ({ at }) => at,
  event: ({ kind }) => kind,
  'actor id': ({ actorId }) => actorId,
  actor: ({ actorName }) => actorName,
  'target id': ({ targetId }) => targetId,
  target: ({ targetName }) => targetName,
  'impersonator id': ({ impersonatorId }) => impersonatorId,
  impersonator: ({ impersonatorName }) => impersonatorName,
  'scope id': ({ scopeId }) => scopeId,
  scope: ({ scopeName }) => scopeName,
  ip: ({ ip }) => ip,
  'user agent': ({ userAgent }) => userAgent,
  details: ({ details }) => details && JSON.stringify(details),
}

async function* csvLines(pages: AsyncGenerator<AuditEvent[]>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode(csvLine(Object.keys(columns)))
  for await (const events of pages) {
    const lines = events.map((event) => csvLine(Object.values(columns).map((read) => read(event))))
    yield encoder.encode(lines.join(''))
  }
}
