import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { asRequest } from '../../../../tests/app/support/next-headers'
import { db } from '../../db/client'
import { passwords } from '../../db/schema'
import { createUser } from '../user/create'
import { signInWithPassword } from './sign-in'

test('an old password is still accepted', async () => {
  const ada = { email: 'ada@example.com', name: 'Ada', role: 'viewer' as const, password: 'a long walk by the sea' }
  const userId = await createUser(ada)
  await db.update(passwords).set({ changedAt: sql`now() - interval '10 years'` }).where(eq(passwords.userId, userId))
  const { session } = await asRequest({}, () => signInWithPassword(ada.email, ada.password))
  expect(session?.user.id).toBe(userId)
})
