import { afterEach, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { checkEnv } from '@/core/env'
import { accountEnv } from './env'
import { totp } from './schema'
import { findSecondFactor, findUsersWithTwoFactor } from './second-factor'

async function newUser(role: 'viewer' | 'admin'): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`
  const [user] = await db.insert(users).values({ email, name: 'Ada', role }).returning({ id: users.id })
  return user?.id ?? ''
}

afterEach(() => {
  delete process.env.ACCOUNT_TWO_STEP
})

test.each([
  [undefined, 'viewer', undefined],
  ['optional', 'admin', undefined],
  ['admins', 'viewer', undefined],
  ['admins', 'admin', 'totp_setup'],
  ['everybody', 'viewer', 'totp_setup'],
] as const)('with ACCOUNT_TWO_STEP=%s a %s without a second factor needs %s', async (setting, role, expectedKind) => {
  if (setting) process.env.ACCOUNT_TWO_STEP = setting
  expect((await findSecondFactor(await newUser(role)))?.kind).toBe(expectedKind)
})

test('a user who has a second factor needs it, whatever the setting', async () => {
  const userId = await newUser('viewer')
  await db.insert(totp).values({ userId, secret: 'encrypted', confirmedAt: new Date() })
  for (const setting of ['optional', 'admins', 'everybody']) {
    process.env.ACCOUNT_TWO_STEP = setting
    expect(await findSecondFactor(userId)).toMatchObject({ kind: 'totp', page: '/signin/second' })
  }
})

test('of several users, those with a second factor are found; an unfinished setup does not count', async () => {
  const [on, started, off] = [await newUser('viewer'), await newUser('admin'), await newUser('viewer')]
  await db.insert(totp).values([
    { userId: on, secret: 'encrypted', confirmedAt: new Date() },
    { userId: started, secret: 'encrypted' },
  ])
  expect(await findUsersWithTwoFactor([on, started, off])).toEqual(new Set([on]))
  expect(await findUsersWithTwoFactor([off])).toEqual(new Set())
  expect(await findUsersWithTwoFactor([])).toEqual(new Set())
})

test('any other value is a configuration error', () => {
  expect(checkEnv([accountEnv], { ACCOUNT_TWO_STEP: 'some' })).toContain('is none of optional, admins, everybody')
})
