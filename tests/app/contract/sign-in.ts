import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { assertProblem, assertSession } from './assertions.ts'
import type { TestResponse } from './client.ts'
import { newCaller, type Site, type Target, testsFor, userOf, whileSignedIn } from './target.ts'

export function describePart(target: Target): void {
  for (const site of target.sites) {
    describe(`POST /api/auth/signin ${site.name}`, () => {
      describeRight(target, site)
      describeWrong(target, site)
      describeToken(target, site)
    })
  }
  describe('POST /api/auth/signin with an invalid body', () => describeBadBody(target))
  describe('GET /api/auth/signin', () => {
    for (const method of ['GET', 'HEAD']) {
      it(`redirects ${method} to the sign-in page, and ignores the query`, async () => {
        const caller = newCaller(target, target.sites[0])
        const response = await caller.send(method, '/api/auth/signin?email=a@b.example&password=b')
        assert.deepEqual([response.status, response.headers.get('location')], [302, '/signin'])
        assert.deepEqual(response.setCookies, [])
      })
    }
  })
}

/** Asserts the session cookie: Max-Age of the absolute lifetime, HttpOnly, SameSite=Lax, no Domain. */
function assertSessionCookie(response: TestResponse, site: Site): void {
  const cookie = response.setCookies.find(({ name }) => name === site.sessionCookie)
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
  for (const { name, attributes: given } of response.setCookies) {
    assert.equal(given.has('domain'), false, name)
    assert.equal(given.has('secure'), site.isSecure, name)
  }
  assert.equal(
    response.setCookies.some(({ name }) => name === site.otherProtocolCookie),
    false,
  )
}

function describeRight(target: Target, site: Site): void {
  const { withUser, withOwnApp } = testsFor(target)
  const signOut = (token = '') =>
    newCaller(target, site).post('/api/auth/signout', undefined, { authorization: `Bearer ${token}` })

  withUser('redirects to / with the cookie when the password is right', async (user) => {
    const caller = newCaller(target, site)
    const response = await caller.post('/api/auth/signin', user)
    assert.deepEqual([response.status, response.headers.get('location'), response.text], [302, '/', ''])
    assert.equal(response.headers.get('cache-control'), 'private, no-store')
    assertSessionCookie(response, site)
    await signOut(caller.cookies.get(site.sessionCookie))
  })

  withUser('returns user, expiry and URL when redirect is false', (user) =>
    whileSignedIn(target, site, user, async ({ caller, response }) => {
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
      assertSessionCookie(response, site)
      const { url, ...session } = response.json()
      assertSession(session)
      assert.equal(url, '/')
      assert.deepEqual((await caller.get('/api/auth/session')).json(), session)
    }),
  )

  withUser('ignores case and surrounding space of the email, and redirects to callbackUrl', async (user) => {
    const caller = newCaller(target, site)
    const email = ` ${user.email.toUpperCase()} `
    const callbackUrl = '/dashboard?x=1#here'
    const response = await caller.post('/api/auth/signin', { ...user, email, callbackUrl, redirect: true })
    assert.deepEqual([response.status, response.headers.get('location')], [302, callbackUrl])
    await signOut(caller.cookies.get(site.sessionCookie))
  })

  withUser('ends the previous session, and issues a new token', (user) =>
    whileSignedIn(target, site, user, async ({ caller, token }) => {
      const response = await caller.post('/api/auth/signin', {
        ...user,
        redirect: false,
        callbackUrl: 'https://evil.example',
      })
      assert.deepEqual([response.status, response.json().url], [200, '/'])
      const next = caller.cookies.get(site.sessionCookie) ?? ''
      assert.notEqual(next, token)
      assert.equal(await userOf(target, site, token), null)
      assert.equal((await userOf(target, site, next))?.email, user.email.toLowerCase())
      await signOut(next)
    }),
  )

  withOwnApp('never redirects to another site', async ({ password, newUser }) => {
    const email = await newUser()
    const elsewhere = ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/api/x']
    for (const callbackUrl of [...elsewhere, ['/x'], {}, 7, null]) {
      const response = await newCaller(target, site).post('/api/auth/signin', { email, password, callbackUrl })
      assert.deepEqual([response.status, response.headers.get('location')], [302, '/'], JSON.stringify(callbackUrl))
    }
  })

  withOwnApp('does not adopt a session token set by an attacker (session fixation)', async ({ password, newUser }) => {
    const caller = newCaller(target, site)
    caller.cookies.set(site.sessionCookie, 'p'.repeat(43))
    await caller.post('/api/auth/signin', { email: await newUser(), password })
    assert.match(caller.cookies.get(site.sessionCookie) ?? '', /^(?!p{43})[\w-]{43}$/)
  })
}

