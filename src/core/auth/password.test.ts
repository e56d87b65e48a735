import { hash } from '@node-rs/argon2'
import { expect, test, vi } from 'vitest'
import { hashPassword, isPossiblePassword, verifyPassword } from './password'

test('a password is right only as a whole', async () => {
  const stored = await hashPassword('correct horse battery')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(stored, 'correct horse battery')).toEqual({ isRight: true, isOutdated: false })
  for (const wrong of ['', 'correct horse batter', 'correct horse battery ', 'Correct horse battery']) {
    expect((await verifyPassword(stored, wrong)).isRight, wrong).toBe(false)
  }
})

test('the two ways to write an accented letter are one password', async () => {
  const { isRight } = await verifyPassword(await hashPassword('caf\u00e9 au lait'), 'cafe\u0301 au lait')
  expect(isRight).toBe(true)
})

test('nobody has a password where none is stored', async () => {
  for (const password of ['', 'anything', 'null', 'undefined'])
    expect((await verifyPassword(null, password)).isRight, password).toBe(false)
})

test('a crowd that is there before the first comparison does no lasting harm', async () => {
  vi.resetModules()
  const fresh = await import('./password')
  const crowd = Array.from({ length: 55 }, () => fresh.hashPassword('somebody who signs up'))
  const refused = await fresh.verifyPassword(null, 'x').catch((error) => error.code)
  await Promise.allSettled(crowd)
  expect(refused).toBe('unavailable')
  expect((await fresh.verifyPassword(null, 'x')).isRight).toBe(false)
})

test('an unknown person costs as much work as a wrong password', async () => {
  const stored = await hash('something', { memoryCost: 19456, timeCost: 2, parallelism: 1 })
  await verifyPassword(null, 'warm up')
  const cpu = async (work: () => Promise<unknown>) => {
    const start = process.cpuUsage()
    for (let round = 0; round < 10; round++) await work()
    return process.cpuUsage(start).user
  }
  const ratio = (await cpu(() => verifyPassword(null, 'x'))) / (await cpu(() => verifyPassword(stored, 'x')))
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})

test('a hash with weaker parameters still opens, and is said to be outdated', async () => {
  const weak = await hash('open sesame, please', { memoryCost: 4096, timeCost: 1, parallelism: 1 })
  expect(await verifyPassword(weak, 'open sesame, please')).toEqual({ isRight: true, isOutdated: true })
})

test.each([
  '',
  'nonsense',
  '$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
  '$2b$10$abcdefghijklmnopqrstuv',
  '$argon2id$v=19$m=0,t=0,p=0$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
])('a stored hash like %j opens to nobody, breaks nothing and costs no more than another', async (stored) => {
  const start = Date.now()
  expect((await verifyPassword(stored, 'whatever')).isRight).toBe(false)
  expect(Date.now() - start).toBeLessThan(500)
})

test('what the hasher could mix up, or would take long over, is no password', () => {
  for (const impossible of ['', 'a\0b', '\ud800', 'x\udc00y', 'x'.repeat(513), '\u00e9'.repeat(257)]) {
    expect(isPossiblePassword(impossible), JSON.stringify(impossible.slice(0, 8))).toBe(false)
  }
  for (const possible of ['x', ' ', '\u{1f600}'.repeat(128), 'x'.repeat(512)])
    expect(isPossiblePassword(possible)).toBe(true)
})
