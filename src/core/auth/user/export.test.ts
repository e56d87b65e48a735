import { expect, test } from 'vitest'
import { modules } from '@/modules'
import { db } from '../../db/client'
import { auditEvents, identities, passwords, sessions, users } from '../../db/schema'
import { exportUserData } from './export'

/** Reads all exported files to the end. */
async function readFiles(userId: string): Promise<Record<string, Uint8Array>> {
  const read: Record<string, Uint8Array> = {}
  for (const { name, chunks } of await exportUserData(userId)) read[name] = Buffer.concat(await Array.fromAsync(chunks))
  return read
}

async function newUser(name: string): Promise<string> {
  const [user] = await db
    .insert(users)
    .values({ email: `${name}@example.com`, name })
    .returning({ id: users.id })
  const userId = user?.id ?? ''
  await db.insert(passwords).values({ userId, hash: `${name} has a hash` })
  await db.insert(identities).values({ provider: 'google', providerAccountId: `${name} at google`, userId })
  await db
    .insert(sessions)
    .values({ userId, tokenHash: Buffer.from(`${name} has a token`), userAgent: `${name} Browser` })
  return userId
}

test('the export contains all data of the user in core, no data of other users, and no credentials', async () => {
  const [ada, grace] = [await newUser('ada'), await newUser('grace')]
  await db.insert(auditEvents).values([
    { kind: 'password.changed', actorId: ada, targetId: ada, ip: '192.0.2.1', userAgent: 'ada Browser' },
    { kind: 'signin.failed', targetId: ada, ip: '192.0.2.2', details: { reason: 'password' } },
    { kind: 'role.changed', actorId: grace, targetId: ada, ip: '192.0.2.3', userAgent: 'grace Browser' },
    { kind: 'password.changed', actorId: grace, targetId: grace },
  ])
  const files = await readFiles(ada)
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

test('modules add files in their own folders: text and bytes unchanged, anything else as JSON', async () => {
  const ada = await newUser('another ada')
  const given: string[] = []
  modules.push({
    name: 'notes',
    title: 'Notes',
    exportUserData: async (userId) => {
      given.push(userId)
      return { 'a.txt': 'as it is', 'b.bin': Buffer.from([0, 255]), 'c.json': { at: new Date(0) } }
    },
  })
  const files = await readFiles(ada)
  modules.pop()
  expect(given).toEqual([ada])
  const text = (name: string) => new TextDecoder().decode(files[name])
  expect(text('notes/a.txt')).toBe('as it is')
  expect([...(files['notes/b.bin'] ?? [])]).toEqual([0, 255])
  expect(JSON.parse(text('notes/c.json'))).toEqual({ at: '1970-01-01T00:00:00.000Z' })
})

test('a list of any length is streamed page by page, with the same text as if it were written at once', async () => {
  const ada = await newUser('a third ada')
  await db.insert(auditEvents).values(
    Array.from({ length: 1_203 }, (_, index) => ({
      kind: `thing.${index}`,
      at: new Date(Date.UTC(2031, 0, 1, 0, 0, Math.floor(index / 7))),
      // A third of the events are found by both index scans, the others by one each.
      ...(index % 3 < 2 && { actorId: ada }),
      ...(index % 3 !== 1 && { targetId: ada }),
    })),
  )
  modules.push({
    name: 'notes',
    title: 'Notes',
    exportUserData: async () => ({
      'pages.json': (async function* () {
        yield [{ a: 1 }, { a: 2 }]
        yield []
        yield [{ a: 3 }]
      })(),
      'none.json': (async function* () {})(),
    }),
  })
  const files = await readFiles(ada)
  modules.pop()
  const text = (name: string) => new TextDecoder().decode(files[name])
  const events: { kind: string }[] = JSON.parse(text('activity.json'))
  expect(events.map(({ kind }) => kind)).toEqual(Array.from({ length: 1_203 }, (_, index) => `thing.${1_202 - index}`))
  for (const name of ['activity.json', 'notes/pages.json', 'notes/none.json'])
    expect(text(name)).toBe(`${JSON.stringify(JSON.parse(text(name)), null, 2)}\n`)
  expect(JSON.parse(text('notes/pages.json'))).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
})