/** For callers that cannot read an HttpOnly cookie. */
function describeToken(target: Target, site: Site): void {
  const { withUser, withOwnApp } = testsFor(target)
  const ask = (body: object, headers: Record<string, string> = {}) =>
    newCaller(target, site).post('/api/auth/signin', { token: true, ...body }, headers)

  for (const redirect of [undefined, true, false]) {
    withUser(`returns a session token and no cookie with token: true and redirect: ${redirect}`, async (user) => {
      const response = await ask({ ...user, redirect, callbackUrl: '/dashboard' })
      assert.deepEqual([response.status, response.setCookies], [200, []])
      assert.equal(response.headers.get('cache-control'), 'private, no-store')
      const { token, ...session } = response.json()
      assertSession(session)
      const headers = { authorization: `Bearer ${token}` }
      assert.deepEqual((await newCaller(target, site).get('/api/auth/session', headers)).json(), session)
      const out = await newCaller(target, site).post('/api/auth/signout', undefined, headers)
      assert.deepEqual([out.status, out.setCookies], [302, []])
      assert.equal(await userOf(target, site, token), null)
    })
  }

  withUser('with token: true ends the previous session, and does not clear its cookie', (user) =>
    whileSignedIn(target, site, user, async ({ caller, token: before }) => {
      const response = await caller.post('/api/auth/signin', { ...user, token: true })
      assert.deepEqual([response.status, response.setCookies], [200, []])
      assert.equal(await userOf(target, site, before), null)
      const headers = { authorization: `Bearer ${response.json().token}` }
      await newCaller(target, site).post('/api/auth/signout', undefined, headers)
    }),
  )

  it('rejects a wrong password with token: true as a problem, whatever redirect says', async () => {
    const email = `contract-${crypto.randomUUID()}@example.invalid`
    for (const redirect of [true, false]) {
      const response = await ask({ email, password: 'x', redirect })
      assertProblem(response, 401, 'invalid_credentials')
      assert.deepEqual(response.setCookies, [])
    }
  })

  it('rejects a token that is not a boolean, and a cross-site request for one', async () => {
    const nobody = { email: 'x', password: 'x' }
    for (const token of ['true', 1, null]) assertProblem(await ask({ ...nobody, token }), 422, 'invalid_input')
    assertProblem(await ask(nobody, { 'sec-fetch-site': 'cross-site' }), 403, 'cross_site')
  })

  withOwnApp('with two-factor authentication signs in with two JSON requests, without a cookie', async (ownApp) => {
    if (!ownApp.hasModule('account')) return
    const user = { email: await ownApp.newUser(), password: ownApp.password }
    const code = `contract${crypto.randomUUID().replaceAll('-', '')}`
    const who = '(select id from users where email = $1)'
    await ownApp.query(`insert into account_totp (user_id, secret, confirmed_at) values (${who}, 'x', now())`, [
      user.email,
    ])
    await ownApp.query(`insert into account_recovery_codes (user_id, hash) values (${who}, $2)`, [
      user.email,
      createHash('sha256').update(code).digest(),
    ])
    const first = await ask(user)
    assert.deepEqual([first.status, first.setCookies], [200, []])
    const { challenge, pendingSignIn } = first.json()
    assert.equal(challenge, 'totp')
    assert.equal(await userOf(target, site, pendingSignIn), null)
    const finish = (body: object) => newCaller(target, site).post('/api/auth/challenge', { code, token: true, ...body })
    assertProblem(await finish({}), 401, 'unauthenticated')
    assertProblem(await finish({ pendingSignIn: 'x'.repeat(43) }), 401, 'unauthenticated')
    assertProblem(await finish({ pendingSignIn, code: 'wrong' }), 401, 'invalid_credentials')
    const second = await finish({ pendingSignIn })
    assert.deepEqual([second.status, second.setCookies], [200, []])
    const { token, ...session } = second.json()
    assertSession(session)
    assert.equal((await userOf(target, site, token))?.email, user.email)
    assertProblem(await finish({ pendingSignIn }), 401, 'unauthenticated')
  })
}

