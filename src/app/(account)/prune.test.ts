import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { prune } from './prune'
import { apiTokens, emailChanges } from './schema'

const ago = (interval: string) => sql`now() - ${interval}::interval`

test('deletes only tokens that expired a month ago and old unconfirmed email changes', async () => {
  const userRows = await db
    .insert(users)
    .values(['ada', 'grace'].map((name) => ({ email: `${name}@example.com`, name })))
    .returning({ id: users.id })
  const [ada = '', grace = ''] = userRows.map(({ id }) => id)
  const token = (name: string, age: string) => ({
    userId: ada,
    hash: Buffer.from(name),
    name,
    role: 'viewer' as const,
    expiresAt: ago(age),
  })
  await db
    .insert(apiTokens)
    .values([token('old', '30 days 1 minute'), token('expired lately', '29 days 23 hours'), token('alive', '-1 day')])
  await db.insert(emailChanges).values([
    { userId: ada, email: 'old@example.com', createdAt: ago('73 hours') },
    { userId: grace, email: 'new@example.com', createdAt: ago('71 hours') },
  ])
  await prune.work({}, { id: 'test' })
  await prune.work({}, { id: 'again' })
  const left = await db.select({ name: apiTokens.name }).from(apiTokens).orderBy(apiTokens.name)
  expect(left.map(({ name }) => name)).toEqual(['alive', 'expired lately'])
  expect(await db.select({ email: emailChanges.email }).from(emailChanges)).toEqual([{ email: 'new@example.com' }])
})

test('runs once an hour', () => expect(prune.cron).toBe('27 * * * *'))
