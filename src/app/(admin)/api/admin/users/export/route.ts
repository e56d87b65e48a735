import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { userFieldsIn } from '@/core/auth/user-fields'
import { db, readReplica } from '@/core/db/client'
import { defineHandler, defineRoute } from '@/core/handler'
import { getClientInfo } from '@/core/http/client-ip'
import { csvLine, csvResponse } from '../../../../csv'
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
    errors: ['reauth_required', 'rate_limited', 'unavailable'],
    run: ({ query, ...context }) =>
      csvResponse('users', context, async () => {
        const client = getClientInfo(context.request.headers)
        const details = filterForAuditLog(query)
        await recordAuditEvent(db, 'users.exported', { actorId: context.actor.id, client, details })
        return csvPages(query)
      }),
  }),
})

async function* csvPages(filter: Parameters<typeof findUsers>[0]): AsyncGenerator<string> {
  const fieldNames = userFieldsIn('admin.list').map(({ name }) => name)
  yield csvLine(['id', 'name', 'email', 'role', 'status', 'created', 'last seen', ...fieldNames])
  let cursor: string | null | undefined
  do {
    const page = await findUsers({ ...filter, limit: 1_000, cursor: cursor ?? undefined }, readReplica)
    yield (await withFields(page.users))
      .map(({ id, name, email, role, status, createdAt, lastSeenAt, fields }) => {
        const values = fieldNames.map((field) => fields?.[field] ?? null)
        return csvLine([id, name, email, role, status, createdAt, lastSeenAt, ...values])
      })
      .join('')
    cursor = page.nextCursor
  } while (cursor)
}
