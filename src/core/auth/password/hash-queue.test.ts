import { availableParallelism } from 'node:os'
import { expect, test, vi } from 'vitest'
import { timeoutMs } from '../../timeout'
import { runInHashQueue } from './hash-queue'

const maxConcurrent = Math.max(1, availableParallelism() - 1)
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('no more run at once than there are slots, and all run in order', async () => {
  let running = 0
  let maxRunning = 0
  const order: number[] = []
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      runInHashQueue(async () => {
        running++
        maxRunning = Math.max(maxRunning, running)
        order.push(index)
        await pause(2)
        running--
      }),
    ),
  )
  expect(maxRunning).toBe(maxConcurrent)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('a slot is free again after a failure', async () => {
  for (let round = 0; round < maxConcurrent + 1; round++) {
    await expect(runInHashQueue(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  }
  await expect(runInHashQueue(async () => 'yes')).resolves.toBe('yes')
})

test('a full queue rejects at once, a slow queue after two seconds', async () => {
  let release = () => {}
  const blocked = new Promise<void>((resolve) => {
    release = resolve
  })
  const holding = Array.from({ length: maxConcurrent }, () => runInHashQueue(() => blocked))
  vi.useFakeTimers()
  let rejected = 0
  const waiting = Array.from({ length: 50 }, () =>
    runInHashQueue(async () => {}).then(
      () => 'ran',
      (error) => {
        rejected++
        return error.code
      },
    ),
  )
  await expect(runInHashQueue(async () => {})).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 })
  await vi.advanceTimersByTimeAsync(timeoutMs(2_000) - 1)
  expect(rejected).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(await Promise.all(waiting)).toEqual(Array(50).fill('unavailable'))
  vi.useRealTimers()
  release()
  await Promise.all(holding)
  await expect(runInHashQueue(async () => 'yes')).resolves.toBe('yes')
})
