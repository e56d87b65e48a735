import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { db } from '../../db/client'
import { passwords, users } from '../../db/schema'
import { verifyPassword } from '../password/hash'
import { createUser } from './create'

const ada = { email: 'Ada@Example.com', name: ' Ada  ', role: 'editor' as const, password: 'a long walk by the sea' }

describe('creating a user', () => {
  test('stores the normalized email, the role, and only a hash of the password', async () => {
    const id = await createUser(ada)
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
    expect((await verifyPassword(row?.hash, ada.password)).isCorrect).toBe(true)
  })

  test('rejects an email that is already taken, in any spelling, even with concurrent calls', async () => {
    const email = 'grace@example.com'
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => createUser({ ...ada, email: index % 2 ? email : email.toUpperCase() })),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(createUser({ ...ada, email })).rejects.toMatchObject({ code: 'conflict' })
    expect(await db.select({ id: users.id }).from(users).where(eq(users.email, email))).toHaveLength(1)
  })

  test('reports all invalid fields at once', async () => {
    const wrong = { email: 'nobody', name: '\n', role: 'owner' as never, password: 'short' }
    await expect(createUser(wrong)).rejects.toMatchObject({
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
