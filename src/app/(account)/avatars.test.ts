import type { ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eq, sql } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { appSlug } from '@/brand'
import { db } from '@/core/db/client'
import { sessions, users } from '@/core/db/schema'
import { startWorker } from '@/core/jobs/worker'
import { startBucket, type TestBucket } from '../../../tests/app/support/bucket'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import { asRequest } from '../../../tests/app/support/next-headers'
import { deleteAccount, removePicture, setPicture } from './actions'
import { GET } from './api/account/avatars/[id]/route'
import { deleteOrphanedPicture, findUserPicture } from './avatars'
import { avatars } from './schema'

vi.setConfig({ testTimeout: 45_000 })

// refresh() needs a request of Next, which unit tests do not have.
vi.mock('next/cache', () => ({ refresh: () => {} }))

/** Makes `gc` available, to force garbage collection. */
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

let bucket: TestBucket
const configureBucket = () => {
  for (const [name, value] of Object.entries(bucket.settings)) vi.stubEnv(`ACCOUNT_S3_${name.toUpperCase()}`, value)
  vi.stubEnv('ACCOUNT_S3_URL', `${bucket.settings.url}/`)
}

beforeAll(async () => {
  bucket = await startBucket()
})
afterAll(() => bucket.stop())
afterEach(() => {
  vi.unstubAllEnvs()
  bucket.onRequest = undefined
})

let token = ''
let userId = ''
beforeEach(async () => {
  await bucket.clear()
  await db.execute(sql`delete from jobs.job where name = ${deleteOrphanedPicture.name}`)
  await db.execute(sql`truncate users cascade`)
  token = await newSessionToken('viewer')
  userId = (await db.select({ id: sessions.userId }).from(sessions))[0]?.id ?? ''
})

const pngFile = (background: string) =>
  sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .png()
    .toBuffer()
    .then((bytes) => new File([new Uint8Array(bytes)], 'me.png', { type: 'image/png' }))

/** The result of the action; `done` when it redirects. */
function runAction(work: () => Promise<unknown>): Promise<unknown> {
  const headers = { 'sec-fetch-site': 'same-origin', cookie: `${appSlug}.session=${token}` }
  return asRequest(headers, work).catch((error) => {
    expect(error.digest).toMatch(/^NEXT_REDIRECT;/)
    return 'done'
  })
}
const upload = async (background = 'red') => {
  const picture = await pngFile(background)
  return runAction(() => setPicture({ picture }))
}
const image = async () => (await db.select({ image: users.image }).from(users).where(eq(users.id, userId)))[0]?.image
const rows = () => db.select({ id: avatars.id, data: avatars.data, userId: avatars.userId }).from(avatars)
const jobs = async () =>
  (
    await db.execute<{ id: string; is_now: boolean }>(
      sql`select data ->> 'id' as id, start_after <= now() as is_now from jobs.job where name = ${deleteOrphanedPicture.name} order by created_on`,
    )
  ).rows
