// OAuth sign-in with Google and GitHub, against well-behaved mock providers and a malicious one.
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import pg from 'pg'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, checkModule } from '../../app/support/checks.ts'
import { call, callRaw, type HttpResponse, Jar } from '../../app/support/http-client.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import type { RunningServer } from '../../app/support/server.ts'
import { verdict } from '../../app/support/server-actions.ts'
import { dumpDatabase, password, snapshotState, type World } from '../../app/support/test-world.ts'
import { type Behavior, startBadProvider } from './support/misbehaving-provider.ts'
import { callCallback, giveConsent, type ProviderId, signInWithProvider, startOAuth } from './support/oauth-flow.ts'

const providers: ProviderId[] = ['google', 'github']
const uniqueEmail = (kind = 'joins') => `${kind}.${crypto.randomUUID()}@example.com`

/** Asserts a redirect to the sign-in page with an error and without a session. */
const assertRejected = (response: HttpResponse, jar: Jar, what = '') => {
  assert.equal(response.status, 302, what)
  assert.match(
    response.headers.location ?? '',
    /^(http:\/\/localhost:\d+)?\/signin\?error=\w+(&callbackUrl=%2Fconnect%2F\w+)?$/,
    what,
  )
  assert.equal(jar.token, '', what)
}
const assertSignedIn = (response: HttpResponse, jar: Jar, what = '') => {
  assert.equal(response.status, 302, what)
  assert.match(response.headers.location ?? '', /^http:\/\/localhost:\d+\/dashboard$/, what)
  assert.match(jar.token, /^[\w-]{43}$/, what)
}

interface MaliciousSetup {
  node: RunningServer
  provider: Awaited<ReturnType<typeof startBadProvider>>
  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  query: (text: string, values?: unknown[]) => Promise<any[]>
  /** Signs in while the mock provider behaves as configured. */
  attempt: (id: ProviderId, behavior: Behavior, jar?: Jar) => Promise<{ response: HttpResponse; jar: Jar }>
}

const setups = new WeakMap<World, Promise<MaliciousSetup>>()

/** A separate node on an empty database whose Google and GitHub are the malicious mock provider. */
function maliciousSetup(world: World): Promise<MaliciousSetup> {
  const before = setups.get(world)
  if (before) return before
  const made = (async (): Promise<MaliciousSetup> => {
    const url = await world.migratedDatabase()
    const provider = await startBadProvider()
    registerSecret(provider.secret)
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    // The timeouts for a provider are among what is checked.
    const env = { DATABASE_URL: url, TIMEOUT_FACTOR: '1', ...provider.env }
    const node = await world.node('misbehaving provider', env)
    world.atEndOfGroup(async () => {
      setups.delete(world)
      await pool.end()
      await provider.stop()
    })
    const attempt: MaliciousSetup['attempt'] = async (id, behavior, jar = new Jar()) => {
      provider.setBehavior(behavior)
      const authorization = await startOAuth(node, id, jar)
      const redirected = await fetch(authorization, { redirect: 'manual' })
      const response = await callCallback(node, new URL(redirected.headers.get('location') ?? ''), jar)
      registerSecret(...provider.issued)
      return { response, jar }
    }
    return { node, provider, attempt, query: async (text, values) => (await pool.query(text, values)).rows }
  })()
  setups.set(world, made)
  return made
}

const google = (claims: Record<string, unknown> = {}, more: Omit<Behavior, 'claims'> = {}): Behavior => ({
  claims: { email: uniqueEmail(), email_verified: true, name: 'Test User', ...claims },
  ...more,
})

check('H-143', 'an unsolicited OAuth callback is rejected', async (world) => {
  for (const provider of providers) {
    for (const query of [
      'code=x',
      'code=x&state=y',
      '',
      'code=',
      'state=y',
      `code=${'x'.repeat(5_000)}`,
      'code=x&code=y&state=z&state=w',
    ]) {
      const jar = new Jar()
      assertRejected(
        await world.get(`/api/auth/callback/${provider}?${query}`, { jar }),
        jar,
        `${provider} ${query.slice(0, 20)}`,
      )
    }
  }
})

