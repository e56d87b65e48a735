// J. Signing in with Google and GitHub: with real local providers, and with one that misbehaves.
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import pg from 'pg'
import type { RunningServer } from '../support/server.ts'
import { verdict } from './actions.ts'
import { type Mood, startBadProvider } from './bad-provider.ts'
import { assertSoon, check, checkModule } from './checks.ts'
import { type Answer, call, callRaw, Jar } from './client.ts'
import { agree, comeBack, type ProviderId, signInAt, start } from './oauth-journey.ts'
import { keepSecret } from './oracles.ts'
import { dump, image, password, submit, type World } from './world.ts'

const providers: ProviderId[] = ['google', 'github']
const someEmail = (kind = 'joins') => `${kind}.${crypto.randomUUID()}@example.com`

/** Led back to the sign-in page with a reason, and nobody is signed in. */
const isRefused = (answer: Answer, jar: Jar, what = '') => {
  assert.equal(answer.status, 302, what)
  assert.match(
    answer.headers.location ?? '',
    /^(http:\/\/localhost:\d+)?\/signin\?error=\w+(&callbackUrl=%2Fconnect%2F\w+)?$/,
    what,
  )
  assert.equal(jar.token, '', what)
}
const isIn = (answer: Answer, jar: Jar, what = '') => {
  assert.equal(answer.status, 302, what)
  assert.match(answer.headers.location ?? '', /^http:\/\/localhost:\d+\/dashboard$/, what)
  assert.match(jar.token, /^[\w-]{43}$/, what)
}

interface Strange {
  node: RunningServer
  provider: Awaited<ReturnType<typeof startBadProvider>>
  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  query: (text: string, values?: unknown[]) => Promise<any[]>
  /** Signs in with the provider in that mood. */
  attempt: (id: ProviderId, mood: Mood, jar?: Jar) => Promise<{ answer: Answer; jar: Jar }>
}

const known = new WeakMap<World, Promise<Strange>>()

/** A node of its own, on an empty database, whose Google and GitHub are the misbehaving provider. */
function strange(world: World): Promise<Strange> {
  const before = known.get(world)
  if (before) return before
  const made = (async (): Promise<Strange> => {
    const url = await world.emptyDatabase()
    const provider = await startBadProvider()
    keepSecret(provider.secret)
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    const node = await world.node('misbehaving provider', { DATABASE_URL: url, ...provider.env })
    world.atEndOfGroup(async () => {
      known.delete(world)
      await pool.end()
      await provider.stop()
    })
    const attempt: Strange['attempt'] = async (id, mood, jar = new Jar()) => {
      provider.behave(mood)
      const authorization = await start(node, id, jar)
      const led = await fetch(authorization, { redirect: 'manual' })
      const answer = await comeBack(node, new URL(led.headers.get('location') ?? ''), jar)
      keepSecret(...provider.issued)
      return { answer, jar }
    }
    return { node, provider, attempt, query: async (text, values) => (await pool.query(text, values)).rows }
  })()
  known.set(world, made)
  return made
}

const google = (claims: Record<string, unknown> = {}, more: Omit<Mood, 'claims'> = {}): Mood => ({
  claims: { email: someEmail(), email_verified: true, name: 'Somebody', ...claims },
  ...more,
})

check('H-143', 'a callback that nobody asked for lets nobody in', async (world) => {
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
      isRefused(
        await world.get(`/api/auth/callback/${provider}?${query}`, { jar }),
        jar,
        `${provider} ${query.slice(0, 20)}`,
      )
    }
  }
})

