import { load, newSession } from './open-page.ts'

// The import above must come first: it mocks next/headers before any other module loads it.

import { eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Role, roles } from '@/core/auth/roles'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { asRequest } from '../../app/support/next-headers.ts'

/** The roles as the recipe ranks them, not as the table does. */
const ranking = ['viewer', 'author', 'editor', 'admin'] as Role[]

// biome-ignore lint/suspicious/noExplicitAny: a file of a module, which is loaded by its path
let tokens: any

beforeAll(async () => {
  tokens = await load('(account)/tokens.ts')
})

const createToken = (owner: string, role: Role): Promise<string> =>
  asRequest({}, () => tokens.createToken(owner, { name: 'A script', role, days: 7 }))

test('is between viewers and editors', () => {
  expect(roles).toEqual(ranking)
})

test.each(ranking)('a user with the role %s can give a token this role and lower ones', async (role) => {
  const owner = await newSession(role)
  const rank = ranking.indexOf(role)
  for (const lower of ranking.slice(0, rank + 1)) await createToken(owner.id, lower)
  for (const higher of ranking.slice(rank + 1))
    await expect(createToken(owner.id, higher)).rejects.toMatchObject({ code: 'forbidden' })
})

test.each(ranking.flatMap((ofToken) => ranking.map((ofOwner) => [ofToken, ofOwner] as const)))(
  'a token with the role %s of a user who is now %s has the lower one',
  async (ofToken, ofOwner) => {
    const owner = await newSession('admin')
    await newSession('admin')
    const token = await createToken(owner.id, ofToken)
    await db.update(users).set({ role: ofOwner }).where(eq(users.id, owner.id))
    const lower = ranking[Math.min(ranking.indexOf(ofToken), ranking.indexOf(ofOwner))]
    expect((await tokens.findBearer(token)).user.role).toBe(lower)
  },
)
