import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './password'

test('a password is right only as a whole', async () => {
  const stored = await hashPassword('correct horse battery')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(stored, 'correct horse battery')).toBe(true)
  for (const wrong of ['', 'correct horse batter', 'correct horse battery ', 'Correct horse battery']) {
    expect(await verifyPassword(stored, wrong), wrong).toBe(false)
  }
})

test('the two ways to write an accented letter are one password', async () => {
  expect(await verifyPassword(await hashPassword('caf\u00e9 au lait'), 'cafe\u0301 au lait')).toBe(true)
})

test('nobody has a password, not even the one that stands in for it', async () => {
  expect(await verifyPassword(null, 'nobody has this password')).toBe(false)
})

test('an unknown person costs as much work as a wrong password', async () => {
  const stored = await hash('something', { memoryCost: 19456, timeCost: 2, parallelism: 1 })
  await verifyPassword(null, 'warm up')
  const cpu = async (work: () => Promise<boolean>) => {
    const start = process.cpuUsage()
    for (let round = 0; round < 10; round++) await work()
    return process.cpuUsage(start).user
  }
  const ratio = (await cpu(() => verifyPassword(null, 'x'))) / (await cpu(() => verifyPassword(stored, 'x')))
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})
