import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { inHashQueue } from './hash-queue'

const places = Math.max(1, availableParallelism() - 1)
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('no more run at once than there are places, and all get their turn, in order', async () => {
  let now = 0
  let most = 0
  const order: number[] = []
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      inHashQueue(async () => {
        now++
        most = Math.max(most, now)
        order.push(index)
        await pause(2)
        now--
      }),
    ),
  )
  expect(most).toBe(places)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('a place is free again after a failure', async () => {
  for (let round = 0; round < places + 1; round++) {
    await expect(inHashQueue(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  }
  await expect(inHashQueue(async () => 'yes')).resolves.toBe('yes')
})

test('a crowd is told to come back at once, a slow queue after two seconds', async () => {
  let release = () => {}
  const blocked = new Promise<void>((resolve) => {
    release = resolve
  })
  const holding = Array.from({ length: places }, () => inHashQueue(() => blocked))
  const start = Date.now()
  const waiting = Array.from({ length: 50 }, () =>
    inHashQueue(async () => {}).then(
      () => 'ran',
      (error) => error.code,
    ),
  )
  await expect(inHashQueue(async () => {})).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 })
  expect(Date.now() - start).toBeLessThan(500)
  expect(await Promise.all(waiting)).toEqual(Array(50).fill('unavailable'))
  expect(Date.now() - start).toBeGreaterThan(1_900)
  release()
  await Promise.all(holding)
  await expect(inHashQueue(async () => 'yes')).resolves.toBe('yes')
})
