import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eq, sql } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/core/db/client'
import { sessions, users } from '@/core/db/schema'
import { startWorker } from '@/core/jobs/worker'
import { asRequest } from '../../../tests/support/next-headers'
import { signedInAs } from '../../../tests/support/people'
import { deleteAccount, removePicture, setPicture } from './actions'
import { GET } from './api/account/avatars/[id]/route'
import { forgetPicture, pictureOf } from './avatars'
import { avatars } from './schema'

vi.setConfig({ testTimeout: 45_000 })

// There is no browser here whose pages could be shown anew.
vi.mock('next/cache', () => ({ refresh: () => {} }))

const region = 'eu-test-1'
const key = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const objects = new Map<string, Buffer>()
/** Has Node collect its garbage now. */
setFlagsFromString('--expose-gc')
const sweep: () => void = runInNewContext('gc')

let behave: ((request: IncomingMessage, response: ServerResponse) => void) | undefined

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text).digest()

/** Signature version 4, written from its description: what is wrong with the request, or undefined. */
function faultIn({ method, url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, id, day = '', where, signed = '', signature] = parts.exec(headers.authorization ?? '') ?? []
  if (id !== key.id || where !== region) return 'another key or region'
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'another body'
  const at = String(headers['x-amz-date'])
  const moment = Date.parse(at.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'))
  if (!at.startsWith(day) || !(Math.abs(Date.now() - moment) < 15 * 60_000)) return 'another time'
  for (const name of ['host', 'x-amz-date', 'x-amz-content-sha256']) if (!signed.split(';').includes(name)) return name
  const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, url, '', lines.join(''), signed, sha256(body)].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const secret = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${key.secret}`, day))
  const expected = hmac(secret, ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')).toString('hex')
  return signature === expected ? undefined : 'another signature'
}

const faults: string[] = []
const server = createServer(async (request, response) => {
  if (behave) return behave(request, response)
  const body = Buffer.concat(await request.toArray())
  const fault = faultIn(request, body)
  if (fault) {
    faults.push(fault)
    response.writeHead(403).end()
    return
  }
  const path = request.url ?? ''
  const object = objects.get(path)
  if (request.method === 'PUT') objects.set(path, body)
  if (request.method === 'DELETE') objects.delete(path)
  if (request.method === 'GET') response.writeHead(object ? 200 : 404).end(object)
  else response.writeHead(request.method === 'PUT' ? 200 : 204).end()
})

const useBucket = () => {
  vi.stubEnv('ACCOUNT_S3_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/people/`)
  vi.stubEnv('ACCOUNT_S3_REGION', region)
  vi.stubEnv('ACCOUNT_S3_KEY', key.id)
  vi.stubEnv('ACCOUNT_S3_SECRET', key.secret)
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())
afterEach(() => {
  expect(faults.splice(0)).toEqual([])
  vi.unstubAllEnvs()
  behave = undefined
})

let token = ''
let userId = ''
beforeEach(async () => {
  objects.clear()
  await db.execute(sql`delete from jobs.job where name = ${forgetPicture.name}`)
  await db.execute(sql`truncate users cascade`)
  token = await signedInAs('viewer')
  userId = (await db.select({ id: sessions.userId }).from(sessions))[0]?.id ?? ''
})

const sendAs = (background: string) =>
  sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .png()
    .toBuffer()
    .then((bytes) => new File([new Uint8Array(bytes)], 'me.png', { type: 'image/png' }))

/** What the action answers; `done` when it leads back to the page. */
function act(work: () => Promise<unknown>): Promise<unknown> {
  const headers = { 'sec-fetch-site': 'same-origin', cookie: `plinth.session=${token}` }
  return asRequest(headers, work).catch((error) => {
    expect(error.digest).toMatch(/^NEXT_REDIRECT;/)
    return 'done'
  })
}
const send = async (background = 'red') => {
  const picture = await sendAs(background)
  return act(() => setPicture({ picture }))
}
const image = async () => (await db.select({ image: users.image }).from(users).where(eq(users.id, userId)))[0]?.image
const rows = () => db.select({ id: avatars.id, data: avatars.data, userId: avatars.userId }).from(avatars)
const jobs = async () =>
  (
    await db.execute<{ id: string; is_now: boolean }>(
      sql`select data ->> 'id' as id, start_after <= now() as is_now from jobs.job where name = ${forgetPicture.name} order by created_on`,
    )
  ).rows
