import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { db } from '@/core/db/client'
import { defineHandler, defineRoute } from '@/core/handler'
import { getClientInfo } from '@/core/http/client-ip'
import { getTimeFormat } from '@/core/time/get-time-format'
import { type AuditEvent, EventFilter, prepareExport } from '../../../../audit'
import { csvLine, csvResponse } from '../../../../csv'
import { can } from '../../../../policy'

/** Streams all matching events as CSV, newest first, page by page. Needs a session: API tokens are rejected. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('audit.read'),
    summary: 'Export the audit log as CSV',
    query: EventFilter,
    responses: { 200: { file: 'text/csv' } },
    errors: ['reauth_required', 'rate_limited', 'unavailable'],
    run: ({ query, ...context }) =>
      csvResponse('audit-log', context, async () => {
        const client = getClientInfo(context.request.headers)
        const pages = await prepareExport(query, await getTimeFormat())
        await recordAuditEvent(db, 'audit.exported', { actorId: context.actor.id, client, details: detailsOf(query) })
        return csvPages(pages)
      }),
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

async function* csvPages(pages: AsyncGenerator<AuditEvent[]>): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns))
  for await (const events of pages)
    yield events.map((event) => csvLine(Object.values(columns).map((read) => read(event)))).join('')
}
