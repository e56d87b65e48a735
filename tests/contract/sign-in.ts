import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from './client.ts'
import { assertProblem, assertSession } from './shapes.ts'
import { newCaller, personOf, rowsFor, type Site, type Target, whileSignedIn } from './target.ts'

export function describeSignIn(target: Target): void {
  for (const site of target.sites) {
    describe(`POST /api/auth/signin ${site.name}`, () => {
      describeRight(target, site)
      describeWrong(target, site)
    })
  }
  describe('POST /api/auth/signin with a body that it cannot use', () => describeBadBody(target))
  describe('GET /api/auth/signin', () => {
    for (const method of ['GET', 'HEAD']) {
      it(`leads ${method} to the page, and looks at nothing that the address carries`, async () => {
        const caller = newCaller(target, target.sites[0])
        const answer = await caller.send(method, '/api/auth/signin?email=a@b.example&password=b')
        assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/signin'])
        assert.deepEqual(answer.setCookies, [])
      })
    }
  })
}

/** The session cookie: as long as the longest session, out of reach of scripts and other sites, for this host alone. */
function assertSessionCookie(answer: Answer, site: Site): void {
  const cookie = answer.setCookies.find(({ name }) => name === site.sessionCookie)
  assert.match(cookie?.value ?? '', /^[\w-]{43}$/)
  const { expires, ...attributes } = Object.fromEntries(cookie?.attributes ?? [])
  assert.ok(Date.parse(expires ?? '') > Date.now())
  assert.deepEqual(attributes, {
    path: '/',
    'max-age': '2592000',
    httponly: '',
    samesite: 'lax',
    ...(site.isSecure && { secure: '' }),
  })
  for (const { name, attributes: given } of answer.setCookies) {
    assert.equal(given.has('domain'), false, name)
    assert.equal(given.has('secure'), site.isSecure, name)
  }
  assert.equal(
    answer.setCookies.some(({ name }) => name === site.foreignCookie),
    false,
  )
}

function describeRight(target: Target, site: Site): void {
  const { withPerson, withOwn } = rowsFor(target)
  const signOut = (token = '') =>
    newCaller(target, site).post('/api/auth/signout', undefined, { authorization: `Bearer ${token}` })

  withPerson('redirects to / with the cookie when the password is right', async (person) => {
    const caller = newCaller(target, site)
    const answer = await caller.post('/api/auth/signin', person)
    assert.deepEqual([answer.status, answer.headers.get('location'), answer.text], [302, '/', ''])
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    assertSessionCookie(answer, site)
    await signOut(caller.cookies.get(site.sessionCookie))
  })

  withPerson('answers with who, until when and where to when redirect is false', (person) =>
    whileSignedIn(target, site, person, async ({ caller, answer }) => {
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
      assertSessionCookie(answer, site)
      const { url, ...session } = answer.json()
      assertSession(session)
      assert.equal(url, '/')
      assert.deepEqual((await caller.get('/api/auth/session')).json(), session)
    }),
  )

  withPerson(
    'takes the address in any letters and with space around it, and goes where it was told to',
    async (person) => {
      const caller = newCaller(target, site)
      const email = ` ${person.email.toUpperCase()} `
      const callbackUrl = '/dashboard?x=1#here'
      const answer = await caller.post('/api/auth/signin', { ...person, email, callbackUrl, redirect: true })
      assert.deepEqual([answer.status, answer.headers.get('location')], [302, callbackUrl])
      await signOut(caller.cookies.get(site.sessionCookie))
    },
  )

  withPerson('ends the session that was there before, and takes over no token that was there before', (person) =>
    whileSignedIn(target, site, person, async ({ caller, token }) => {
      const answer = await caller.post('/api/auth/signin', {
        ...person,
        redirect: false,
        callbackUrl: 'https://evil.example',
      })
      assert.deepEqual([answer.status, answer.json().url], [200, '/'])
      const next = caller.cookies.get(site.sessionCookie) ?? ''
      assert.notEqual(next, token)
      assert.equal(await personOf(target, site, token), null)
      assert.equal((await personOf(target, site, next))?.email, person.email.toLowerCase())
      await signOut(next)
    }),
  )

  withOwn('sends nobody to another site', async ({ password, newPerson }) => {
    const email = await newPerson()
    const elsewhere = ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/api/x']
    for (const callbackUrl of [...elsewhere, ['/x'], {}, 7, null]) {
      const answer = await newCaller(target, site).post('/api/auth/signin', { email, password, callbackUrl })
      assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/'], JSON.stringify(callbackUrl))
    }
  })

  withOwn('does not take over a token that was planted', async ({ password, newPerson }) => {
    const caller = newCaller(target, site)
    caller.cookies.set(site.sessionCookie, 'p'.repeat(43))
    await caller.post('/api/auth/signin', { email: await newPerson(), password })
    assert.match(caller.cookies.get(site.sessionCookie) ?? '', /^(?!p{43})[\w-]{43}$/)
  })
}