const get = (id: string) => {
  const request = new Request(`http://localhost/api/account/avatars/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return GET(request, { params: Promise.resolve({ id }) })
}

describe('in the database', () => {
  test('a picture is kept with its person, and served as what it is', async () => {
    expect(await send()).toBe('done')
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
    expect(await pictureOf(userId)).toEqual(row?.data)
    expect(await jobs()).toEqual([])
  })

  test('the next one has another address, and the old one is gone', async () => {
    await send('red')
    const before = (await rows())[0]?.id ?? ''
    await send('blue')
    const after = await rows()
    expect(after).toHaveLength(1)
    expect(after[0]?.id).not.toBe(before)
    expect((await get(before)).status).toBe(404)
    expect((await get(before)).headers.get('cache-control')).toBe('private, no-store')
  })

  test('it can be taken away, also when there is none', async () => {
    await send()
    for (let round = 0; round < 2; round++) expect(await act(() => removePicture({}))).toBe('done')
    expect([await image(), await rows(), await pictureOf(userId)]).toEqual([null, [], null])
  })

  test('another person’s picture is neither changed nor taken', async () => {
    await send()
    const [mine] = await rows()
    token = await signedInAs('admin')
    await send('blue')
    await act(() => removePicture({}))
    expect(await rows()).toEqual([mine])
    expect((await get(mine?.id ?? '')).status).toBe(200)
  })

  test('twenty in an hour are enough', async () => {
    const answers = []
    for (let count = 0; count < 21; count++) answers.push(await act(() => setPicture({ picture: new File([], 'x') })))
    expect(answers.map((answer) => (answer as { error: { code: string } }).error.code)).toEqual([
      ...Array(20).fill('invalid_input'),
      'rate_limited',
    ])
  })
})

describe('what is no file is refused, and nothing is fetched', () => {
  const asked: string[] = []
  beforeEach(() => {
    behave = (request, response) => {
      asked.push(request.url ?? '')
      response.end()
    }
  })
  test.each([
    ['nothing', undefined],
    ['a word', 'me.png'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:image/png;base64,iVBORw0KGgo='],
    ['an address', 'http://169.254.169.254/latest/meta-data/'],
    ['our own address', '@server'],
    ['a list', ['a', 'b']],
    ['an object that looks like a file', { name: 'me.png', size: 3, type: 'image/png' }],
  ])('%s', async (_, given) => {
    const picture = given === '@server' ? `http://127.0.0.1:${(server.address() as AddressInfo).port}/` : given
    const expected = { ok: false, error: { code: 'invalid_input', fields: { picture: ['Choose a picture'] } } }
    expect(await act(() => setPicture({ picture: picture as unknown as File }))).toMatchObject(expected)
    expect([await image(), await rows(), asked]).toEqual([null, [], []])
  })

  test('two files at once, or the empty one that a browser sends when none was chosen', async () => {
    const form = new FormData()
    form.append('picture', new File([], ''))
    const expected = { ok: false, error: { code: 'invalid_input', fields: { picture: ['Choose a picture'] } } }
    expect(await act(() => setPicture(null, form))).toMatchObject(expected)
    form.append('picture', await sendAs('red'))
    expect(await act(() => setPicture(null, form))).toMatchObject(expected)
    expect(await rows()).toEqual([])
  })

  test('nobody but who is signed in', async () => {
    const picture = await sendAs('red')
    token = 'x'.repeat(43)
    const expected = { ok: false, error: { code: 'unauthenticated' } }
    expect(await act(() => setPicture({ picture }))).toMatchObject(expected)
    expect(await act(() => removePicture({}))).toMatchObject(expected)
    const response = await get(crypto.randomUUID())
    expect([response.status, response.headers.get('content-type')]).toEqual([
      401,
      'application/problem+json; charset=utf-8',
    ])
  })

  test('an id that is none', async () => {
    expect((await get('1')).status).toBe(422)
    expect((await get('../../../etc/passwd')).status).toBe(422)
    expect((await get(crypto.randomUUID())).status).toBe(404)
  })
})

