import { afterEach, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { checkEnv } from '@/core/env'
import { accountEnv } from './env'
import { totp } from './schema'
import { findChallenge } from './second-factor'

async function somebody(role: 'viewer' | 'admin'): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`
  const [person] = await db.insert(users).values({ email, name: 'Ada', role }).returning({ id: users.id })
  return person?.id ?? ''
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
] as const)('with ACCOUNT_TWO_STEP=%s a %s without a second factor owes %s', async (setting, role, owed) => {
  if (setting) process.env.ACCOUNT_TWO_STEP = setting
  expect((await findChallenge(await somebody(role)))?.kind).toBe(owed)
})

test('who has one is asked for it, whatever the setting', async () => {
  const userId = await somebody('viewer')
  await db.insert(totp).values({ userId, secret: 'sealed', confirmedAt: new Date() })
  for (const setting of ['optional', 'admins', 'everybody']) {
    process.env.ACCOUNT_TWO_STEP = setting
    expect(await findChallenge(userId)).toEqual({ kind: 'totp', page: '/signin/second' })
  }
})

test('any other word does not start', () => {
  expect(checkEnv([accountEnv], { ACCOUNT_TWO_STEP: 'some' })).toContain('is none of optional, admins, everybody')
})
