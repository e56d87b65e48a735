import { describe, expect, test } from 'vitest'
import { readJson, rejectCrossSite, requestIdFrom } from './request'

const post = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Request('http://localhost:3000/x', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    duplex: 'half',
  } as RequestInit)

describe('reading a body', () => {
  test('returns the parsed JSON', async () => {
    await expect(readJson(post('{"a":1}'), 100)).resolves.toEqual({ a: 1 })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json; charset=utf-16',
    '',
  ])('rejects the content type "%s"', async (type) => {
    await expect(readJson(post('{}', { 'content-type': type }), 100)).rejects.toMatchObject({
      code: 'unsupported_media_type',
    })
  })

  test('rejects a compressed body', async () => {
    await expect(readJson(post('{}', { 'content-encoding': 'gzip' }), 100)).rejects.toMatchObject({
      code: 'unsupported_media_type',
    })
  })

  test('rejects a body that is too large by its Content-Length', async () => {
    await expect(readJson(post('{}', { 'content-length': '101' }), 100)).rejects.toMatchObject({ code: 'too_large' })
  })

  test('stops reading an endless body once it is too large', async () => {
    let chunks = 0
    const endless = new ReadableStream({
      pull(controller) {
        chunks++
        controller.enqueue(new Uint8Array(64))
      },
    })
    await expect(readJson(post(endless), 1024)).rejects.toMatchObject({ code: 'too_large' })
    expect(chunks).toBeLessThan(30)
  })

  test.each(['', '{', 'undefined', '{"a":1}x', '['.repeat(100)])('rejects %j as malformed', async (body) => {
    await expect(readJson(post(body), 1024)).rejects.toMatchObject({ code: 'malformed' })
  })

  test('rejects bytes that are not UTF-8', async () => {
    await expect(readJson(post(new Uint8Array([0x22, 0xff, 0x22])), 100)).rejects.toMatchObject({ code: 'malformed' })
  })
})

describe('the cross-site check', () => {
  const check =
    (headers: Record<string, string>, isBrowserOnly = false) =>
    () =>
      rejectCrossSite(new Headers(headers), { isBrowserOnly })

  test.each(['same-origin', 'none'])('passes with Sec-Fetch-Site "%s"', (site) => {
    expect(check({ 'sec-fetch-site': site })).not.toThrow()
  })

  test.each(['cross-site', 'same-site', '', 'nonsense'])('fails with Sec-Fetch-Site "%s"', (site) => {
    expect(check({ 'sec-fetch-site': site, origin: 'http://localhost:3000' })).toThrow(
      expect.objectContaining({ code: 'cross_site' }),
    )
  })

  test.each(['https://evil.example', 'null', 'http://localhost:3001', 'http://localhost:3000.evil.example'])(
    'fails with the origin %s',
    (origin) => {
      expect(check({ origin })).toThrow(expect.objectContaining({ code: 'cross_site' }))
    },
  )

  test('passes with our own origin', () => {
    expect(check({ origin: 'http://localhost:3000' })).not.toThrow()
  })

  test('without either header passes for a route, and fails for an action', () => {
    expect(check({})).not.toThrow()
    expect(check({}, true)).toThrow(expect.objectContaining({ code: 'cross_site' }))
  })
})

test('a valid X-Request-Id is reused, an invalid one is replaced', () => {
  expect(requestIdFrom(new Headers({ 'x-request-id': 'abcd-1234-efgh' }))).toBe('abcd-1234-efgh')
  expect(requestIdFrom(new Headers({ 'x-request-id': 'a b"c\u00ff' }))).toMatch(/^[0-9a-f-]{36}$/)
  expect(requestIdFrom(new Headers())).toMatch(/^[0-9a-f-]{36}$/)
})