check('H-144', 'a callback with a state that is wrong, missing or used before lets nobody in', async (world) => {
  for (const provider of providers) {
    const email = someEmail()
    for (const change of [
      (url: URL) => url.searchParams.set('state', 'x'),
      (url: URL) => url.searchParams.delete('state'),
      (url: URL) => url.searchParams.set('state', `${url.searchParams.get('state')}x`),
      (url: URL) => url.searchParams.append('state', 'x'),
    ]) {
      const jar = new Jar()
      const callback = await agree(await start(world.app, provider, jar), provider, email)
      change(callback)
      isRefused(await comeBack(world.app, callback, jar), jar, `${provider} ${callback.search}`)
    }
    // The state of one browser in another.
    const [mine, other] = [new Jar(), new Jar()]
    await start(world.app, provider, other)
    const callback = await agree(await start(world.app, provider, mine), provider, email)
    isRefused(await comeBack(world.app, callback, other), other, 'another browser')
    // Once used, it is spent: cookie and code.
    const kept = mine.copy()
    isIn(await comeBack(world.app, callback, mine), mine)
    assert.equal(mine.get('plinth.state'), '')
    isRefused(await comeBack(world.app, callback, kept), kept, 'a second time')
  }
})

check('H-145', 'PKCE with S256 is sent, and a verifier that is missing or changed ends it', async (world) => {
  for (const provider of providers) {
    const authorization = await start(world.app, provider, new Jar())
    assert.equal(authorization.searchParams.get('code_challenge_method'), 'S256')
    assert.match(authorization.searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
    assert.notEqual(
      (await start(world.app, provider, new Jar())).searchParams.get('code_challenge'),
      authorization.searchParams.get('code_challenge'),
    )
    for (const change of [
      (jar: Jar) => jar.values.delete('plinth.pkce'),
      (jar: Jar) => jar.values.set('plinth.pkce', 'x'),
      (jar: Jar) => jar.values.set('plinth.pkce', `${jar.get('plinth.pkce').slice(0, -3)}abc`),
    ]) {
      const jar = new Jar()
      const callback = await agree(await start(world.app, provider, jar), provider, someEmail())
      change(jar)
      isRefused(await comeBack(world.app, callback, jar), jar, provider)
    }
    // The verifier of another sign-in of the same browser.
    const [first, second] = [new Jar(), new Jar()]
    const callback = await agree(await start(world.app, provider, first), provider, someEmail())
    await start(world.app, provider, second)
    if (provider === 'google') {
      first.values.set('plinth.pkce', second.get('plinth.pkce'))
      isRefused(await comeBack(world.app, callback, first), first, 'another verifier')
    }
  }
})

check(
  'H-146',
  'an id token with another nonce, audience, issuer or time, unsigned or signed by another key, lets nobody in',
  async (world) => {
    const { attempt, provider, query } = await strange(world)
    const now = Math.floor(Date.now() / 1000)
    const before = await query('select count(*) from users')
    const forged: [string, Mood][] = [
      ['another nonce', google({ nonce: 'x' })],
      ['no nonce', google({ nonce: undefined })],
      ['another audience', google({ aud: 'somebody-else' })],
      ['several audiences, not for us', google({ aud: ['one', 'two'] })],
      ['another issuer', google({ iss: 'https://accounts.google.com' })],
      ['an issuer with a slash', google({ iss: `${provider.issuer}/` })],
      ['expired', google({ iat: now - 7200, exp: now - 3600 })],
      ['no end', google({ exp: undefined })],
      ['an end that is a word', google({ exp: 'tomorrow' })],
      ['from the future', google({ iat: now + 3600, exp: now + 7200 })],
      ['valid only later', google({ nbf: now + 3600 })],
      ['no subject', google({ sub: undefined })],
      ['unsigned', google({}, { signature: 'none' })],
      ['signed by another key', google({}, { signature: 'wrong key' })],
      ['signed with the public key as a secret', google({}, { signature: 'public key as secret' })],
      ['another algorithm in the header', google({}, { header: { alg: 'RS512' } })],
      ['a key that does not exist', google({}, { header: { kid: '../../etc/passwd' } })],
      ['a critical extension', google({}, { header: { crit: ['x'], x: 1 } })],
    ]
    const accepted: string[] = []
    for (const [what, mood] of forged) {
      const { answer, jar } = await attempt('google', mood)
      if (jar.token) accepted.push(what)
      else isRefused(answer, jar, what)
    }
    assert.deepEqual(accepted, [], 'accepted')
    assert.deepEqual(await query('select count(*) from users'), before)
    const right = await attempt('google', google())
    isIn(right.answer, right.jar)
  },
)

check('H-147', 'the state of one provider is worth nothing at the other', async (world) => {
  for (const [minted, used] of [
    ['github', 'google'],
    ['google', 'github'],
  ] as const) {
    const jar = new Jar()
    const callback = await agree(await start(world.app, minted, jar), minted, someEmail())
    callback.pathname = `/api/auth/callback/${used}`
    isRefused(await comeBack(world.app, callback, jar), jar, `${minted} at ${used}`)
  }
})

check('H-148', 'callbacks of providers that do not exist, in any spelling, are 404', async (world) => {
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
    const answer = await world.get(`/api/auth/callback/${path}?code=x&state=y`)
    assert.ok([404, 308, 400].includes(answer.status), `${path}: ${answer.status}`)
    if (answer.status === 308) assert.equal((await world.get(answer.headers.location ?? '')).status, 404, path)
    assert.deepEqual(answer.setCookies, [], path)
  }
  for (const path of [
    '/api/auth/callback/../google?code=x',
    '/api/auth/callback/google/../x?code=x',
    '/api/auth/callback//google?code=x',
    '/api/auth/callback/./nothing?code=x',
  ]) {
    const answer = await callRaw(world.app.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    assert.ok([404, 308, 400].includes(answer.status), `${path}: ${answer.status}`)
    assert.deepEqual(answer.setCookies, [], path)
  }
})

check('H-149', 'what a provider says about an error is shown to nobody', async (world) => {
  const script = '<script>alert(1)</script>'
  for (const provider of providers) {
    const jar = new Jar()
    const state = (await start(world.app, provider, jar)).searchParams.get('state') ?? ''
    const query = new URLSearchParams({
      error: 'access_denied',
      error_description: script,
      error_uri: 'javascript:alert(1)',
      state,
    })
    const answer = await world.get(`/api/auth/callback/${provider}?${query}`, { jar })
    isRefused(answer, jar)
    assert.ok(!`${answer.head}${answer.text}`.includes('alert'))
    const { pathname, search } = new URL(answer.headers.location ?? '', world.app.url)
    const page = await world.get(pathname + search)
    assert.equal(page.status, 200)
    assert.match(page.text, /role="alert"/)
    assert.ok(!page.text.includes('alert(1)'))
  }
  for (const error of [script, '__proto__', 'constructor', '"><img src=x onerror=alert(1)>', 'x'.repeat(3_000)]) {
    const page = await world.get(`/signin?${new URLSearchParams({ error })}`)
    assert.equal(page.status, 200)
    assert.ok(!/<script>alert|<img src=x/.test(page.text), error)
    assert.match(page.text, /role="alert"[^>]*>That did not work/)
  }
})

check('H-150', 'one code in ten callbacks at once gives one session', async (world) => {
  for (const provider of providers) {
    const email = someEmail()
    const jar = new Jar()
    const callback = await agree(await start(world.app, provider, jar), provider, email)
    const jars = Array.from({ length: 10 }, () => jar.copy())
    await Promise.all(jars.map((one) => comeBack(world.app, callback, one)))
    const alive = jars.filter((one) => one.token)
    assert.equal(alive.length, 1, provider)
    const rows = await world.query(
      'select sessions.id from sessions join users on users.id = user_id where email = $1',
      [email],
    )
    assert.equal(rows.length, 1, provider)
    const again = jar.copy()
    isRefused(await comeBack(world.app, callback, again), again)
  }
})

check('H-151', 'an identity with the proved address of somebody here is not linked by itself', async (world) => {
  for (const provider of providers) {
    const person = await world.newPerson()
    const { answer, jar } = await signInAt(world.app, provider, person.email)
    isRefused(answer, jar)
    assert.match(answer.headers.location ?? '', /OAuthAccountNotLinked/)
    assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [person.id]), [])
    assert.equal((await world.try(person.email)).status, 200)
  }
})

