import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { appSlug } from '@/brand'
import { asRequest } from '../../../../tests/app/support/next-headers'
import { db } from '../../db/client'
import { signups, users } from '../../db/schema'
import { checkEnv, coreEnv } from '../../env'
import { log } from '../../log'
import { requestSignUp } from '../flows/sign-up'
import { isBreachedPassword } from './breached-passwords'

const breached = 'tr0ub4dor and three'
const padded = 'found in no breach at all'
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

/** What the service does with the next request. */
type Mode = 'respond' | 'fail' | 'hang' | 'redirect' | 'break off'
let mode: Mode = 'respond'
let requests: IncomingMessage[] = []
let server: Server

/** Speaks the protocol of api.pwnedpasswords.com: hashes by prefix, CRLF between lines, padding with a count of 0. */
function respondTo(path: string): string {
  const lines = [breached, padded]
    .filter((password) => path === `/base/range/${sha1(password).slice(0, 5)}`)
    .map((password) => `${sha1(password).slice(5)}:${password === breached ? 1204 : 0}`)
  return ['0018A45C4D1DEF81644B54AB7F969B88D65:21', ...lines, '00D4F6E8FA6EECAD2A3AA415EEC418D38EC:0'].join('\r\n')
}

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request)
    if (mode === 'hang') return
    if (mode === 'break off') return void response.destroy()
    if (mode === 'redirect') return void response.writeHead(302, { location: '/elsewhere' }).end()
    response.writeHead(mode === 'fail' ? 503 : 200).end(respondTo(request.url ?? ''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(() => {
  mode = 'respond'
  requests = []
  process.env.PASSWORD_BREACH_CHECK = 'on'
  process.env.PASSWORD_BREACH_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
})
afterEach(() => {
  delete process.env.PASSWORD_BREACH_CHECK
  delete process.env.PASSWORD_BREACH_URL
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('a breached password is found, any other is not', async () => {
  expect(await isBreachedPassword(breached)).toBe(true)
  expect(await isBreachedPassword('a long walk by the sea')).toBe(false)
})

test('padding, which has a count of 0, is not a breach', async () => {
  expect(await isBreachedPassword(padded)).toBe(false)
})

test('the service gets 5 digits of the hash, is asked for padding, and learns nothing else', async () => {
  await isBreachedPassword(breached)
  expect(requests.map(({ url }) => url)).toEqual([`/base/range/${sha1(breached).slice(0, 5)}`])
  const [request] = requests
  expect(request?.method).toBe('GET')
  expect(request?.headers).toMatchObject({ 'add-padding': 'true', 'user-agent': appSlug })
  expect(JSON.stringify(request?.headers)).not.toMatch(/cookie|authorization|referer/i)
})

test.each([undefined, '', 'off'])('with PASSWORD_BREACH_CHECK=%s, the service is not asked', async (setting) => {
  if (setting === undefined) delete process.env.PASSWORD_BREACH_CHECK
  else process.env.PASSWORD_BREACH_CHECK = setting
  expect(await isBreachedPassword(breached)).toBe(false)
  expect(requests).toEqual([])
})

describe('the password is accepted, and the log says so, if the service', () => {
  test.each<Mode>(['fail', 'hang', 'redirect', 'break off'])('does this: %s', { tags: 'full' }, async (how) => {
    vi.stubEnv('TIMEOUT_FACTOR', '1')
    mode = how
    const warn = vi.spyOn(log, 'warn')
    const start = performance.now()
    expect(await isBreachedPassword(breached)).toBe(false)
    expect(performance.now() - start).toBeLessThan(10_000)
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { error: expect.any(Error) },
      'breach check failed; password accepted without it',
    )
    expect(JSON.stringify(warn.mock.calls)).not.toContain(breached)
  })
})

describe('at sign-up', () => {
  const signUp = (password: string) =>
    asRequest({}, () => requestSignUp({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', password }))

  test('a breached password is rejected, with an error at its field', async () => {
    await expect(signUp(breached)).rejects.toMatchObject({
      code: 'invalid_input',
      fields: { password: [expect.stringContaining('data breach')] },
    })
    expect(await db.select({ id: signups.id }).from(signups)).toEqual([])
  })

  test('a password that the offline rules reject is not sent to the service', async () => {
    await expect(signUp('Password123456')).rejects.toMatchObject({ code: 'invalid_input' })
    expect(requests).toEqual([])
  })

  test('any other password is accepted, also while the service is down', async () => {
    await signUp('a long walk by the sea')
    mode = 'fail'
    await signUp(breached)
    expect(await db.select({ id: signups.id }).from(signups)).toHaveLength(2)
    expect(await db.select({ count: sql<number>`count(*)::int` }).from(users)).toEqual([{ count: 0 }])
  })
})

test.each([
  ['PASSWORD_BREACH_CHECK', 'yes', 'neither on nor off'],
  ['PASSWORD_BREACH_URL', 'api.pwnedpasswords.com', 'not an https URL'],
  ['PASSWORD_BREACH_URL', 'http://api.pwnedpasswords.com', 'not an https URL'],
  ['PASSWORD_BREACH_URL', 'https://user:secret@api.example.com', 'not an https URL'],
  ['PASSWORD_BREACH_URL', 'https://api.example.com/?key=x', 'not an https URL'],
])('%s=%s is a configuration error', (name, value, complaint) => {
  expect(checkEnv([coreEnv], { [name]: value })).toMatch(new RegExp(`${name}: .*${complaint}`))
})
