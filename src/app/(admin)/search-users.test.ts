import { and, eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { searchUsers } from './search-users'

const suspended = { email: 'gladys@example.com', name: 'Gladys West', suspendedAt: new Date() }
beforeAll(() =>
  db.insert(users).values([
    suspended,
    ...Array.from({ length: 8 }, (_, index) => ({
      email: `granville-${index}@example.com`,
      name: `Evelyn ${index}`,
    })),
  ]),
)

const searchFrom = (ip: string, actorId: string, text: string) =>
  asRequest({ 'x-plinth-socket-address': ip, 'x-forwarded-for': ip }, () => searchUsers(actorId, text))

const eventsOf = (actorId: string) =>
  db
    .select({ details: auditEvents.details })
    .from(auditEvents)
    .where(and(eq(auditEvents.kind, 'users.listed'), eq(auditEvents.actorId, actorId)))

test('finds at most five users, by the beginning of an email or of a word of the name', async () => {
  const actorId = crypto.randomUUID()
  expect(await searchFrom('192.0.2.1', actorId, 'granv')).toHaveLength(5)
  const [found] = await searchFrom('192.0.2.1', actorId, 'evelyn 3')
  expect(found).toMatchObject({ label: 'Evelyn 3', hint: 'granville-3@example.com', avatarId: expect.any(String) })
  expect(found?.href).toBe(`/admin/users/${found?.avatarId}`)
  expect(await searchFrom('192.0.2.1', actorId, 'ranville')).toEqual([])
})

test('says that a user is suspended', async () => {
  const [found] = await searchFrom('192.0.2.1', crypto.randomUUID(), 'west')
  expect(found?.hint).toBe('gladys@example.com · Suspended')
})

test('several letters are one audit event, without the text; from another IP they are another', async () => {
  const actorId = crypto.randomUUID()
  for (const text of ['g', 'gr', 'gra', 'gran']) await searchFrom('192.0.2.2', actorId, text)
  expect(await eventsOf(actorId)).toEqual([{ details: { count: 5, isSearch: true } }])
  await searchFrom('192.0.2.3', actorId, 'gran')
  expect(await eventsOf(actorId)).toHaveLength(2)
  const otherAdmin = crypto.randomUUID()
  await searchFrom('192.0.2.2', otherAdmin, 'gran')
  expect(await eventsOf(otherAdmin)).toHaveLength(1)
})

test('a search that could not be recorded shows nothing, and the next one is recorded', async () => {
  // PostgreSQL rejects this id, so the event cannot be inserted.
  await expect(searchFrom('192.0.2.4', 'not-an-id', 'gran')).rejects.toThrow()
  await expect(searchFrom('192.0.2.4', 'not-an-id', 'gran')).rejects.toThrow()
})
