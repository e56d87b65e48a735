import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { db } from '../db/client'
import { rateLimits, sessions, signups, tokens, users } from '../db/schema'
import { prune } from './prune'

const ago = (interval: string) => sql`now() - ${interval}::interval`
const hash = () => createHash('sha256').update(crypto.randomUUID()).digest()

test('expired rows are deleted, and no others', async () => {
  const [user] = await db.insert(users).values({ email: 'ada@example.com', name: 'Ada' }).returning({ id: users.id })
  const userId = user?.id ?? ''
  await db.insert(sessions).values([
    { userId, tokenHash: hash(), userAgent: 'old', createdAt: ago('31 days') },
    { userId, tokenHash: hash(), userAgent: 'alive', createdAt: ago('29 days') },
  ])
  await db.insert(tokens).values([
    { userId, hash: hash(), purpose: 'reset', expiresAt: ago('1 second') },
    { userId, hash: hash(), purpose: 'reset', expiresAt: ago('-1 minute') },
  ])
  await db.insert(signups).values([
    { email: 'old@example.com', name: 'Old', passwordHash: 'x', createdAt: ago('4 days') },
    { email: 'new@example.com', name: 'New', passwordHash: 'x', createdAt: ago('2 days') },
  ])
  await db.insert(rateLimits).values([
    { key: 'old', points: 1, expire: Date.now() - 1_000 },
    { key: 'new', points: 1, expire: Date.now() + 60_000 },
  ])
  await prune.work({}, { id: 'test' })
  expect(await db.select({ userAgent: sessions.userAgent }).from(sessions)).toEqual([{ userAgent: 'alive' }])
  expect(await db.select({ purpose: tokens.purpose }).from(tokens)).toHaveLength(1)
  expect(await db.select({ email: signups.email }).from(signups)).toEqual([{ email: 'new@example.com' }])
  expect(await db.select({ key: rateLimits.key }).from(rateLimits)).toEqual([{ key: 'new' }])
})

test('the prune job is scheduled hourly', () => expect(prune.cron).toBe('17 * * * *'))
