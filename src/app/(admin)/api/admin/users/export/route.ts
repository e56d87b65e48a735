import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { requireReauthenticated } from '@/core/auth/session/actor'
import { userFieldsIn } from '@/core/auth/user-fields'
import { db, readReplica } from '@/core/db/client'
import { defineHandler, defineRoute } from '@/core/handler'
import { getClientInfo } from '@/core/http/client-ip'
import { streamBody } from '@/core/http/stream-body'
import { csvLine } from '../../../../csv'
import { filterForAuditLog, findUsers, withFields } from '../../../../list-users'
import { can } from '../../../../policy'
import { ExportQuery } from '../../../../user-query'

/** Streams all matching users as CSV, page by page. Needs a session: API tokens are rejected. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('users.read'),
    summary: 'Export users as CSV',
    query: ExportQuery,
    responses: { 200: { file: 'text/csv' } },
    errors: ['reauth_required'],
    run: async ({ query, actor, request }) => {
      await requireReauthenticated()
      const client = getClientInfo(request.headers)
      await recordAuditEvent(db, 'users.exported', { actorId: actor.id, client, details: filterForAuditLog(query) })
      const headers = {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="users-${new Date().toISOString().slice(0, 10)}.csv"`,
      }
      return new Response(streamBody(csvLines(query), { signal: request.signal }), { headers })
    },
  }),
})

async function* csvLines(filter: Parameters<typeof findUsers>[0]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const fieldNames = userFieldsIn('admin.list').map(({ name }) => name)
  yield encoder.encode(csvLine(['id', 'name', 'email', 'role', 'status', 'created', 'last seen', ...fieldNames]))
  let cursor: string | null | undefined
  do {
    const page = await findUsers({ ...filter, limit: 1_000, cursor: cursor ?? undefined }, readReplica)
    const text = (await withFields(page.users))
      .map(({ id, name, email, role, status, createdAt, lastSeenAt, fields }) => {
        const values = fieldNames.map((field) => fields?.[field] ?? null)
        return csvLine([id, name, email, role, status, createdAt, lastSeenAt, ...values])
      })
      .join('')
    yield encoder.encode(text)
    cursor = page.nextCursor
  } while (cursor)
}
