import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { pictureResponse } from './picture-response'

const megabytes = (count: number) => Buffer.alloc(count * 1_000_000, 'x')
const opened: Response[] = []
const open = async (size: number, signal = new AbortController().signal) => {
  const request = new Request('http://localhost/', { signal })
  const response = await pictureResponse(request, async () => megabytes(size))
  opened.push(response)
  return response
}
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => [error.code, error.retryAfter],
  )
const unavailable = ['unavailable', 5]

afterEach(async () => {
  vi.useRealTimers()
  for (const { body } of opened.splice(0)) if (body && !body.locked) await body.cancel().catch(() => {})
  // Whatever a test did, all memory is free again: this is the most that fits.
  expect(await errorOf(open(64))).toBeUndefined()
  await opened.pop()?.body?.cancel()
})

test('a picture is sent with its headers', async () => {
  const response = await pictureResponse(new Request('http://localhost/'), async () => megabytes(1), {
    'X-Test': 'yes',
  })
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/webp',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-test': 'yes',
  })
  expect(Buffer.from(await response.arrayBuffer())).toEqual(megabytes(1))
})

test('beyond 64 MB that were not received yet, pictures are rejected before they are read', async () => {
  const [first] = [await open(30), await open(34)]
  const read = vi.fn(async () => megabytes(1))
  expect(await errorOf(pictureResponse(new Request('http://localhost/'), read))).toEqual(unavailable)
  expect(read).not.toHaveBeenCalled()
  await first?.arrayBuffer()
  expect(await errorOf(open(30))).toBeUndefined()
})

test('a picture that turns out to be too large for what is left is rejected, and holds nothing', async () => {
  await open(60)
  expect(await errorOf(open(5))).toEqual(unavailable)
  expect(await errorOf(open(4))).toBeUndefined()
})

test('pictures that are being read count, too', async () => {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const reading = Array.from({ length: 128 }, () => pictureResponse(new Request('http://localhost/'), () => promise))
  expect(await errorOf(open(1))).toEqual(unavailable)
  resolve(megabytes(0))
  for (const response of await Promise.all(reading)) await response.body?.cancel()
})

test('a failed read, a HEAD request and a caller that disconnects release the memory', async () => {
  const failing = pictureResponse(new Request('http://localhost/'), async () => {
    throw new Error('no database')
  })
  await expect(failing).rejects.toThrow('no database')
  await (await open(60)).body?.cancel()
  const caller = new AbortController()
  await open(60, caller.signal)
  expect(await errorOf(open(60))).toEqual(unavailable)
  caller.abort()
  // Also one that disconnected before the picture was read.
  await open(60, caller.signal)
  expect(await errorOf(open(60))).toBeUndefined()
})

test('a caller that is too slow is cut off after two minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reader = (await open(60)).body?.getReader()
  const chunk = await reader?.read()
  vi.advanceTimersByTime(119_000)
  expect(await errorOf(open(60))).toEqual(unavailable)
  vi.advanceTimersByTime(1_000)
  expect(await errorOf(open(60))).toBeUndefined()
  await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' })
  // What it has not read yet does not keep the rest in memory.
  expect(chunk?.value?.buffer.byteLength).toBeLessThan(100_000)
})

test('the memory is held until a slow caller has received the picture over the network', async () => {
  const server = createServer(async (_, response) => {
    const { body } = await open(60)
    // As Next does it: each chunk waits until the one before has left the process.
    if (body) await pipeline(body, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [incoming] = (await once(get({ port: (server.address() as AddressInfo).port }), 'response')) as [
    IncomingMessage,
  ]
  expect(await errorOf(open(60))).toEqual(unavailable)
  incoming.resume()
  await once(incoming, 'end')
  await expect.poll(() => errorOf(open(60))).toBeUndefined()
  server.close()
})
