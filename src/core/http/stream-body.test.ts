import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AppError } from '../errors'
import { streamBody } from './stream-body'

/** Counts the generated chunks, and records whether the generator was stopped. */
function source(count = Number.POSITIVE_INFINITY) {
  const seen = { made: 0, isStopped: false, ends: 0 }
  async function* make() {
    try {
      while (seen.made < count) yield Uint8Array.of(++seen.made)
    } finally {
      seen.isStopped = true
    }
  }
  return { seen, chunks: make(), onEnd: () => void seen.ends++ }
}

const { signal } = new AbortController()

test('chunks are only generated when they are read', async () => {
  const { seen, chunks, onEnd } = source(3)
  const body = streamBody(chunks, { signal, onEnd })
  await sleep(5)
  expect(seen).toEqual({ made: 0, isStopped: false, ends: 0 })
  expect([...(await new Response(body).bytes())]).toEqual([1, 2, 3])
  expect(seen).toEqual({ made: 3, isStopped: true, ends: 1 })
})

test('the generator stops when the reader cancels or the request is aborted', async () => {
  const one = source()
  const reader = streamBody(one.chunks, { signal, onEnd: one.onEnd }).getReader()
  await reader.read()
  await reader.cancel()
  await sleep(5)
  expect(one.seen).toEqual({ made: 1, isStopped: true, ends: 1 })

  const other = source()
  const caller = new AbortController()
  const otherReader = streamBody(other.chunks, { signal: caller.signal, onEnd: other.onEnd }).getReader()
  await otherReader.read()
  caller.abort()
  await expect(otherReader.read()).rejects.toThrow('the caller disconnected')
  expect(other.seen).toEqual({ made: 1, isStopped: true, ends: 1 })

  const disconnected = source()
  await expect(
    new Response(streamBody(disconnected.chunks, { ...disconnected, signal: caller.signal })).bytes(),
  ).rejects.toThrow()
  expect(disconnected.seen).toEqual({ made: 0, isStopped: false, ends: 1 })
})

test('a reader that is too slow is cut off', async () => {
  const { seen, chunks, onEnd } = source()
  const reader = streamBody(chunks, { signal, onEnd, maxMs: 20 }).getReader()
  await reader.read()
  await sleep(40)
  await expect(reader.read()).rejects.toThrow('too slow')
  expect(seen).toEqual({ made: 1, isStopped: true, ends: 1 })
})

test('an error of the generator reaches the reader', async () => {
  let ends = 0
  // biome-ignore lint/correctness/useYield: it throws before
  async function* fail(): AsyncGenerator<Uint8Array> {
    throw new Error('no database')
  }
  const body = streamBody(fail(), { signal, onEnd: () => ends++ })
  await expect(new Response(body).bytes()).rejects.toThrow('no database')
  expect(ends).toBe(1)
})

test('a caller who has lost the permission is cut off, which is no error of the app', async () => {
  async function* lose() {
    yield Uint8Array.of(1)
    throw new AppError('forbidden')
  }
  let ends = 0
  const reader = streamBody(lose(), { signal, onEnd: () => void ends++ }).getReader()
  await reader.read()
  await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' })
  expect(ends).toBe(1)
})
