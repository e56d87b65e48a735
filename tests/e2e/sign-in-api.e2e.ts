import { expect, someAddress, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'

const viewer = 'viewer@example.com'

test.describe('POST /api/auth/signin', () => {
  test('with the right password redirects, and sets the cookie', async ({ request, password }) => {
    const response = await request.post('/api/auth/signin', { data: { email: viewer, password }, maxRedirects: 0 })
    expect([response.status(), response.headers().location]).toEqual([302, '/'])
    const cookie = response.headersArray().find(({ value }) => value.startsWith('plinth.session='))?.value ?? ''
    expect(cookie).toMatch(
      /^plinth\.session=[\w-]{43}; Path=\/; Expires=[^;]+; Max-Age=2592000; HttpOnly; SameSite=lax$/i,
    )
    expect(response.headers()['cache-control']).toBe('private, no-store')
  })

  test('with redirect: false answers with who, until when, and where to', async ({ request, password }) => {
    const data = { email: ' Viewer@Example.COM ', password, redirect: false, callbackUrl: '/dashboard?x=1' }
    const response = await request.post('/api/auth/signin', { data })
    expect(response.status()).toBe(200)
    const body = await response.json()
    expect(Object.keys(body).sort()).toEqual(['expires', 'url', 'user'])
    expect(body).toMatchObject({
      url: '/dashboard?x=1',
      user: { email: viewer, name: 'Victor Viewer', role: 'viewer' },
    })
    expect(await (await request.get('/api/auth/session')).json()).toEqual({ user: body.user, expires: body.expires })
  })

  test('gives a token that works as Bearer, from anywhere, and sets no cookie then', async ({
    request,
    password,
    appUrl,
    address,
  }) => {
    const response = await request.post('/api/auth/signin', { data: { email: viewer, password, redirect: false } })
    const token = /plinth\.session=([\w-]+)/.exec(response.headers()['set-cookie'] ?? '')?.[1]
    const session = await fetch(`${appUrl}/api/auth/session`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address },
    })
    expect(await session.json()).toMatchObject({ user: { email: viewer } })
    expect(session.headers.get('set-cookie')).toBeNull()
  })

  test('ends the session that was there before', async ({ request, password }) => {
    const signIn = (email: string) => request.post('/api/auth/signin', { data: { email, password, redirect: false } })
    const first = await signIn(viewer)
    const old = /plinth\.session=([\w-]+)/.exec(first.headers()['set-cookie'] ?? '')?.[1]
    await signIn('editor@example.com')
    expect(await (await request.get('/api/auth/session')).json()).toMatchObject({ user: { role: 'editor' } })
    const bearer = await request.get('/api/auth/session', { headers: { authorization: `Bearer ${old}` } })
    expect(await bearer.json()).toBeNull()
  })

  test('does not take over a token that was there before', async ({ playwright, appUrl, password, address }) => {
    const planted = 'p'.repeat(43)
    const context = await playwright.request.newContext({
      baseURL: appUrl,
      extraHTTPHeaders: { 'x-forwarded-for': address, cookie: `plinth.session=${planted}` },
    })
    const response = await context.post('/api/auth/signin', { data: { email: viewer, password, redirect: false } })
    expect(response.headers()['set-cookie']).not.toContain(planted)
    await context.dispose()
  })

  test.describe('refuses', () => {
    test('the five kinds of wrong with the same bytes', async ({ appUrl }) => {
      const people = [
        await newPerson({ isSuspended: true }),
        await newPerson({ isVerified: false }),
        await newPerson({ hasPassword: false }),
      ]

      for (const redirect of [true, false]) {
        const seen = new Set<string>()
        for (const email of [viewer, `unknown-${crypto.randomUUID()}@example.com`, ...people]) {
          const password = email === viewer ? 'wrong' : (process.env.DEV_PASSWORD ?? '')
          const response = await fetch(`${appUrl}/api/auth/signin`, {
            method: 'POST',
            redirect: 'manual',
            headers: {
              'content-type': 'application/json',
              'x-forwarded-for': someAddress(),
              'x-request-id': 'the-same-for-all',
            },
            body: JSON.stringify({ email, password, redirect }),
          })
          const headers = [...response.headers].filter(([name]) => name !== 'date')
          seen.add(JSON.stringify([response.status, headers, await response.text()]))
        }
        expect([...seen]).toHaveLength(1)
        const [status, headers] = JSON.parse([...seen][0] ?? '[]')
        expect(status).toBe(redirect ? 302 : 401)
        expect(JSON.stringify(headers)).not.toContain('set-cookie')
        if (redirect) expect(new Map(headers).get('location')).toBe('/signin?error=invalid_credentials')
      }
    })

    for (const [what, body, status] of [
      ['nothing', '', 400],
      ['null', 'null', 422],
      ['a list', '[]', 422],
      ['half of it', '{"email":"a@b.example"}', 422],
      ['objects for words', '{"email":{"$ne":null},"password":{"$gt":""}}', 422],
      ['broken JSON', '{"email":', 400],
      ['deep nesting', '['.repeat(15_000), 400],
      ['16 KiB and more', JSON.stringify({ email: 'a@b.example', password: 'x'.repeat(17_000) }), 413],
    ] as const) {
      test(`${what} with ${status}`, async ({ request }) => {
        const response = await request.post('/api/auth/signin', {
          data: Buffer.from(body),
          headers: { 'content-type': 'application/json' },
        })
        expect(response.status()).toBe(status)
        expect(response.headers()['content-type']).toBe('application/problem+json; charset=utf-8')
      })
    }

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
    ]) {
      test(`${type} with 415`, async ({ request, password }) => {
        const data = Buffer.from(JSON.stringify({ email: viewer, password }))
        expect((await request.post('/api/auth/signin', { data, headers: { 'content-type': type } })).status()).toBe(415)
      })
    }

    for (const [what, email, password] of [
      ['an empty password', viewer, ''],
      ['a NUL in the password', viewer, 'a\0b'],
      ['half of a character pair', viewer, '\ud800'],
      ['a password of 513 bytes', viewer, 'x'.repeat(513)],
      ['SQL', "' or 1=1 --", "' or 1=1 --"],
      ['a look-alike address', 'viewer\uff20example.com', 'x'],
      ['two addresses', 'viewer@example.com, x@evil.example', 'x'],
      ['a very long address', 'a@'.repeat(5_000), 'x'],
    ] as const) {
      test(`${what} like any wrong password`, async ({ request }) => {
        const response = await request.post('/api/auth/signin', { data: { email, password, redirect: false } })
        expect([response.status(), (await response.json()).code]).toEqual([401, 'invalid_credentials'])
      })
    }

    test('another site, and a browser that hides where it comes from', async ({ request, password }) => {
      const elsewhere: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]
      for (const headers of elsewhere) {
        const response = await request.post('/api/auth/signin', {
          data: { email: viewer, password },
          headers,
          maxRedirects: 0,
        })
        expect([response.status(), (await response.json()).code]).toEqual([403, 'cross_site'])
        expect(response.headers()['set-cookie']).toBeUndefined()
      }
    })

    test('to send anybody to another site', async ({ request, password }) => {
      for (const callbackUrl of [
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        'javascript:alert(1)',
        ['/x'],
        {},
      ]) {
        const response = await request.post('/api/auth/signin', {
          data: { email: viewer, password, callbackUrl },
          maxRedirects: 0,
        })
        expect([response.status(), response.headers().location]).toEqual([302, '/'])
      }
    })
  })

  test('changes nothing on GET: it leads to the page', async ({ request }) => {
    const response = await request.get('/api/auth/signin?email=a&password=b', { maxRedirects: 0 })
    expect([response.status(), response.headers().location]).toEqual([302, '/signin'])
  })

  test.describe('counts tries', () => {
    const attempt = (appUrl: string, email: string, address: string, cookie = '', password = 'wrong') =>
      fetch(`${appUrl}/api/auth/signin`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address, cookie },
        body: JSON.stringify({ email, password, redirect: false }),
      })

    test('of one person from one address: the sixth in a minute is refused, known or not', async ({ appUrl }) => {
      for (const email of [`new-${crypto.randomUUID()}@example.com`, await newPerson()]) {
        const address = someAddress()
        const codes = []
        for (let tries = 0; tries < 6; tries++) codes.push((await attempt(appUrl, email, address)).status)
        expect(codes, email).toEqual([401, 401, 401, 401, 401, 429])
      }
    })

    test('of one person from many addresses, and says when to come back', async ({ appUrl }) => {
      const email = `target-${crypto.randomUUID()}@example.com`
      for (let tries = 0; tries < 10; tries++) expect((await attempt(appUrl, email, someAddress())).status).toBe(401)
      const response = await attempt(appUrl, email.toUpperCase(), someAddress())
      expect(response.status).toBe(429)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(800)
    })

    test('of a stranger without locking out a browser that has signed in before', async ({ appUrl, password }) => {
      const email = await newPerson()
      const first = await attempt(appUrl, email, someAddress(), '', password)
      const device = /plinth\.device=[^;]+/.exec(first.headers.get('set-cookie') ?? '')?.[0] ?? ''
      let status = 0
      for (let tries = 0; tries < 12 && status !== 429; tries++)
        status = (await attempt(appUrl, email, someAddress())).status
      expect(status).toBe(429)
      expect((await attempt(appUrl, email, someAddress(), '', password)).status).toBe(429)
      expect((await attempt(appUrl, email, someAddress(), 'plinth.device=x.y', password)).status).toBe(429)
      expect((await attempt(appUrl, email, someAddress(), device, password)).status).toBe(200)
    })

    test('of many people from one address, however the caller dresses it up', async ({ appUrl }) => {
      const address = someAddress()
      const statuses: number[] = []
      for (let round = 0; round < 13; round++) {
        const people = Array.from({ length: 5 }, () => `spray-${crypto.randomUUID()}@example.com`)
        const answers = await Promise.all(people.map((email) => attempt(appUrl, email, `${someAddress()}, ${address}`)))
        statuses.push(...answers.map(({ status }) => status))
      }
      expect(statuses).toEqual([...Array(60).fill(401), ...Array(5).fill(429)])
    })
  })
})

test.describe('POST /api/auth/signout', () => {
  test('answers in JSON when it is asked to', async ({ request }) => {
    const response = await request.post('/api/auth/signout', { data: { redirect: false } })
    expect([response.status(), await response.json()]).toEqual([200, { url: '/' }])
    expect(response.headers()['clear-site-data']).toBe('"cache"')
  })
})

test('the page returns people to where they were going, and explains a refusal that led there', async ({
  page,
  password,
}) => {
  await page.goto('/signin?error=invalid_credentials&callbackUrl=/welcome')
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('That e-mail and password do not match')
  await page.getByLabel('E-mail').fill(viewer)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/welcome')
  await page.goto('/signin?callbackUrl=//evil.example')
  await expect(page).toHaveURL('/dashboard')
})