function describeWrong(target: Target, site: Site): void {
  const { withPerson, withOwn } = rowsFor(target)

  const assertRefused = (answer: Answer, redirect: boolean) => {
    assert.deepEqual(answer.setCookies, [])
    if (!redirect) return assertProblem(answer, 401, 'invalid_credentials')
    const location = answer.headers.get('location')
    assert.deepEqual([answer.status, location, answer.text], [302, '/signin?error=invalid_credentials', ''])
  }

  for (const redirect of [true, false]) {
    const how = redirect ? 'redirects back to the page' : 'answers 401'
    it(`${how} for an unknown person, and sets no cookie`, async () => {
      const email = `contract-${crypto.randomUUID()}@example.invalid`
      assertRefused(
        await newCaller(target, site).post('/api/auth/signin', { email, password: 'x', redirect }),
        redirect,
      )
    })

    for (const [who, kind] of [
      ['is suspended', { isSuspended: true }],
      ['has not proved their address', { isVerified: false }],
      ['has no password, but a provider', { hasPassword: false }],
    ] as const) {
      withOwn(`${how} for somebody who ${who}, and sets no cookie`, async ({ password, newPerson }) => {
        const email = await newPerson(kind)
        assertRefused(await newCaller(target, site).post('/api/auth/signin', { email, password, redirect }), redirect)
      })
    }
  }

  withPerson('refuses a wrong password in both ways, and the session that was there stays', (person) =>
    whileSignedIn(target, site, person, async ({ caller, token }) => {
      for (const redirect of [true, false]) {
        const answer = await caller.post('/api/auth/signin', { ...person, password: `${person.password}x`, redirect })
        assertRefused(answer, redirect)
      }
      assert.equal((await personOf(target, site, token))?.email, person.email.toLowerCase())
    }),
  )

  withOwn('is 429 in both ways after too many tries, with the time to wait', async () => {
    const caller = newCaller(target, site)
    const wrong = { email: `tries-${crypto.randomUUID()}@example.com`, password: 'wrong' }
    for (let tries = 0; tries < 5; tries++)
      assertRefused(await caller.post('/api/auth/signin', { ...wrong, redirect: false }), false)
    for (const redirect of [true, false]) {
      const answer = await caller.post('/api/auth/signin', { ...wrong, redirect })
      assertProblem(answer, 429, 'rate_limited')
      assert.ok(Number(answer.headers.get('retry-after')) <= 60)
    }
  })

  const email = 'viewer@example.invalid'
  for (const [what, given] of [
    ['an empty password', { email, password: '' }],
    ['a NUL in the password', { email, password: 'a\0b' }],
    ['half of a character pair', { email, password: '\ud800' }],
    ['a password of 513 bytes', { email, password: 'x'.repeat(513) }],
    ['SQL', { email: "' or 1=1 --", password: "' or 1=1 --" }],
    ['a look-alike address', { email: 'viewer\uff20example.com', password: 'x' }],
    ['two addresses', { email: 'viewer@example.com, x@evil.example', password: 'x' }],
    ['a very long address', { email: 'a@'.repeat(5_000), password: 'x' }],
  ] as const) {
    it(`refuses ${what} like any wrong password`, async () => {
      assertRefused(await newCaller(target, site).post('/api/auth/signin', { ...given, redirect: false }), false)
    })
  }
}

function describeBadBody(target: Target): void {
  const [site] = target.sites
  const send = (body: string | Uint8Array<ArrayBuffer> | ReadableStream, type: string | undefined) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    return newCaller(target, site).send('POST', '/api/auth/signin', { body, headers })
  }
  /** JSON of exactly so many bytes, for an address that cannot be one: nobody's tries are counted. */
  const ofSize = (bytes: number, redirect = false) => {
    const filled = (fill: number) => JSON.stringify({ email: 'x', password: 'x'.repeat(fill), redirect })
    return filled(bytes - filled(0).length)
  }

  for (const [what, body, status, code] of [
    ['nothing', '', 400, 'malformed'],
    ['broken JSON', '{"email":', 400, 'malformed'],
    ['deep nesting', '['.repeat(15_000), 400, 'malformed'],
    ['null', 'null', 422, 'invalid_input'],
    ['a list', '[]', 422, 'invalid_input'],
    ['no password', '{"email":"a@b.example"}', 422, 'invalid_input'],
    ['no address', '{"password":"x","redirect":false}', 422, 'invalid_input'],
    ['objects for words', '{"email":{"$ne":null},"password":{"$gt":""}}', 422, 'invalid_input'],
    ['a word for redirect', '{"email":"a@b.example","password":"x","redirect":"false"}', 422, 'invalid_input'],
    ['one byte more than 16 KiB', ofSize(16 * 1024 + 1), 413, 'too_large'],
    ['one byte more than 16 KiB, to be redirected', ofSize(16 * 1024 + 1, true), 413, 'too_large'],
    ['more than 16 KiB that is no JSON, so nothing was parsed', '['.repeat(17_000), 413, 'too_large'],
  ] as const) {
    it(`refuses ${what} with ${status}`, async () => {
      const answer = await send(body, 'application/json')
      assertProblem(answer, status, code)
      assert.deepEqual(answer.setCookies, [])
    })
  }

  it('names the fields that are wrong, and only them', async () => {
    const answer = await send('{"email":1,"password":"x","redirect":0}', 'application/json')
    assert.deepEqual(Object.keys(answer.json().errors).sort(), ['email', 'redirect'])
  })

  it('refuses bytes that are no UTF-8 with 400', async () => {
    const bytes = Uint8Array.from([...Buffer.from('{"email":"'), 0xff, ...Buffer.from('","password":"x"}')])
    assertProblem(await send(bytes, 'application/json'), 400, 'malformed')
  })

  it('reads 16 KiB and not more when the length is not said', async () => {
    const stream = (text: string) => new Blob([text]).stream()
    assertProblem(await send(stream(ofSize(16 * 1024)), 'application/json'), 401, 'invalid_credentials')
    assertProblem(await send(stream(ofSize(16 * 1024 + 1)), 'application/json'), 413, 'too_large')
  })

  for (const type of [
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/jsonp',
  ]) {
    it(`refuses ${type ?? 'no content type'} with 415`, async () => {
      assertProblem(await send(Uint8Array.from(Buffer.from(ofSize(100))), type), 415, 'unsupported_media_type')
    })
  }

  for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
    it(`reads ${type}`, async () => {
      assertProblem(await send(ofSize(100), type), 401, 'invalid_credentials')
    })
  }
}
