import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { EventQuery, eventKey, findEvent, findEvents, findHistory, findKinds } from './audit'

const [ada, grace, deletedId] = Array.from({ length: 3 }, () => crypto.randomUUID()) as [string, string, string]
const day = (number: number) => new Date(Date.UTC(2031, 0, number, 12))
// 130 events of three alternating kinds. Half are by Grace with target Ada, half by Ada with a deleted user as target.
const events = Array.from({ length: 130 }, (_, index) => ({
  kind: ['thing.done', 'role.changed', 'session.started'][index % 3] ?? '',
  at: day(1 + Math.floor(index / 10)),
  actorId: index % 2 === 0 ? grace : ada,
  targetId: index % 2 === 0 ? ada : deletedId,
}))

beforeAll(async () => {
  await db.insert(users).values([
    { id: ada, email: 'Ada@example.com', name: 'Ada' },
    { id: grace, email: 'grace@example.com', name: 'Grace' },
  ])
  await db.insert(auditEvents).values(events)
})

const find = (query: Record<string, unknown>) => findEvents(EventQuery.parse(query))
const findAllPages = async (query: Record<string, unknown>) => {
  const pages = [await find(query)]
  for (let older = pages[0]?.older; older; older = pages.at(-1)?.older)
    pages.push(await find({ ...query, before: older }))
  return pages
}
const countOf = (matches: (event: (typeof events)[number]) => boolean) => events.filter(matches).length

test('the pages cover the whole log, newest first, forward and back', async () => {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id::int as id from audit_events order by at desc, id desc`,
  )
  const pages = await findAllPages({})
  expect(pages.map(({ events: some }) => some.length)).toEqual([50, 50, 30])
  expect(pages.flatMap(({ events: some }) => some.map(({ id }) => id))).toEqual(rows.map(({ id }) => id))
  expect(pages[0]?.newer).toBeUndefined()
  const back = await find({ after: pages[2]?.newer })
  expect(back.events).toEqual(pages[1]?.events)
  const first = await find({ after: back.newer })
  expect(first.events).toEqual(pages[0]?.events)
  expect(first.newer).toBeUndefined()
})

describe('filters', () => {
  test.each([
    ['by email of the actor', { actor: ' ADA@example.com ' }, countOf(({ actorId }) => actorId === ada)],
    ['by id of the actor', { actor: grace }, countOf(({ actorId }) => actorId === grace)],
    ['by id of a deleted target', { target: deletedId }, countOf(({ targetId }) => targetId === deletedId)],
    [
      'by email of a user, as actor or target',
      { user: 'grace@example.com' },
      countOf(({ actorId }) => actorId === grace),
    ],
    ['by the start of a name', { user: ' GRA' }, countOf(({ actorId }) => actorId === grace)],
    ['by the start of an email', { user: 'ada@ex' }, 130],
    ['by id of a deleted user', { user: deletedId }, countOf(({ targetId }) => targetId === deletedId)],
    ['by a user and a kind', { user: 'ada', kind: 'role.changed' }, countOf(({ kind }) => kind === 'role.changed')],
    ['by an unknown name', { user: 'nobody' }, 0],
    ['by kind', { kind: 'role.changed' }, countOf(({ kind }) => kind === 'role.changed')],
    ['by days, both inclusive', { from: '2031-01-03', to: '2031-01-05' }, 30],
    ['by everything at once', { actor: grace, target: ada, kind: 'thing.done', to: '2031-01-02' }, 4],
    ['by an unknown email', { actor: 'nobody@example.com' }, 0],
  ])('%s', async (_, query, count) => {
    const found = (await findAllPages(query)).flatMap(({ events: some }) => some)
    expect(found).toHaveLength(count)
  })

  test('ignore invalid values', async () => {
    const { events: some } = await find({
      kind: "' or 1=1",
      from: 'x',
      to: '2031-99-99',
      before: '2031-99-99T00:00:00.000Z_1',
      actor: '',
      user: 'nu\0l',
    })
    expect(some).toHaveLength(50)
  })
})

test('events show current names, and only the id of a deleted user', async () => {
  const [event] = (await find({ target: deletedId })).events
  expect(event).toMatchObject({ actorName: 'Ada', targetName: null, targetId: deletedId })
})

test('events during impersonation name the admin', async () => {
  await db
    .insert(auditEvents)
    .values({ kind: 'note.written', at: day(30), actorId: ada, details: { acting_admin: grace } })
  const [event] = (await find({ kind: 'note.written' })).events
  expect(event).toMatchObject({ actorName: 'Ada', impersonatorId: grace, impersonatorName: 'Grace' })
})

test('a filter by name says which users it matched', async () => {
  expect((await find({ user: 'gr' })).matches).toMatchObject({ ids: [grace], names: ['Grace'], hasMore: false })
  expect((await find({})).matches).toBeUndefined()
  const many = Array.from({ length: 6 }, (_, index) => ({ email: `twin-${index}@example.com`, name: 'Twin' }))
  const [first, second] = await db.insert(users).values(many).returning({ id: users.id })
  expect((await find({ user: 'twin' })).matches).toMatchObject({ names: Array(5).fill('Twin'), hasMore: true })
  expect((await find({ user: 'Twin-3@example.com' })).matches).toMatchObject({ names: ['Twin'], hasMore: false })
  // An event between two of them is found once.
  await db.insert(auditEvents).values({ kind: 'thing.done', at: day(29), actorId: first?.id, targetId: second?.id })
  expect((await find({ user: 'twin' })).events).toHaveLength(1)
})

test('an event is found by its key, and by nothing else', async () => {
  const [event] = (await find({ actor: grace })).events
  if (!event) throw new Error('there is no event')
  expect(await findEvent(eventKey(event))).toEqual(event)
  const { at, id } = event
  const wrong = [
    `${id}`,
    `${at.getTime()}`,
    `${at.getTime() + 1}-${id}`,
    `${at.getTime()}-${id + 1_000_000}`,
    '1-1 or 1=1',
    '',
  ]
  for (const key of [...wrong, `${'9'.repeat(14)}-1`, `1-${'9'.repeat(19)}`])
    expect(await findEvent(key), key).toBeUndefined()
})

test('the history of a user has events by and about them', async () => {
  const { events: some, older } = await findHistory(ada, {}, 3)
  expect(some).toHaveLength(3)
  expect(older).toBeDefined()
  expect(some.every(({ ofUserId }) => ofUserId === ada)).toBe(true)
})

test('findKinds returns every existing kind once', async () => {
  expect(await findKinds()).toEqual(['note.written', 'role.changed', 'session.started', 'thing.done'])
})