check(
  'H-152',
  'somebody who signed up with another’s address and never proved it keeps nothing when the owner comes',
  async (world) => {
    for (const provider of providers) {
      const planted = await world.newPerson({ isVerified: false, role: 'editor' })
      const token = crypto.randomUUID().replaceAll('-', '').padEnd(43, 'x')
      await world.query('insert into sessions (user_id, token_hash) values ($1, sha256($2))', [
        planted.id,
        Buffer.from(token),
      ])
      assert.equal((await world.session(token)).user.id, planted.id)
      const { answer, jar } = await signInAt(world.app, provider, planted.email)
      isIn(answer, jar)
      const { user } = await world.session(jar)
      assert.notEqual(user.id, planted.id)
      assert.equal(user.role, 'viewer')
      assert.equal(await world.session(token), null)
      assert.equal((await world.try(planted.email)).status, 401)
      const rows = await world.query(
        'select users.id, provider from users left join accounts on user_id = users.id where email = $1',
        [planted.email],
      )
      assert.deepEqual(rows, [{ id: user.id, provider }])
    }
  },
)

check(
  'H-153',
  'an address that Google has not proved, in whatever words, lets nobody in and makes nobody',
  async (world) => {
    const { attempt, query } = await strange(world)
    for (const verified of [false, 'false', 'true', undefined, null, [true], 1, {}, '']) {
      const email = someEmail('unproved')
      const { answer, jar } = await attempt('google', google({ email, email_verified: verified }))
      isRefused(answer, jar, JSON.stringify(verified))
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
      const { answer, jar } = await attempt('google', google({ email }))
      isRefused(answer, jar, JSON.stringify(email))
      assert.deepEqual(await query('select count(*) from users'), before)
    }
  },
)