describe('in a bucket', () => {
  const path = (id = '') => `/people/avatars/${id}`
  beforeEach(useBucket)

  test('the object is signed, its row has no bytes, and we serve it ourselves', async () => {
    expect(await send()).toBe('done')
    const [row] = await rows()
    expect(row?.data).toBeNull()
    expect([...objects.keys()]).toEqual([path(row?.id)])
    const response = await get(row?.id ?? '')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(Buffer.from(await response.arrayBuffer())).toEqual(objects.get(path(row?.id)))
    expect(await pictureOf(userId)).toEqual(objects.get(path(row?.id)))
    // What was asked for in case it went wrong finds the row, and leaves the object alone.
    expect(await jobs()).toEqual([{ id: row?.id, is_now: false }])
    await forgetPicture.work({ id: row?.id }, { id: 'test' })
    expect(objects.size).toBe(1)
  })

  test('a wrong secret opens nothing', async () => {
    vi.stubEnv('ACCOUNT_S3_SECRET', 'another')
    expect(await send()).toMatchObject({ ok: false, error: { code: 'unavailable' } })
    expect([objects.size, await image(), await rows()]).toEqual([0, null, []])
    expect(faults.splice(0)).toEqual(['another signature'])
  })

  test.each<[string, NonNullable<typeof behave>]>([
    ['is down', (request) => void request.socket.destroy()],
    ['fails', (_, response) => void response.writeHead(500).end()],
    ['does not know the bucket', (_, response) => void response.writeHead(404).end()],
    ['leads elsewhere', (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end()],
    ['never answers', () => {}],
  ])('while it %s, the person is told so and keeps the picture they have', async (_, fault) => {
    await send('red')
    const before = [await image(), await rows()]
    const asked: string[] = []
    let start = 0
    behave = (request, response) => {
      // From here on: how long the picture took before counts for nothing.
      start = Date.now()
      asked.push(request.url ?? '')
      fault(request, response)
    }
    // A signal that nothing holds any more would never be heard of again.
    const sweeping = setInterval(sweep, 100)
    expect(await send('blue')).toMatchObject({
      ok: false,
      error: { code: 'unavailable', message: expect.stringMatching(/Try again/) },
    })
    clearInterval(sweeping)
    expect(Date.now() - start).toBeLessThan(8_000)
    expect([await image(), await rows()]).toEqual(before)
    expect(asked).toEqual([expect.stringMatching(/^\/people\/avatars\/[\w-]{36}$/)])
  })

  test('of many at once, one stays, and the person points at it', async () => {
    const held: ServerResponse[] = []
    behave = async (request, response) => {
      objects.set(request.url ?? '', Buffer.concat(await request.toArray()))
      // All of them reach the database together.
      if (held.push(response) === 4) for (const each of held) each.end()
    }
    expect(await Promise.all(['red', 'green', 'blue', 'white'].map(send))).toEqual(Array(4).fill('done'))
    behave = undefined
    const left = await rows()
    expect(left).toHaveLength(1)
    expect(await image()).toBe(`/api/account/avatars/${left[0]?.id}`)
    for (const { id } of await jobs()) await forgetPicture.work({ id }, { id: 'test' })
    expect([...objects.keys()]).toEqual([path(left[0]?.id)])
  })

  test('while it is down, pictures are not there for now, and not gone', async () => {
    await send()
    behave = (request) => void request.socket.destroy()
    const response = await get((await rows())[0]?.id ?? '')
    expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'private, no-store'])
  })

  test('an object that nobody has is taken away again: the upload went well, and then the database failed', async () => {
    const lost = crypto.randomUUID()
    objects.set(path(lost), Buffer.from('x'))
    await forgetPicture.work({ id: lost }, { id: 'test' })
    await forgetPicture.work({ id: lost }, { id: 'test' })
    expect(objects.size).toBe(0)
  })

  test('the upload of somebody who is deleted meanwhile leaves nothing behind', async () => {
    behave = async (request, response) => {
      await db.delete(users)
      objects.set(request.url ?? '', Buffer.concat(await request.toArray()))
      response.end()
    }
    expect(await send()).toMatchObject({ ok: false, error: { code: 'not_found' } })
    expect(objects.size).toBe(1)
    behave = undefined
    for (const { id } of await jobs()) await forgetPicture.work({ id }, { id: 'test' })
    expect(objects.size).toBe(0)
  })

  test.each([
    ['a new picture', () => send('blue'), 1],
    ['taking it away', () => act(() => removePicture({})), 0],
  ] as const)('%s has the old object deleted, later and again until it works', async (_, change, left) => {
    await send('red')
    const [old] = await rows()
    await change()
    expect(objects.has(path(old?.id))).toBe(true)
    expect(await jobs()).toContainEqual({ id: old?.id, is_now: true })
    behave = (_request, response) => void response.writeHead(503).end()
    await expect(forgetPicture.work({ id: old?.id }, { id: 'test' })).rejects.toThrow()
    behave = undefined
    const worker = startWorker([forgetPicture])
    await expect.poll(() => objects.has(path(old?.id)), { timeout: 20_000 }).toBe(false)
    await worker.stop()
    expect(objects.size).toBe(left)
  })

  test('deleting a person deletes the object too', async () => {
    await send()
    const [old] = await rows()
    const [person] = await db.select({ email: users.email }).from(users)
    expect(await act(() => deleteAccount({ confirmation: person?.email ?? '' }))).toBe('done')
    expect(await rows()).toEqual([])
    expect(await jobs()).toContainEqual({ id: old?.id, is_now: true })
    await forgetPicture.work({ id: old?.id }, { id: 'test' })
    expect(objects.size).toBe(0)
  })

  test('what was in the database before stays readable, and goes from there', async () => {
    vi.unstubAllEnvs()
    await send()
    useBucket()
    const [row] = await rows()
    expect((await get(row?.id ?? '')).status).toBe(200)
    await act(() => removePicture({}))
    expect([await rows(), await jobs()]).toEqual([[], []])
  })

  test('without its settings, what is there cannot be had, and is not forgotten', async () => {
    await send()
    vi.unstubAllEnvs()
    expect((await get((await rows())[0]?.id ?? '')).status).toBe(503)
    await expect(forgetPicture.work({ id: crypto.randomUUID() }, { id: 'test' })).rejects.toThrow()
  })
})
