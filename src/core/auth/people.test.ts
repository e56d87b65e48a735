import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { appName } from '../app-name'
import { db } from '../db/client'
import { passwords, users } from '../db/schema'
import { verifyPassword } from './password'
import { createPerson, normalizeName, passwordProblem } from './people'

const ada = { email: 'Ada@Example.com', name: ' Ada  ', role: 'editor' as const, password: 'a long walk by the sea' }

describe('adding a person', () => {
  test('stores the address in its one spelling, the role, and only a hash of the password', async () => {
    const id = await createPerson(ada)
    const [row] = await db
      .select({
        email: users.email,
        name: users.name,
        role: users.role,
        verified: users.emailVerifiedAt,
        hash: passwords.hash,
      })
      .from(users)
      .innerJoin(passwords, eq(passwords.userId, users.id))
      .where(eq(users.id, id))
    expect(row).toMatchObject({ email: 'ada@example.com', name: 'Ada', role: 'editor', verified: expect.any(Date) })
    expect((await verifyPassword(row?.hash, ada.password)).isRight).toBe(true)
  })

  test('refuses an address that somebody has, however it is written, also when many try at once', async () => {
    const email = 'grace@example.com'
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        createPerson({ ...ada, email: index % 2 ? email : email.toUpperCase() }),
      ),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(createPerson({ ...ada, email })).rejects.toMatchObject({ code: 'conflict' })
    expect(await db.select({ id: users.id }).from(users).where(eq(users.email, email))).toHaveLength(1)
  })

  test('names everything that is wrong at once', async () => {
    const wrong = { email: 'nobody', name: '\n', role: 'owner' as never, password: 'short' }
    await expect(createPerson(wrong)).rejects.toMatchObject({
      code: 'invalid_input',
      fields: {
        email: [expect.any(String)],
        name: [expect.any(String)],
        role: [expect.any(String)],
        password: [expect.any(String)],
      },
    })
  })
})

/** The app's name, until it is as long as a password. */
const nameOften = Array.from({ length: Math.ceil(12 / appName.length) }, () => appName)

test.each([
  ['eleven char', 'at least 12'],
  ['x'.repeat(129), 'at most 128'],
  ['a'.padEnd(100_000, '\u0301\u0323'), 'at most 128'],
  [' '.repeat(15), 'too easy'],
  ['abababababababab', 'too easy'],
  ['a\0bcdefghijklmnop', 'cannot be used'],
  ['ada.lovelace was here', 'e-mail'],
  ['Password123456', 'everybody tries'],
  [nameOften.join('-'), 'name of this app'],
  [`-- ${[...nameOften.join('').toUpperCase()].join('.')} --`, 'name of this app'],
  [`${appName}-admin-2026`, 'name of this app'],
  ['Editor @ Example 77', 'where you work'],
])('%j is no password for ada.lovelace@example.com', async (password, complaint) => {
  expect(await passwordProblem(password, 'ada.lovelace@example.com')).toContain(complaint)
})

test('a short name in an address does not spoil every password; the address itself is none', async () => {
  expect(await passwordProblem('a long walk by the sea', 'a@example.com')).toBeUndefined()
  expect(await passwordProblem('A@example.com', 'a@Example.com')).toContain('e-mail')
})

test.each(['correct horse battery', '\u{1f40e}\u{1f50b}\u{1f4ce}\u{1f33f}'.repeat(3), `${'x'.repeat(100)}abcdefgh`])(
  '%j is one',
  async (password) => {
    expect(await passwordProblem(password, 'ada@example.com')).toBeUndefined()
  },
)

test('a name is kept as it was written, but for spaces around it; nothing in it can break a line', () => {
  expect(normalizeName('  Zoe\u0308 O’Neill ')).toBe('Zoë O’Neill')
  expect(normalizeName('\u{1f600}'.repeat(100))).toHaveLength(200)
  expect(normalizeName('\u{1f469}\u200d\u{1f680}')).toBe('\u{1f469}\u200d\u{1f680}')
  for (const wrong of [
    '',
    '   ',
    'x'.repeat(101),
    // Seconds, if it were normalized before it is measured.
    'a'.padEnd(100_000, '\u0301\u0323'),
    'a\nb',
    'a\0b',
    'a\u202eb',
    'a\u2028b',
    '\ud800',
    '\u200b\u200d',
    '\u3164',
  ])
    expect(normalizeName(wrong)).toBeNull()
})