function describeWrong(target: Target, site: Site): void {
  const { withUser, withOwnApp } = testsFor(target)

  const assertRejected = (response: TestResponse, redirect: boolean) => {
    assert.deepEqual(response.setCookies, [])
    if (!redirect) return assertProblem(response, 401, 'invalid_credentials')
    const location = response.headers.get('location')
    assert.deepEqual([response.status, location, response.text], [302, '/signin?error=invalid_credentials', ''])
  }

  for (const redirect of [true, false]) {
    const how = redirect ? 'redirects back to the sign-in page' : 'responds 401'
    it(`${how} for an unknown user, and sets no cookie`, async () => {
      const email = `contract-${crypto.randomUUID()}@example.invalid`
      assertRejected(
        await newCaller(target, site).post('/api/auth/signin', { email, password: 'x', redirect }),
        redirect,
      )
    })

    for (const [who, kind] of [
      ['is suspended', { isSuspended: true }],
      ['has not verified their email', { isVerified: false }],
      ['has no password, only a provider', { hasPassword: false }],
    ] as const) {
      withOwnApp(`${how} for a user who ${who}, and sets no cookie`, async ({ password, newUser }) => {
        const email = await newUser(kind)
        assertRejected(await newCaller(target, site).post('/api/auth/signin', { email, password, redirect }), redirect)
      })
    }
  }

  withUser('rejects a wrong password with and without redirect, and the existing session stays valid', (user) =>
    whileSignedIn(target, site, user, async ({ caller, token }) => {
      for (const redirect of [true, false]) {
        const response = await caller.post('/api/auth/signin', { ...user, password: `${user.password}x`, redirect })
        assertRejected(response, redirect)
      }
      assert.equal((await userOf(target, site, token))?.email, user.email.toLowerCase())
    }),
  )

  withOwnApp('is 429 with and without redirect after too many attempts, with Retry-After', async () => {
    const caller = newCaller(target, site)
    const wrong = { email: `tries-${crypto.randomUUID()}@example.com`, password: 'wrong' }
    for (let tries = 0; tries < 5; tries++)
      assertRejected(await caller.post('/api/auth/signin', { ...wrong, redirect: false }), false)
    for (const redirect of [true, false]) {
      const response = await caller.post('/api/auth/signin', { ...wrong, redirect })
      assertProblem(response, 429, 'rate_limited')
      assert.ok(Number(response.headers.get('retry-after')) <= 60)
    }
  })

  const email = 'viewer@example.invalid'
  for (const [what, given] of [
    ['an empty password', { email, password: '' }],
    ['a NUL in the password', { email, password: 'a\0b' }],
    ['a lone surrogate', { email, password: '\ud800' }],
    ['a password of 513 bytes', { email, password: 'x'.repeat(513) }],
    ['SQL', { email: "' or 1=1 --", password: "' or 1=1 --" }],
    ['a look-alike email', { email: 'viewer\uff20example.com', password: 'x' }],
    ['two emails', { email: 'viewer@example.com, x@evil.example', password: 'x' }],
    ['a very long email', { email: 'a@'.repeat(5_000), password: 'x' }],
  ] as const) {
    it(`rejects ${what} like any wrong password`, async () => {
      assertRejected(await newCaller(target, site).post('/api/auth/signin', { ...given, redirect: false }), false)
    })
  }
}

function describeBadBody(target: Target): void {
  const [site] = target.sites
  const send = (body: string | Uint8Array<ArrayBuffer> | ReadableStream, type: string | undefined) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    return newCaller(target, site).send('POST', '/api/auth/signin', { body, headers })
  }
  /** JSON of exactly that many bytes. Its email is invalid, so no attempt is counted. */
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
    ['no email', '{"password":"x","redirect":false}', 422, 'invalid_input'],
    ['objects for strings', '{"email":{"$ne":null},"password":{"$gt":""}}', 422, 'invalid_input'],
    ['a string for token', '{"email":"a@b.example","password":"x","token":"true"}', 422, 'invalid_input'],
    ['a string for redirect', '{"email":"a@b.example","password":"x","redirect":"false"}', 422, 'invalid_input'],
    ['one byte more than 16 KiB', ofSize(16 * 1024 + 1), 413, 'too_large'],
    ['one byte more than 16 KiB, with redirect', ofSize(16 * 1024 + 1, true), 413, 'too_large'],
    ['more than 16 KiB of invalid JSON, so that it fails before parsing', '['.repeat(17_000), 413, 'too_large'],
  ] as const) {
    it(`rejects ${what} with ${status}`, async () => {
      const response = await send(body, 'application/json')
      assertProblem(response, status, code)
      assert.deepEqual(response.setCookies, [])
    })
  }

  it('lists exactly the invalid fields', async () => {
    const response = await send('{"email":1,"password":"x","redirect":0}', 'application/json')
    assert.deepEqual(Object.keys(response.json().errors).sort(), ['email', 'redirect'])
  })

  it('rejects invalid UTF-8 with 400', async () => {
    const bytes = Uint8Array.from([...Buffer.from('{"email":"'), 0xff, ...Buffer.from('","password":"x"}')])
    assertProblem(await send(bytes, 'application/json'), 400, 'malformed')
  })

  it('reads at most 16 KiB without Content-Length', async () => {
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
    it(`rejects ${type ?? 'no content type'} with 415`, async () => {
      assertProblem(await send(Uint8Array.from(Buffer.from(ofSize(100))), type), 415, 'unsupported_media_type')
    })
  }

  for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
    it(`accepts ${type}`, async () => {
      assertProblem(await send(ofSize(100), type), 401, 'invalid_credentials')
    })
  }
}
