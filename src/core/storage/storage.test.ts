import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBucket, type TestBucket } from '../../../tests/app/support/bucket'
import { defineStorage } from './storage'

let bucket: TestBucket
beforeAll(async () => {
  bucket = await startBucket()
})
afterAll(() => bucket.stop())
beforeEach(async () => {
  bucket.onRequest = undefined
  await bucket.clear()
})

const bytes = Buffer.from('some bytes')
const noBucket = () => ({ url: undefined, region: undefined, key: undefined, secret: undefined })
describe('without a bucket', () => {
  test.each([
    ['defined without one', defineStorage('files')],
    ['without its settings', defineStorage('files', noBucket)],
  ])('%s, the row holds the bytes, and nothing is sent', async (_, storage) => {
    expect(storage.isExternal()).toBe(false)
    const stored = await storage.write('a', bytes)
    expect(stored).toBe(bytes)
    expect(await storage.read('a', bytes)).toBe(bytes)
    expect(await bucket.keys()).toEqual([])
  })
})

describe('with a bucket', () => {
  const storage = defineStorage('files', () => bucket.settings)

  test('the row holds nothing, and the object is in the folder of the storage', async () => {
    expect(storage.isExternal()).toBe(true)
    expect(await storage.write('a/640.webp', bytes)).toBeNull()
    expect(await bucket.keys()).toEqual(['files/a/640.webp'])
    expect(await storage.read('a/640.webp', null)).toEqual(bytes)
    await storage.remove('a/640.webp')
    expect(await bucket.keys()).toEqual([])
    expect(await storage.read('a/640.webp', null)).toBeNull()
    await storage.remove('a/640.webp')
  })

  test('a file that was stored in a row before is still read from there', async () => {
    expect(await storage.read('a', bytes)).toBe(bytes)
  })

  test('a file in a bucket whose settings were removed is unavailable, not missing', async () => {
    const without = defineStorage('files', noBucket)
    await expect(without.read('a', null)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(without.remove('a')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a file is unavailable, not cut short, when the bucket stops while it is read', async () => {
    await storage.write('a', bytes)
    bucket.onRequest = async (_, response, pass) => {
      const { status, body } = await pass()
      response.writeHead(status, { 'Content-Length': body.length })
      response.write(body.subarray(0, body.length / 2))
      await pause(50)
      response.destroy()
    }
    await expect(storage.read('a', null)).rejects.toMatchObject({ code: 'unavailable' })
    bucket.onRequest = undefined
    expect(await storage.read('a', null)).toEqual(bytes)
  })

  test('a file is not stored when the bucket stops while it is written', async () => {
    bucket.onRequest = (request) => request.once('data', () => request.socket.destroy())
    await expect(storage.write('a', Buffer.alloc(5_000_000))).rejects.toMatchObject({ code: 'unavailable' })
    bucket.onRequest = undefined
    expect(await storage.read('a', null)).toBeNull()
  })

  test('a file may be stored although the bucket stops before it says so: writing it again succeeds', async () => {
    bucket.onRequest = async (request, _, pass) => {
      await pass()
      request.socket.destroy()
    }
    await expect(storage.write('a', bytes)).rejects.toMatchObject({ code: 'unavailable' })
    bucket.onRequest = undefined
    expect(await bucket.keys()).toEqual(['files/a'])
    await storage.write('a', bytes)
    expect(await storage.read('a', null)).toEqual(bytes)
  })

  test('a wrong secret stores nothing', async () => {
    const wrong = defineStorage('files', () => ({ ...bucket.settings, secret: 'another' }))
    await expect(wrong.write('a', bytes)).rejects.toMatchObject({ code: 'unavailable' })
    expect([bucket.lastStatus, await bucket.keys()]).toEqual([403, []])
  })
})
