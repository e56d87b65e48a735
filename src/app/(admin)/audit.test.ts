import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { EventQuery, findEvents, findKinds } from './audit'
import { eventInWords } from './audit-words'

const [ada, grace, gone] = Array.from({ length: 3 }, () => crypto.randomUUID()) as [string, string, string]
const day = (number: number) => new Date(Date.UTC(2031, 0, number, 12))
// 130 events, three kinds in turn; Grace does every second one to Ada, and Ada the others to somebody who is gone.
const events = Array.from({ length: 130 }, (_, index) => ({
  kind: ['thing.done', 'role.changed', 'session.started'][index % 3] ?? '',
  at: day(1 + Math.floor(index / 10)),
  actorId: index % 2 === 0 ? grace : ada,
  targetId: index % 2 === 0 ? ada : gone,
}))

beforeAll(async () => {
  await db.insert(users).values([
    { id: ada, email: 'Ada@example.com', name: 'Ada' },
    { id: grace, email: 'grace@example.com', name: 'Grace' },
  ])
  await db.insert(auditEvents).values(events)
})

const find = (query: Record<string, unknown>) => findEvents(EventQuery.parse(query))
const walk = async (query: Record<string, unknown>) => {
  const pages = [await find(query)]
  for (let older = pages[0]?.older; older; older = pages.at(-1)?.older)
    pages.push(await find({ ...query, before: older }))
  return pages
}
const countOf = (isOne: (event: (typeof events)[number]) => boolean) => events.filter(isOne).length

test('pages are the log, the newest first, forwards and back', async () => {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id::int as id from audit_events order by at desc, id desc`,
  )
  const pages = await walk({})
  expect(pages.map(({ events: some }) => some.length)).toEqual([50, 50, 30])
  expect(pages.flatMap(({ events: some }) => some.map(({ id }) => id))).toEqual(rows.map(({ id }) => id))
  expect(pages[0]?.newer).toBeUndefined()
  const back = await find({ after: pages[2]?.newer })
  expect(back.events).toEqual(pages[1]?.events)
  const first = await find({ after: back.newer })
  expect(first.events).toEqual(pages[0]?.events)
  expect(first.newer).toBeUndefined()
})

describe('is narrowed', () => {
  test.each([
    ['to who did it, by address', { actor: ' ADA@example.com ' }, countOf(({ actorId }) => actorId === ada)],
    ['to who did it, by id', { actor: grace }, countOf(({ actorId }) => actorId === grace)],
    ['to whom, by the id of somebody who is gone', { target: gone }, countOf(({ targetId }) => targetId === gone)],
    ['to a kind', { kind: 'role.changed' }, countOf(({ kind }) => kind === 'role.changed')],
    ['to days, both of them included', { from: '2031-01-03', to: '2031-01-05' }, 30],
    ['to all of it', { actor: grace, target: ada, kind: 'thing.done', to: '2031-01-02' }, 4],
    ['to somebody whom nobody knows', { actor: 'nobody@example.com' }, 0],
  ])('%s', async (_, query, count) => {
    const found = (await walk(query)).flatMap(({ events: some }) => some)
    expect(found).toHaveLength(count)
  })

  test('by nothing that makes no sense: that is left out', async () => {
    const { events: some } = await find({
      kind: "' or 1=1",
      from: 'x',
      to: '2031-99-99',
      before: '2031-99-99T00:00:00.000Z_1',
      actor: '',
    })
    expect(some).toHaveLength(50)
  })
})

test('names are those of now, and of somebody who is gone only the id is left', async () => {
  const [event] = (await find({ target: gone })).events
  expect(event).toMatchObject({ actorName: 'Ada', targetName: null, targetId: gone })
})

test('what an admin did for somebody names the admin', async () => {
  await db
    .insert(auditEvents)
    .values({ kind: 'note.written', at: day(30), actorId: ada, details: { acting_admin: grace } })
  const [event] = (await find({ kind: 'note.written' })).events
  expect(event).toMatchObject({ actorName: 'Ada', actingName: 'Grace' })
  expect(eventInWords('note.written', event?.details ?? null, event?.actingName)).toBe(
    'Note written, done for them by Grace',
  )
  expect(eventInWords('note.written', { acting_admin: gone })).toBe(
    'Note written, done for them by an admin who is gone',
  )
})

test('the kinds that there are, each once', async () => {
  expect(await findKinds()).toEqual(['note.written', 'role.changed', 'session.started', 'thing.done'])
})

test.each([
  ['role.changed', { from: 'viewer', to: 'editor' }, 'Role changed, from viewer to editor'],
  ['two_step.on', null, 'Two step on'],
  ['users.listed', { count: 8, isSearch: true }, 'Users listed, count: 8, search'],
  ['session.started', { way: 'password' }, 'Session started, way: password'],
] as const)('%s in words', (kind, details, words) => {
  expect(eventInWords(kind, details)).toBe(words)
})