check('H-154', 'of GitHub’s addresses only the primary one counts, and only when it is proved', async (world) => {
  const { attempt, query } = await strange(world)
  const [primary, second] = [someEmail('primary'), someEmail('second')]
  const mood = (emails: unknown): Mood => ({
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
    const { answer, jar } = await attempt('github', mood(emails))
    isRefused(answer, jar, JSON.stringify(emails))
  }
  // Without an id of its own, everybody would be one person.
  for (const id of [undefined, null, 'x', '', 1.5, {}]) {
    const { answer, jar } = await attempt('github', {
      user: { id, login: 'x', name: 'X' },
      emails: [{ email: primary, primary: true, verified: true }],
    })
    isRefused(answer, jar, `id ${JSON.stringify(id)}`)
  }
  assert.deepEqual(await query('select id from users where email = any($1)', [[primary, second]]), [])
  const right = await attempt(
    'github',
    mood([
      { email: second, primary: false, verified: true },
      { email: primary, primary: true, verified: true },
    ]),
  )
  isIn(right.answer, right.jar)
  assert.equal((await world.session(right.jar, (await strange(world)).node)).user.email, primary)
})

check('H-155', 'an identity whose address becomes somebody else’s stays who it was', async (world) => {
  const { attempt, query, node } = await strange(world)
  const admin = someEmail('admin')
  await query(`insert into users (email, name, role, email_verified_at) values ($1, 'Admin', 'admin', now())`, [admin])
  const own = someEmail('own')
  const sub = crypto.randomUUID()
  const first = await attempt('google', google({ sub, email: own }))
  isIn(first.answer, first.jar)
  const { user } = await world.session(first.jar, node)
  const second = await attempt('google', google({ sub, email: admin, name: 'Admin' }))
  isIn(second.answer, second.jar)
  assert.deepEqual((await world.session(second.jar, node)).user, user)
  assert.deepEqual(await query('select email, role from users where id = $1', [user.id]), [
    { email: own, role: 'viewer' },
  ])
})

check('H-156', 'the same id at two providers is two people', async (world) => {
  const { attempt, node } = await strange(world)
  const id = Math.floor(Math.random() * 1e9)
  const [one, two] = [someEmail('one'), someEmail('two')]
  const first = await attempt('google', google({ sub: String(id), email: one }))
  const second = await attempt('github', {
    user: { id, login: 'two', name: 'Two' },
    emails: [{ email: two, primary: true, verified: true }],
  })
  isIn(first.answer, first.jar)
  isIn(second.answer, second.jar)
  const sessions = await Promise.all([first.jar, second.jar].map((jar) => world.session(jar, node)))
  assert.deepEqual(
    sessions.map(({ user }) => user.email),
    [one, two],
  )
  assert.notEqual(sessions[0].user.id, sessions[1].user.id)
})

check('H-157', 'a profile gives a name of sound length and nothing else: no role, no picture', async (world) => {
  const { attempt, query, node } = await strange(world)
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
    const email = someEmail('profile')
    for (const [provider, mood] of [
      ['google', google({ ...more, email, name })],
      [
        'github',
        {
          user: { ...more, id: Math.floor(Math.random() * 1e9), login: name, name },
          emails: [{ email: `g${email}`, primary: true, verified: true }],
        },
      ],
    ] as const) {
      const { answer, jar } = await attempt(provider, mood)
      const what = `${provider} ${JSON.stringify(name).slice(0, 30)}`
      isIn(answer, jar, what)
      const { user } = await world.session(jar, node)
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
})

check('H-158', 'the first person in an empty database is a viewer', async (world) => {
  const { attempt, query, node } = await strange(world)
  await query('truncate users cascade')
  const { answer, jar } = await attempt('google', google())
  isIn(answer, jar)
  assert.equal((await world.session(jar, node)).user.role, 'viewer')
  assert.deepEqual(await query('select role from users'), [{ role: 'viewer' }])
})

check(
  'H-159',
  'a provider that fails, hangs, floods or leads elsewhere is given up within seconds, and nobody else waits',
  async (world) => {
    const { attempt, provider, node, query } = await strange(world)
    const reply =
      (status: number, headers: Record<string, string>, body: string) =>
      (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(status, headers).end(body)
      }
    const json = { 'content-type': 'application/json' }
    const faults: [string, NonNullable<Mood['token']>][] = [
      ['500', reply(500, json, '{}')],
      ['500 in HTML', reply(500, { 'content-type': 'text/html' }, '<h1>at x (/etc/passwd:1:1)</h1>')],
      ['broken JSON', reply(200, json, '{"access_token":')],
      ['no JSON', reply(200, { 'content-type': 'text/plain' }, 'hello')],
      ['nothing', reply(200, json, '')],
      ['null', reply(200, json, 'null')],
      ['10 MB', reply(200, json, JSON.stringify({ access_token: 'x'.repeat(10 * 1024 * 1024), token_type: 'bearer' }))],
      ['a redirect', reply(307, { location: `${provider.issuer}/elsewhere` }, '')],
      ['a redirect inside', reply(302, { location: 'http://127.0.0.1:22/' }, '')],
      ['a closed socket', (request) => void request.socket.destroy()],
    ]
    const before = await query('select count(*) from users')
    let slowest = 0
    for (const id of providers) {
      for (const [what, token] of faults) {
        // A machine that is shared stalls now and then, but not at the same step three times in a row.
        let fastest = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < 3 && fastest >= 5_000; tries++) {
          const { answer, jar } = await attempt(id, { ...google(), token })
          isRefused(answer, jar, `${id}: ${what}`)
          fastest = Math.min(fastest, answer.milliseconds)
        }
        slowest = Math.max(slowest, fastest)
      }
    }
    assertSoon(slowest < 5_000, `${slowest} ms`)
    assert.equal(provider.redirectsFollowed(), 0)

    // Hanging: the headers never come, or the body never ends.
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
    assertSoon(late <= 3, `${late} of 30 others waited for more than a second`)
    const ended = await Promise.all(hangs)
    for (const { answer, jar } of ended) {
      isRefused(answer, jar, 'hanging')
      assertSoon(answer.milliseconds < 6_500, `${answer.milliseconds} ms`)
    }
    assert.deepEqual(await query('select count(*) from users'), before)
    return `failing: ${slowest.toFixed(0)} ms at most; hanging: ${ended.map(({ answer }) => (answer.milliseconds / 1000).toFixed(1)).join(' and ')} s; ${late} of 30 others late`
  },
)

check('H-160', 'a provider’s tokens are kept nowhere and shown nowhere', async (world) => {
  const { attempt, provider, node, query } = await strange(world)
  const { answer, jar } = await attempt('google', google())
  isIn(answer, jar)
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
  for (const text of [session.text, String(jar), answer.head]) assert.ok(!text.includes(token))
  assert.ok(!(await dump(world)).includes(token))
})

checkModule('account', 'H-161', 'nobody can take away their last way to sign in', async (world) => {
  const other = await world.node('second')
  const disconnect = async (jar: Jar, provider: string, node = world.app) =>
    verdict(await submit(world, 'disconnectProvider', { provider }, { jar: jar.copy(), node }))
  const connect = (id: string, provider: string) =>
    world.query('insert into accounts (provider, provider_account_id, user_id) values ($1, $2, $3)', [
      provider,
      crypto.randomUUID(),
      id,
    ])
  const waysOf = async (id: string): Promise<string[]> =>
    (await world.query('select provider from accounts where user_id = $1 order by provider', [id])).map(
      (row) => row.provider,
    )

  for (const provider of providers) {
    const email = someEmail()
    const { jar } = await signInAt(world.app, provider, email)
    const { id } = (await world.session(jar)).user
    for (const node of [world.app, other]) assert.equal(await disconnect(jar, provider, node), 'conflict')
    for (const none of providers.filter((one) => one !== provider))
      assert.equal(await disconnect(jar, none), 'not_found')
    assert.deepEqual(await waysOf(id), [provider])
    // They get in with it as before.
    assert.equal((await world.session((await signInAt(world.app, provider, email)).jar)).user.id, id)
    await world.query('insert into passwords (user_id, hash) values ($1, $2)', [id, world.hash])
    assert.equal(await disconnect(jar, provider), 'to /account/connections')
    assert.deepEqual(await waysOf(id), [])
    assert.equal((await world.try(email)).status, 200)
  }

  // Two that are taken away at once cannot each count on the other.
  for (let round = 0; round < 20; round++) {
    const person = await world.newPerson({ hash: null })
    for (const provider of providers) await connect(person.id, provider)
    const jar = await world.enter(person)
    const verdicts = await Promise.all(
      providers.map((provider, index) => disconnect(jar, provider, (index + round) % 2 ? other : world.app)),
    )
    assert.deepEqual(verdicts.toSorted(), ['conflict', 'to /account/connections'], `round ${round}`)
    assert.equal((await waysOf(person.id)).length, 1, `round ${round}`)
  }
})

check('H-162', 'signing in with a provider while somebody is signed in links nothing to them', async (world) => {
  for (const provider of providers) {
    const here = await world.newSession()
    const email = someEmail()
    const { answer, jar } = await signInAt(world.app, provider, email, here.jar.copy())
    isIn(answer, jar)
    const { user } = await world.session(jar)
    assert.equal(user.email, email)
    assert.notEqual(user.id, here.id)
    assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [here.id]), [])
    // Nor with a session that is over: Auth.js does not look at that.
    await world.query(`update sessions set last_seen_at = now() - interval '8 days' where user_id = $1`, [here.id])
    const again = await signInAt(world.app, provider, someEmail(), here.jar.copy())
    isIn(again.answer, again.jar)
    assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [here.id]), [])
  }
  // Somebody whose address is in use stays out, and whoever was here stays as they were.
  const here = await world.newSession()
  const other = await world.newPerson()
  const before = await image(world)
  const { answer } = await signInAt(world.app, 'google', other.email, here.jar.copy())
  assert.match(answer.headers.location ?? '', /error=OAuthAccountNotLinked/)
  assert.equal(await image(world), before)
  assert.equal((await world.try(other.email, password)).status, 200)
})