const get = (id: string) => {
  const request = new Request(`http://localhost/api/account/avatars/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return GET(request, { params: Promise.resolve({ id }) })
}

describe('stored in PostgreSQL', () => {
  test('a picture is stored for its user, and served with its content type', async () => {
    expect(await upload()).toBe('done')
    const [row] = await rows()
    expect(await image()).toBe(`/api/account/avatars/${row?.id}`)
    const response = await get(row?.id ?? '')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-disposition': 'inline; filename="picture.webp"',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(row?.data)
    expect(await findUserPicture(userId)).toEqual(row?.data)
    expect(await jobs()).toEqual([])
  })

  test('a new picture has a new URL, and the old one is deleted', async () => {
    await upload('red')
    const before = (await rows())[0]?.id ?? ''
    await upload('blue')
    const after = await rows()
    expect(after).toHaveLength(1)
    expect(after[0]?.id).not.toBe(before)
    expect((await get(before)).status).toBe(404)
    expect((await get(before)).headers.get('cache-control')).toBe('private, no-store')
  })

  test('it can be removed, also when there is none', async () => {
    await upload()
    for (let round = 0; round < 2; round++) expect(await runAction(() => removePicture({}))).toBe('done')
    expect([await image(), await rows(), await findUserPicture(userId)]).toEqual([null, [], null])
  })

  test('pictures of other users are neither changed nor removed', async () => {
    await upload()
    const [mine] = await rows()
    token = await newSessionToken('admin')
    await upload('blue')
    await runAction(() => removePicture({}))
    expect(await rows()).toEqual([mine])
    expect((await get(mine?.id ?? '')).status).toBe(200)
  })

  test('uploads are limited to twenty an hour', async () => {
    const results = []
    for (let count = 0; count < 21; count++)
      results.push(await runAction(() => setPicture({ picture: new File([], 'x') })))
    expect(results.map((result) => (result as { error: { code: string } }).error.code)).toEqual([
      ...Array(20).fill('invalid_input'),
      'rate_limited',
    ])
  })
})

describe('a value that is not a file is rejected, and nothing is fetched', () => {
  const requestedPaths: string[] = []
  beforeEach(() => {
    bucket.onRequest = (request, response) => {
      requestedPaths.push(request.url ?? '')
      response.end()
    }
  })
  test.each([
    ['nothing', undefined],
    ['a word', 'me.png'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:image/png;base64,iVBORw0KGgo='],
    ['a URL', 'http://169.254.169.254/latest/meta-data/'],
    ['a URL of this server', '@server'],
    ['a list', ['a', 'b']],
    ['an object that looks like a file', { name: 'me.png', size: 3, type: 'image/png' }],
  ])('%s', async (_, given) => {
    const picture = given === '@server' ? bucket.settings.url : given
    const expected = {
      ok: false,
      error: { code: 'invalid_input', fields: { picture: [expect.stringMatching(/^Choose an? /)] } },
    }
    expect(await runAction(() => setPicture({ picture: picture as unknown as File }))).toMatchObject(expected)
    expect([await image(), await rows(), requestedPaths]).toEqual([null, [], []])
  })

  test('two files at once, or the empty file that a browser sends when none was chosen', async () => {
    const form = new FormData()
    form.append('picture', new File([], ''))
    const expected = {
      ok: false,
      error: { code: 'invalid_input', fields: { picture: [expect.stringMatching(/^Choose an? /)] } },
    }
    expect(await runAction(() => setPicture(null, form))).toMatchObject(expected)
    form.append('picture', await pngFile('red'))
    expect(await runAction(() => setPicture(null, form))).toMatchObject(expected)
    expect(await rows()).toEqual([])
  })

  test('unauthenticated callers are rejected', async () => {
    const picture = await pngFile('red')
    token = 'x'.repeat(43)
    const expected = { ok: false, error: { code: 'unauthenticated' } }
    expect(await runAction(() => setPicture({ picture }))).toMatchObject(expected)
    expect(await runAction(() => removePicture({}))).toMatchObject(expected)
    const response = await get(crypto.randomUUID())
    expect([response.status, response.headers.get('content-type')]).toEqual([
      401,
      'application/problem+json; charset=utf-8',
    ])
  })

  test('an invalid or unknown id', async () => {
    expect((await get('1')).status).toBe(422)
    expect((await get('../../../etc/passwd')).status).toBe(422)
    expect((await get(crypto.randomUUID())).status).toBe(404)
  })
})

describe('stored in an S3 bucket', () => {
  const keyOf = (id = '') => `avatars/${id}`
  beforeEach(configureBucket)

  test('the upload is signed, the row has no bytes, and the app serves the object itself', async () => {
    expect(await upload()).toBe('done')
    const [row] = await rows()
    expect(row?.data).toBeNull()
    expect(await bucket.keys()).toEqual([keyOf(row?.id)])
    const object = await bucket.read(keyOf(row?.id))
    const response = await get(row?.id ?? '')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(Buffer.from(await response.arrayBuffer())).toEqual(object)
    expect(await findUserPicture(userId)).toEqual(object)
    // The cleanup job enqueued before the upload finds the row, and keeps the object.
    expect(await jobs()).toEqual([{ id: row?.id, is_now: false }])
    await deleteOrphanedPicture.work({ id: row?.id }, { id: 'test' })
    expect(await bucket.keys()).toHaveLength(1)
  })

  test('the cleanup of an upload waits ten minutes by the clock of the database, and is retried for a year', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 })
    expect(await upload().finally(() => vi.useRealTimers())).toBe('done')
    const { rows } = await db.execute<{ seconds: number; days: number }>(
      sql`select extract(epoch from start_after - now())::int as seconds,
        extract(day from keep_until - start_after)::int as days
        from jobs.job where name = ${deleteOrphanedPicture.name}`,
    )
    expect(rows).toEqual([{ seconds: expect.any(Number), days: 365 }])
    expect(Math.abs(Number(rows[0]?.seconds) - 560)).toBeLessThanOrEqual(40)
  })

  test('a wrong secret is rejected', async () => {
    vi.stubEnv('ACCOUNT_S3_SECRET', 'another')
    expect(await upload()).toMatchObject({ ok: false, error: { code: 'unavailable' } })
    expect(bucket.lastStatus).toBe(403)
    expect([await bucket.keys(), await image(), await rows()]).toEqual([[], null, []])
  })

  test.each<[string, NonNullable<TestBucket['onRequest']>]>([
    ['is down', (request) => void request.socket.destroy()],
    ['fails', (_, response) => void response.writeHead(500).end()],
    ['does not know the bucket', (_, response) => void response.writeHead(404).end()],
    ['redirects', (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end()],
    ['never responds', () => {}],
  ])('while it %s, the user sees an error and keeps the current picture', { tags: 'full' }, async (_, fault) => {
    await upload('red')
    vi.stubEnv('TIMEOUT_FACTOR', '1')
    const before = [await image(), await rows()]
    const requestedPaths: string[] = []
    let start = 0
    bucket.onRequest = (request, response, pass) => {
      // Starts here, so that the time spent encoding the picture does not count.
      start = Date.now()
      requestedPaths.push(request.url ?? '')
      fault(request, response, pass)
    }
    // Garbage collection would drop an AbortSignal that nothing references, and its timeout would never fire.
    const gcTimer = setInterval(collectGarbage, 100)
    expect(await upload('blue')).toMatchObject({
      ok: false,
      error: { code: 'unavailable', message: expect.stringMatching(/Try again/) },
    })
    clearInterval(gcTimer)
    expect(Date.now() - start).toBeLessThan(30_000)
    expect([await image(), await rows()]).toEqual(before)
    expect(requestedPaths).toEqual([expect.stringMatching(/^\/[\w-]{36}\/avatars\/[\w-]{36}$/)])
  })

  test('of concurrent uploads, one stays, and the user row points to it', { tags: 'full' }, async () => {
    const pendingResponses: ServerResponse[] = []
    bucket.onRequest = async (_, response, pass) => {
      await pass()
      // Releases all four at once, so that they reach the database together.
      if (pendingResponses.push(response) === 4) for (const each of pendingResponses) each.end()
    }
    expect(await Promise.all(['red', 'green', 'blue', 'white'].map(upload))).toEqual(Array(4).fill('done'))
    bucket.onRequest = undefined
    const left = await rows()
    expect(left).toHaveLength(1)
    expect(await image()).toBe(`/api/account/avatars/${left[0]?.id}`)
    for (const { id } of await jobs()) await deleteOrphanedPicture.work({ id }, { id: 'test' })
    expect(await bucket.keys()).toEqual([keyOf(left[0]?.id)])
  })

  test('while it is down, pictures respond with 503, not 404', async () => {
    await upload()
    bucket.onRequest = (request) => request.socket.destroy()
    const response = await get((await rows())[0]?.id ?? '')
    expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'private, no-store'])
  })

  test('an orphaned object is deleted: the upload succeeded, and then the database failed', async () => {
    const lost = crypto.randomUUID()
    await bucket.write(keyOf(lost), 'x')
    await deleteOrphanedPicture.work({ id: lost }, { id: 'test' })
    await deleteOrphanedPicture.work({ id: lost }, { id: 'test' })
    expect(await bucket.keys()).toEqual([])
  })

  test('the upload of a user who is deleted meanwhile leaves nothing behind', async () => {
    bucket.onRequest = async (_, response, pass) => {
      await db.delete(users)
      await pass()
      response.end()
    }
    expect(await upload()).toMatchObject({ ok: false, error: { code: 'not_found' } })
    bucket.onRequest = undefined
    expect(await bucket.keys()).toHaveLength(1)
    for (const { id } of await jobs()) await deleteOrphanedPicture.work({ id }, { id: 'test' })
    expect(await bucket.keys()).toEqual([])
  })

  test.each([
    ['a new picture', () => upload('blue'), 1],
    ['removing it', () => runAction(() => removePicture({})), 0],
  ] as const)('%s deletes the old object in a job, with retries', { tags: 'full' }, async (_, change, left) => {
    await upload('red')
    const [old] = await rows()
    await change()
    expect(await bucket.keys()).toContain(keyOf(old?.id))
    expect(await jobs()).toContainEqual({ id: old?.id, is_now: true })
    bucket.onRequest = (_request, response) => response.writeHead(503).end()
    await expect(deleteOrphanedPicture.work({ id: old?.id }, { id: 'test' })).rejects.toThrow()
    bucket.onRequest = undefined
    const worker = startWorker([deleteOrphanedPicture])
    await expect.poll(() => bucket.keys(), { timeout: 20_000 }).not.toContain(keyOf(old?.id))
    await worker.stop()
    expect(await bucket.keys()).toHaveLength(left)
  })

  test('deleting a user deletes the object, too', async () => {
    await upload()
    const [old] = await rows()
    const [user] = await db.select({ email: users.email }).from(users)
    expect(await runAction(() => deleteAccount({ typedEmail: user?.email ?? '' }))).toBe('done')
    expect(await rows()).toEqual([])
    expect(await jobs()).toContainEqual({ id: old?.id, is_now: true })
    await deleteOrphanedPicture.work({ id: old?.id }, { id: 'test' })
    expect(await bucket.keys()).toEqual([])
  })

  test('pictures stored in PostgreSQL before stay readable, and are deleted there', async () => {
    vi.unstubAllEnvs()
    await upload()
    configureBucket()
    const [row] = await rows()
    expect((await get(row?.id ?? '')).status).toBe(200)
    await runAction(() => removePicture({}))
    expect([await rows(), await jobs()]).toEqual([[], []])
  })

  test('without its settings, pictures in the bucket respond with 503, and the cleanup job fails', async () => {
    await upload()
    vi.unstubAllEnvs()
    expect((await get((await rows())[0]?.id ?? '')).status).toBe(503)
    await expect(deleteOrphanedPicture.work({ id: crypto.randomUUID() }, { id: 'test' })).rejects.toThrow()
  })
})