check('H-144', 'a callback with a wrong, missing or reused state is rejected', async (world) => {
  for (const provider of providers) {
    const email = uniqueEmail()
    for (const change of [
      (url: URL) => url.searchParams.set('state', 'x'),
      (url: URL) => url.searchParams.delete('state'),
      (url: URL) => url.searchParams.set('state', `${url.searchParams.get('state')}x`),
      (url: URL) => url.searchParams.append('state', 'x'),
    ]) {
      const jar = new Jar()
      const callback = await giveConsent(await startOAuth(world.app, provider, jar), provider, email)
      change(callback)
      assertRejected(await callCallback(world.app, callback, jar), jar, `${provider} ${callback.search}`)
    }
    // A state issued to another browser.
    const [mine, other] = [new Jar(), new Jar()]
    await startOAuth(world.app, provider, other)
    const callback = await giveConsent(await startOAuth(world.app, provider, mine), provider, email)
    assertRejected(await callCallback(world.app, callback, other), other, 'another browser')
    // State cookie and code work only once.
    const oldJar = mine.copy()
    assertSignedIn(await callCallback(world.app, callback, mine), mine)
    assert.equal(mine.get(`${appSlug}.state`), '')
    assertRejected(await callCallback(world.app, callback, oldJar), oldJar, 'a second time')
  }
})

