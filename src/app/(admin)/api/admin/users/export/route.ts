import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { requireConfirmed } from '@/core/auth/actor'
import { db, lists } from '@/core/db/client'
import { defineHandler, defineRoute } from '@/core/handler'
import { csvLine } from '../../../../csv'
import { filterInLog, findUsers, UserFilter } from '../../../../list'
import { can } from '../../../../policy'

/** Everybody whom the filter finds, as CSV: read a page at a time, and as fast as it is taken. For people, not programs. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: can('users.read'),
    summary: 'Get everybody whom the filter finds',
    query: UserFilter,
    answers: { 200: { file: 'text/csv' } },
    refuses: ['reauth_required'],
    run: async ({ query, actor, request }) => {
      await requireConfirmed()
      const from = originOf(request.headers)
      await record(db, 'users.exported', { actorId: actor.id, from, details: filterInLog(query) })
      const headers = {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="people-${new Date().toISOString().slice(0, 10)}.csv"`,
      }
      return new Response(asTaken(lines(query)), { headers })
    },
  }),
})

async function* lines(filter: Parameters<typeof findUsers>[0]): AsyncGenerator<string> {
  yield csvLine(['id', 'name', 'email', 'role', 'status', 'created', 'last seen'])
  let cursor: string | null | undefined
  do {
    const page = await findUsers({ ...filter, limit: 1_000, cursor: cursor ?? undefined }, lists)
    yield page.users
      .map(({ id, name, email, role, status, createdAt, lastSeenAt }) =>
        csvLine([id, name, email, role, status, createdAt, lastSeenAt]),
      )
      .join('')
    cursor = page.nextCursor
  } while (cursor)
}

function asTaken(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => texts.return(undefined).then(() => undefined),
  })
}
