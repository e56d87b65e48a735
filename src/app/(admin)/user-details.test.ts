import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { createSessionWithMethod } from '@/core/auth/session/start-session'
import { db } from '@/core/db/client'
import { auditEvents, sessions, users } from '@/core/db/schema'
import { findUserDetails } from './user-details'

const [ada, grace] = [crypto.randomUUID(), crypto.randomUUID()]

beforeAll(async () => {
  await db.insert(users).values([
    { id: ada, email: 'ada@example.com', name: 'Ada' },
    { id: grace, email: 'grace@example.com', name: 'Grace' },
  ])
})

test('each session has the method it was started with, unless the audit log does not know it', async () => {
  const start = { userId: ada, credential: sql`true` }
  await createSessionWithMethod({ ...start, method: 'passkey', client: { ip: '198.18.0.1', userAgent: 'first' } })
  await createSessionWithMethod({ ...start, method: 'google', client: { ip: '198.18.0.1', userAgent: 'second' } })
  const [unknown] = await db
    .insert(sessions)
    .values({ userId: ada, tokenHash: randomBytes(32), userAgent: 'third' })
    .returning({ at: sessions.createdAt })
  // Another user at the same time, and another event of the same user.
  await db.insert(auditEvents).values([
    { kind: 'session.started', at: unknown?.at, actorId: grace, targetId: grace, details: { way: 'password' } },
    { kind: 'session.confirmed', at: unknown?.at, actorId: ada, targetId: ada, details: { way: 'password' } },
  ])
  const found = await findUserDetails(ada)
  expect(new Map(found?.sessions.map(({ userAgent, method }) => [userAgent, method]))).toEqual(
    new Map([
      ['first', 'passkey'],
      ['second', 'google'],
      ['third', null],
    ]),
  )
})

test('there are no details of a user who does not exist', async () => {
  expect(await findUserDetails(crypto.randomUUID())).toBeNull()
})
