import { expect, test } from 'vitest'
import { modules } from '@/modules'
import { db } from '../db/client'
import { accounts, auditEvents, passwords, sessions, users } from '../db/schema'
import { gatherPerson } from './gather'

async function newPerson(name: string): Promise<string> {
  const [person] = await db
    .insert(users)
    .values({ email: `${name}@example.com`, name })
    .returning({ id: users.id })
  const userId = person?.id ?? ''
  await db.insert(passwords).values({ userId, hash: `${name} has a hash` })
  await db.insert(accounts).values({ provider: 'google', providerAccountId: `${name} at google`, userId })
  await db
    .insert(sessions)
    .values({ userId, tokenHash: Buffer.from(`${name} has a token`), userAgent: `${name} Browser` })
  return userId
}

test('all that core holds of somebody is gathered, nothing of others, and nothing that opens a door', async () => {
  const [ada, grace] = [await newPerson('ada'), await newPerson('grace')]
  await db.insert(auditEvents).values([
    { kind: 'password.changed', actorId: ada, targetId: ada, ip: '192.0.2.1', userAgent: 'ada Browser' },
    { kind: 'signin.failed', targetId: ada, ip: '192.0.2.2', details: { reason: 'password' } },
    { kind: 'role.changed', actorId: grace, targetId: ada, ip: '192.0.2.3', userAgent: 'grace Browser' },
    { kind: 'password.changed', actorId: grace, targetId: grace },
  ])
  const files = await gatherPerson(ada)
  const read = (name: string) => JSON.parse(new TextDecoder().decode(files[name]))
  expect(read('profile.json')).toMatchObject({ id: ada, email: 'ada@example.com', name: 'ada', role: 'viewer' })
  expect(Date.parse(read('profile.json').passwordChangedAt)).toBeGreaterThan(0)
  expect(read('sessions.json')).toMatchObject([{ userAgent: 'ada Browser', lastSeenAt: expect.any(String) }])
  expect(read('identities.json')).toMatchObject([{ provider: 'google', providerAccountId: 'ada at google' }])
  expect(read('activity.json')).toMatchObject([
    { kind: 'role.changed', ip: null, userAgent: null },
    { kind: 'signin.failed', ip: '192.0.2.2', details: { reason: 'password' } },
    { kind: 'password.changed', ip: '192.0.2.1', userAgent: 'ada Browser' },
  ])
  const all = Object.values(files)
    .map((file) => Buffer.from(file).toString('latin1'))
    .join('\n')
  expect(all).not.toMatch(/grace|hash|has a/)
  expect(all).not.toContain(Buffer.from('ada has a token').toString('hex'))
})

test('modules add files in folders of their own: text and bytes as they are, anything else as JSON', async () => {
  const ada = await newPerson('another ada')
  const given: string[] = []
  modules.push({
    name: 'notes',
    title: 'Notes',
    gather: async (userId) => {
      given.push(userId)
      return { 'a.txt': 'as it is', 'b.bin': Buffer.from([0, 255]), 'c.json': { at: new Date(0) } }
    },
  })
  const files = await gatherPerson(ada)
  modules.pop()
  expect(given).toEqual([ada])
  const text = (name: string) => new TextDecoder().decode(files[name])
  expect(text('notes/a.txt')).toBe('as it is')
  expect([...(files['notes/b.bin'] ?? [])]).toEqual([0, 255])
  expect(JSON.parse(text('notes/c.json'))).toEqual({ at: '1970-01-01T00:00:00.000Z' })
})