check('H-145', 'PKCE uses S256, and a missing or changed verifier is rejected', async (world) => {
  for (const provider of providers) {
    const authorization = await startOAuth(world.app, provider, new Jar())
    assert.equal(authorization.searchParams.get('code_challenge_method'), 'S256')
    assert.match(authorization.searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
    assert.notEqual(
      (await startOAuth(world.app, provider, new Jar())).searchParams.get('code_challenge'),
      authorization.searchParams.get('code_challenge'),
    )
    for (const change of [
      (jar: Jar) => jar.values.delete(`${appSlug}.pkce`),
      (jar: Jar) => jar.values.set(`${appSlug}.pkce`, 'x'),
      (jar: Jar) => jar.values.set(`${appSlug}.pkce`, `${jar.get(`${appSlug}.pkce`).slice(0, -3)}abc`),
    ]) {
      const jar = new Jar()
      const callback = await giveConsent(await startOAuth(world.app, provider, jar), provider, uniqueEmail())
      change(jar)
      assertRejected(await callCallback(world.app, callback, jar), jar, provider)
    }
    // The verifier of another sign-in attempt.
    const [first, second] = [new Jar(), new Jar()]
    const callback = await giveConsent(await startOAuth(world.app, provider, first), provider, uniqueEmail())
    await startOAuth(world.app, provider, second)
    if (provider === 'google') {
      first.values.set(`${appSlug}.pkce`, second.get(`${appSlug}.pkce`))
      assertRejected(await callCallback(world.app, callback, first), first, 'another verifier')
    }
  }
})

check(
  'H-146',
  'an id token with a wrong nonce, audience, issuer, time or signature is rejected',
  async (world) => {
    const { attempt, provider, query } = await maliciousSetup(world)
    const now = Math.floor(Date.now() / 1000)
    const before = await query('select count(*) from users')
    const forged: [string, Behavior][] = [
      ['another nonce', google({ nonce: 'x' })],
      ['no nonce', google({ nonce: undefined })],
      ['another audience', google({ aud: 'another-client' })],
      ['several audiences, not for us', google({ aud: ['one', 'two'] })],
      ['another issuer', google({ iss: 'https://accounts.google.com' })],
      ['an issuer with a slash', google({ iss: `${provider.issuer}/` })],
      ['expired', google({ iat: now - 7200, exp: now - 3600 })],
      ['no expiry', google({ exp: undefined })],
      ['an expiry that is a string', google({ exp: 'tomorrow' })],
      ['issued in the future', google({ iat: now + 3600, exp: now + 7200 })],
      ['not valid yet', google({ nbf: now + 3600 })],
      ['no subject', google({ sub: undefined })],
      ['unsigned', google({}, { signature: 'none' })],
      ['signed by another key', google({}, { signature: 'wrong key' })],
      ['signed with the public key as HMAC secret', google({}, { signature: 'public key as secret' })],
      ['another algorithm in the header', google({}, { header: { alg: 'RS512' } })],
      ['an unknown key id', google({}, { header: { kid: '../../etc/passwd' } })],
      ['a critical extension', google({}, { header: { crit: ['x'], x: 1 } })],
    ]
    const ofIssuer: [string, Behavior][] = [
      ['userinfo of another subject', google({}, { userinfo: { sub: 'another' } })],
      ['an email that is not verified', google({}, { userinfo: { email_verified: false } })],
      ['an email without a claim', google({}, { userinfo: { email_verified: undefined } })],
      ['an email with a claim that is a string', google({}, { userinfo: { email_verified: 'true' } })],
    ]
    const attacks = { google: forged, 'oidc-bad': [...forged, ...ofIssuer] }
    const accepted: string[] = []
    for (const id of ['google', 'oidc-bad'] as const)
      for (const [what, behavior] of attacks[id]) {
        const { response, jar } = await attempt(id, behavior)
        if (jar.token) accepted.push(`${id}: ${what}`)
        else assertRejected(response, jar, `${id}: ${what}`)
      }
    assert.deepEqual(accepted, [], 'accepted')
    assert.deepEqual(await query('select count(*) from users'), before)
    for (const id of ['google', 'oidc-bad'] as const) {
      const right = await attempt(id, google())
      assertSignedIn(right.response, right.jar, id)
    }
  },
  { full: 'needs other servers' },
)

check('H-147', 'a state issued for one provider is rejected by the other provider’s callback', async (world) => {
  for (const [minted, used] of [
    ['github', 'google'],
    ['google', 'github'],
  ] as const) {
    const jar = new Jar()
    const callback = await giveConsent(await startOAuth(world.app, minted, jar), minted, uniqueEmail())
    callback.pathname = `/api/auth/callback/${used}`
    assertRejected(await callCallback(world.app, callback, jar), jar, `${minted} at ${used}`)
  }
})

check('H-148', 'callbacks of unknown or misspelled providers get 404', async (world) => {
  for (const path of [
    'unknown',
    'Google',
    'GOOGLE',
    'google/x',
    '__proto__',
    'constructor',
    'toString',
    'google%00',
    'google%2Fx',
    'google%20',
    'google.',
    'credentials',
    'email',
    '',
    '%5B%5D',
  ]) {
    const response = await world.get(`/api/auth/callback/${path}?code=x&state=y`)
    assert.ok([404, 308, 400].includes(response.status), `${path}: ${response.status}`)
    if (response.status === 308) assert.equal((await world.get(response.headers.location ?? '')).status, 404, path)
    assert.deepEqual(response.setCookies, [], path)
  }
  for (const path of [
    '/api/auth/callback/../google?code=x',
    '/api/auth/callback/google/../x?code=x',
    '/api/auth/callback//google?code=x',
    '/api/auth/callback/./nothing?code=x',
  ]) {
    const response = await callRaw(
      world.app.url,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    assert.ok([404, 308, 400].includes(response.status), `${path}: ${response.status}`)
    assert.deepEqual(response.setCookies, [], path)
  }
})

check('H-149', 'error descriptions from a provider are never shown', async (world) => {
  const script = '<script>alert(1)</script>'
  for (const provider of providers) {
    const jar = new Jar()
    const state = (await startOAuth(world.app, provider, jar)).searchParams.get('state') ?? ''
    const query = new URLSearchParams({
      error: 'access_denied',
      error_description: script,
      error_uri: 'javascript:alert(1)',
      state,
    })
    const response = await world.get(`/api/auth/callback/${provider}?${query}`, { jar })
    assertRejected(response, jar)
    assert.ok(!`${response.head}${response.text}`.includes('alert'))
    const { pathname, search } = new URL(response.headers.location ?? '', world.app.url)
    const page = await world.get(pathname + search)
    assert.equal(page.status, 200)
    assert.match(page.text, /role="alert"/)
    assert.ok(!page.text.includes('alert(1)'))
  }
  for (const error of [script, '__proto__', 'constructor', '"><img src=x onerror=alert(1)>', 'x'.repeat(3_000)]) {
    const page = await world.get(`/signin?${new URLSearchParams({ error })}`)
    assert.equal(page.status, 200)
    assert.ok(!/<script>alert|<img src=x/.test(page.text), error)
    assert.match(page.text, /role="alert"[^>]*>Something went wrong/)
  }
})

check(
  'H-150',
  'one code in ten concurrent callbacks creates one session',
  async (world) => {
    for (const provider of providers) {
      const email = uniqueEmail()
      const jar = new Jar()
      const callback = await giveConsent(await startOAuth(world.app, provider, jar), provider, email)
      const jars = Array.from({ length: 10 }, () => jar.copy())
      await Promise.all(jars.map((one) => callCallback(world.app, callback, one)))
      const alive = jars.filter((one) => one.token)
      assert.equal(alive.length, 1, provider)
      const rows = await world.query(
        'select sessions.id from sessions join users on users.id = user_id where email = $1',
        [email],
      )
      assert.equal(rows.length, 1, provider)
      const again = jar.copy()
      assertRejected(await callCallback(world.app, callback, again), again)
    }
  },
  { full: 'samples races' },
)

check('H-151', 'an identity with the verified email of an existing user is not linked automatically', async (world) => {
  for (const provider of providers) {
    const user = await world.newUser()
    const { result: response, jar } = await signInWithProvider(world.app, provider, user.email)
    assertRejected(response, jar)
    assert.match(response.headers.location ?? '', /OAuthAccountNotLinked/)
    assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [user.id]), [])
    assert.equal((await world.trySignIn(user.email)).status, 200)
  }
})

check(
  'H-152',
  'an unverified account is replaced when the email’s owner signs in with OAuth (account pre-hijacking)',
  async (world) => {
    for (const provider of providers) {
      const unverified = await world.newUser({ isVerified: false, role: 'editor' })
      const token = crypto.randomUUID().replaceAll('-', '').padEnd(43, 'x')
      await world.query('insert into sessions (user_id, token_hash) values ($1, sha256($2))', [
        unverified.id,
        Buffer.from(token),
      ])
      assert.equal((await world.getSession(token)).user.id, unverified.id)
      const { result: response, jar } = await signInWithProvider(world.app, provider, unverified.email)
      assertSignedIn(response, jar)
      const { user } = await world.getSession(jar)
      assert.notEqual(user.id, unverified.id)
      assert.equal(user.role, 'viewer')
      assert.equal(await world.getSession(token), null)
      assert.equal((await world.trySignIn(unverified.email)).status, 401)
      const rows = await world.query(
        'select users.id, provider from users left join accounts on user_id = users.id where email = $1',
        [unverified.email],
      )
      assert.deepEqual(rows, [{ id: user.id, provider }])
    }
  },
)

check(
  'H-153',
  'a Google email without email_verified: true is rejected and creates no user',
  async (world) => {
    const { attempt, query } = await maliciousSetup(world)
    for (const verified of [false, 'false', 'true', undefined, null, [true], 1, {}, '']) {
      const email = uniqueEmail('unverified')
      const { response, jar } = await attempt('google', google({ email, email_verified: verified }))
      assertRejected(response, jar, JSON.stringify(verified))
      assert.deepEqual(await query('select id from users where email = $1', [email]), [])
    }
    for (const email of [
      undefined,
      null,
      '',
      'nonsense',
      ['a@example.com'],
      { a: 1 },
      'a@example.com,b@example.com',
      'k\u212a@example.com',
    ]) {
      const before = await query('select count(*) from users')
      const { response, jar } = await attempt('google', google({ email }))
      assertRejected(response, jar, JSON.stringify(email))
      assert.deepEqual(await query('select count(*) from users'), before)
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-154',
  'only GitHub’s primary email counts, and only if it is verified',
  async (world) => {
    const { attempt, query } = await maliciousSetup(world)
    const [primary, second] = [uniqueEmail('primary'), uniqueEmail('second')]
    const behavior = (emails: unknown): Behavior => ({
      user: { id: Math.floor(Math.random() * 1e9), login: 'x', name: 'X', email: second },
      emails,
    })
    for (const emails of [
      [
        { email: primary, primary: true, verified: false },
        { email: second, primary: false, verified: true },
      ],
      [{ email: primary, primary: true, verified: 'true' }],
      [{ email: second, primary: false, verified: true }],
      [],
      {},
      null,
      'nonsense',
      [null],
    ]) {
      const { response, jar } = await attempt('github', behavior(emails))
      assertRejected(response, jar, JSON.stringify(emails))
    }
    // Without a unique id, all such users would share one account.
    for (const id of [undefined, null, 'x', '', 1.5, {}]) {
      const { response, jar } = await attempt('github', {
        user: { id, login: 'x', name: 'X' },
        emails: [{ email: primary, primary: true, verified: true }],
      })
      assertRejected(response, jar, `id ${JSON.stringify(id)}`)
    }
    assert.deepEqual(await query('select id from users where email = any($1)', [[primary, second]]), [])
    const right = await attempt(
      'github',
      behavior([
        { email: second, primary: false, verified: true },
        { email: primary, primary: true, verified: true },
      ]),
    )
    assertSignedIn(right.response, right.jar)
    assert.equal((await world.getSession(right.jar, (await maliciousSetup(world)).node)).user.email, primary)
  },
  { full: 'needs other servers' },
)

check(
  'H-155',
  'an identity whose email changes to another user’s email keeps its own account',
  async (world) => {
    const { attempt, query, node } = await maliciousSetup(world)
    const admin = uniqueEmail('admin')
    await query(`insert into users (email, name, role, email_verified_at) values ($1, 'Admin', 'admin', now())`, [
      admin,
    ])
    const own = uniqueEmail('own')
    const sub = crypto.randomUUID()
    const first = await attempt('google', google({ sub, email: own }))
    assertSignedIn(first.response, first.jar)
    const { user } = await world.getSession(first.jar, node)
    const second = await attempt('google', google({ sub, email: admin, name: 'Admin' }))
    assertSignedIn(second.response, second.jar)
    assert.deepEqual((await world.getSession(second.jar, node)).user, user)
    assert.deepEqual(await query('select email, role from users where id = $1', [user.id]), [
      { email: own, role: 'viewer' },
    ])
  },
  { full: 'needs other servers' },
)

check(
  'H-156',
  'the same id at two providers is two users',
  async (world) => {
    const { attempt, node } = await maliciousSetup(world)
    const id = Math.floor(Math.random() * 1e9)
    const [one, two] = [uniqueEmail('one'), uniqueEmail('two')]
    const first = await attempt('google', google({ sub: String(id), email: one }))
    const second = await attempt('github', {
      user: { id, login: 'two', name: 'Two' },
      emails: [{ email: two, primary: true, verified: true }],
    })
    assertSignedIn(first.response, first.jar)
    assertSignedIn(second.response, second.jar)
    const sessions = await Promise.all([first.jar, second.jar].map((jar) => world.getSession(jar, node)))
    assert.deepEqual(
      sessions.map(({ user }) => user.email),
      [one, two],
    )
    assert.notEqual(sessions[0].user.id, sessions[1].user.id)
  },
  { full: 'needs other servers' },
)

check(
  'H-157',
  'only a valid name is taken from an OAuth profile: no role, no picture',
  async (world) => {
    const { attempt, query, node } = await maliciousSetup(world)
    const more = {
      role: 'admin',
      isAdmin: true,
      admin: true,
      picture: 'javascript:alert(1)',
      avatar_url: 'javascript:alert(1)',
      image: 'javascript:alert(1)',
      id: crypto.randomUUID(),
      createdAt: '1970-01-01',
      suspendedAt: null,
    }
    for (const [name, expected] of [
      ['Ada Lovelace', 'Ada Lovelace'],
      ['x'.repeat(1_000_000), undefined],
      ['line\nbreak', undefined],
      ['\u202eevil', undefined],
      [{ a: 1 }, undefined],
      [['a'], undefined],
      [7, undefined],
      ['', undefined],
      ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ] as const) {
      const email = uniqueEmail('profile')
      for (const [provider, behavior] of [
        ['google', google({ ...more, email, name })],
        [
          'github',
          {
            user: { ...more, id: Math.floor(Math.random() * 1e9), login: name, name },
            emails: [{ email: `g${email}`, primary: true, verified: true }],
          },
        ],
      ] as const) {
        const { response, jar } = await attempt(provider, behavior)
        const what = `${provider} ${JSON.stringify(name).slice(0, 30)}`
        assertSignedIn(response, jar, what)
        const { user } = await world.getSession(jar, node)
        assert.equal(user.role, 'viewer', what)
        assert.equal(user.name, expected ?? user.email.split('@')[0], what)
        assert.deepEqual(
          await query('select image, role, suspended_at from users where id = $1', [user.id]),
          [{ image: null, role: 'viewer', suspended_at: null }],
          what,
        )
        const page = await call(node.url, '/dashboard', { jar })
        assert.ok(
          page.status === 200 && !page.text.includes('<script>alert(1)') && !page.text.includes('javascript:alert'),
          what,
        )
      }
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-158',
  'the first user in an empty database is a viewer',
  async (world) => {
    const { attempt, query, node } = await maliciousSetup(world)
    await query('truncate users cascade')
    const { response, jar } = await attempt('google', google())
    assertSignedIn(response, jar)
    assert.equal((await world.getSession(jar, node)).user.role, 'viewer')
    assert.deepEqual(await query('select role from users'), [{ role: 'viewer' }])
  },
  { full: 'needs other servers' },
)

check(
  'H-159',
  'a provider that fails, hangs, floods or redirects times out within seconds, and delays no other request',
  async (world) => {
    const { attempt, provider, node, query } = await maliciousSetup(world)
    const reply =
      (status: number, headers: Record<string, string>, body: string) =>
      (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(status, headers).end(body)
      }
    const json = { 'content-type': 'application/json' }
    const faults: [string, NonNullable<Behavior['token']>][] = [
      ['500', reply(500, json, '{}')],
      ['500 in HTML', reply(500, { 'content-type': 'text/html' }, '<h1>at x (/etc/passwd:1:1)</h1>')],
      ['broken JSON', reply(200, json, '{"access_token":')],
      ['not JSON', reply(200, { 'content-type': 'text/plain' }, 'hello')],
      ['empty body', reply(200, json, '')],
      ['null', reply(200, json, 'null')],
      ['10 MB', reply(200, json, JSON.stringify({ access_token: 'x'.repeat(10 * 1024 * 1024), token_type: 'bearer' }))],
      ['a redirect', reply(307, { location: `${provider.issuer}/elsewhere` }, '')],
      ['a redirect to an internal port', reply(302, { location: 'http://127.0.0.1:22/' }, '')],
      ['a closed socket', (request) => void request.socket.destroy()],
    ]
    const before = await query('select count(*) from users')
    let slowest = 0
    for (const id of providers) {
      for (const [what, token] of faults) {
        // A shared machine may stall now and then, but not three times in a row at the same step.
        let fastest = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < 3 && fastest >= 5_000; tries++) {
          const { response, jar } = await attempt(id, { ...google(), token })
          assertRejected(response, jar, `${id}: ${what}`)
          fastest = Math.min(fastest, response.milliseconds)
        }
        slowest = Math.max(slowest, fastest)
      }
    }
    assertFast(slowest < 5_000, `${slowest} ms`)
    assert.equal(provider.redirectsFollowed(), 0)

    // Hanging: the response headers never arrive, or the body never ends.
    const hangs = [
      attempt('google', { ...google(), token: () => {} }),
      attempt('github', { token: (_, response) => void response.writeHead(200, json).write('{') }),
    ]
    let late = 0
    for (let round = 0; round < 10; round++) {
      for (const path of ['/api/health', '/api/auth/session', '/signin'])
        if ((await call(node.url, path)).milliseconds > 1_000) late++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assertFast(late <= 3, `${late} of 30 other requests took more than a second`)
    const ended = await Promise.all(hangs)
    for (const { response, jar } of ended) {
      assertRejected(response, jar, 'hanging')
      assertFast(response.milliseconds < 6_500, `${response.milliseconds} ms`)
    }
    assert.deepEqual(await query('select count(*) from users'), before)
    return `failing: ${slowest.toFixed(0)} ms at most; hanging: ${ended.map(({ response }) => (response.milliseconds / 1000).toFixed(1)).join(' and ')} s; ${late} of 30 other requests slow`
  },
  { full: 'measures time or memory' },
)

check(
  'H-160',
  'OAuth access and id tokens are neither stored nor exposed',
  async (world) => {
    const { attempt, provider, node, query } = await maliciousSetup(world)
    const { response, jar } = await attempt('google', google())
    assertSignedIn(response, jar)
    const token = provider.issued.at(-1) ?? ''
    assert.notEqual(token, '')
    const tables = await query(
      `select table_name, column_name from information_schema.columns where table_schema = 'public'`,
    )
    for (const { column_name } of tables) assert.doesNotMatch(column_name, /access_token|refresh_token|id_token/)
    for (const { table_name } of tables) {
      const rows = await query(`select t::text as row from "${table_name}" t`)
      assert.ok(!rows.some(({ row }) => row.includes(token)), table_name)
    }
    const session = await call(node.url, '/api/auth/session', { jar })
    for (const text of [session.text, String(jar), response.head]) assert.ok(!text.includes(token))
    assert.ok(!(await dumpDatabase(world)).includes(token))
  },
  { full: 'needs other servers' },
)

checkModule(
  'account',
  'H-161',
  'a user cannot remove their last sign-in method',
  async (world) => {
    const other = await world.node('second')
    const disconnect = async (jar: Jar, provider: string, node = world.app) =>
      verdict(await submitAction(world, 'disconnectProvider', { provider }, { jar: jar.copy(), node }))
    const connect = (id: string, provider: string) =>
      world.query('insert into accounts (provider, provider_account_id, user_id) values ($1, $2, $3)', [
        provider,
        crypto.randomUUID(),
        id,
      ])
    const identitiesOf = async (id: string): Promise<string[]> =>
      (await world.query('select provider from accounts where user_id = $1 order by provider', [id])).map(
        (row) => row.provider,
      )

    for (const provider of providers) {
      const email = uniqueEmail()
      const { jar } = await signInWithProvider(world.app, provider, email)
      const { id } = (await world.getSession(jar)).user
      for (const node of [world.app, other]) assert.equal(await disconnect(jar, provider, node), 'conflict')
      for (const none of providers.filter((one) => one !== provider))
        assert.equal(await disconnect(jar, none), 'not_found')
      assert.deepEqual(await identitiesOf(id), [provider])
      // The identity still signs in.
      assert.equal((await world.getSession((await signInWithProvider(world.app, provider, email)).jar)).user.id, id)
      await world.query('insert into passwords (user_id, hash) values ($1, $2)', [id, world.hash])
      assert.equal(await disconnect(jar, provider), 'to /account/connections')
      assert.deepEqual(await identitiesOf(id), [])
      assert.equal((await world.trySignIn(email)).status, 200)
    }

    // Of two concurrent disconnects, only one may succeed.
    for (let round = 0; round < 20; round++) {
      const user = await world.newUser({ hash: null })
      for (const provider of providers) await connect(user.id, provider)
      const jar = await world.insertSession(user)
      const verdicts = await Promise.all(
        providers.map((provider, index) => disconnect(jar, provider, (index + round) % 2 ? other : world.app)),
      )
      assert.deepEqual(verdicts.toSorted(), ['conflict', 'to /account/connections'], `round ${round}`)
      assert.equal((await identitiesOf(user.id)).length, 1, `round ${round}`)
    }
  },
  { full: 'samples races' },
)

check('H-162', 'OAuth sign-in during another user’s session links nothing to that user', async (world) => {
  for (const provider of providers) {
    const current = await world.newSession()
    const email = uniqueEmail()
    const { result: response, jar } = await signInWithProvider(world.app, provider, email, current.jar.copy())
    assertSignedIn(response, jar)
    const { user } = await world.getSession(jar)
    assert.equal(user.email, email)
    assert.notEqual(user.id, current.id)
    assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [current.id]), [])
    // With an expired session too: Auth.js itself does not check expiry here.
    await world.query(`update sessions set last_seen_at = now() - interval '8 days' where user_id = $1`, [current.id])
    const again = await signInWithProvider(world.app, provider, uniqueEmail(), current.jar.copy())
    assertSignedIn(again.result, again.jar)
    assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [current.id]), [])
  }
  // An identity with another user's email is rejected, and the current session stays unchanged.
  const current = await world.newSession()
  const other = await world.newUser()
  const before = await snapshotState(world)
  const { result: response } = await signInWithProvider(world.app, 'google', other.email, current.jar.copy())
  assert.match(response.headers.location ?? '', /error=OAuthAccountNotLinked/)
  assert.equal(await snapshotState(world), before)
  assert.equal((await world.trySignIn(other.email, password)).status, 200)
})
