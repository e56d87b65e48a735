// C. What can be posted to the sign-in endpoint.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { root } from '../../scripts/root.ts'
import { assertSoon, check } from './checks.ts'
import { type Answer, type Call, callRaw, Jar } from './client.ts'
import { keepSecret } from './oracles.ts'
import { goal, image, nobody, password, submit, type World, wrongPassword } from './world.ts'

const isRefused = ({ status, setCookies, json }: Answer, what = '') => {
  assert.deepEqual([status, json().code], [401, 'invalid_credentials'], what)
  assert.deepEqual(setCookies, [], what)
}

const post = (world: World, body: string | Buffer, options: Call = {}) =>
  world.get('/api/auth/signin', { body, headers: { 'Content-Type': 'application/json' }, ...options })

/** The time that the app itself needs for such an input: the best of a few, because the machine has other work too. */
async function quickest(tries: number, ask: () => Promise<Answer>): Promise<{ milliseconds: number; last: Answer }> {
  let last = await ask()
  let milliseconds = last.milliseconds
  for (let round = 1; round < tries; round++) {
    last = await ask()
    milliseconds = Math.min(milliseconds, last.milliseconds)
  }
  return { milliseconds, last }
}

/** What a long input costs more than a short one: the rest is the machine's, and whoever else uses it. */
async function costOf(world: World, ...input: string[]): Promise<{ milliseconds: number; last: Answer }> {
  const { milliseconds: least } = await quickest(10, () => world.try('x'))
  const { milliseconds, last } = await quickest(10, () => world.try(input[0], input[1]))
  return { milliseconds: Math.max(0, milliseconds - least), last }
}

/** Makes somebody through the command that makes people, which checks the password as every other way in will. */
function create(world: World, email: string, typed: string) {
  return spawnSync(process.execPath, [join(root, 'scripts', 'user.ts'), 'create', '--email', email], {
    cwd: root,
    encoding: 'utf8',
    input: typed,
    env: { ...process.env, DATABASE_URL: world.env.DATABASE_URL },
  })
}

/** Refused at the field, and nothing is left of it. */
async function isNoAddressToJoinWith(world: World, email: string): Promise<void> {
  const before = await image(world)
  const { value } = await submit(world, 'signUp', { email, name: 'Somebody', password }, { path: '/signup' })
  assert.partialDeepStrictEqual(value, { ok: false, error: { code: 'invalid_input' } }, JSON.stringify(email))
  assert.equal(await image(world), before)
}

check(
  'H-035',
  'the right password gives a session with id, name, e-mail, role and expiry, and nothing else',
  async (world) => {
    const person = await world.newPerson()
    const jar = new Jar()
    const answer = await world.try(person.email, password, { jar })
    assert.equal(answer.status, 200)
    assert.match(jar.token, /^[\w-]{43}$/)
    const session = await world.session(jar)
    assert.deepEqual(Object.keys(session).sort(), ['expires', 'user'])
    assert.deepEqual(session.user, { id: person.id, email: person.email, name: 'Somebody', role: 'viewer' })
    assert.match(session.expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(answer.json(), { ...session, url: '/' })
  },
)

check(
  'H-036',
  'a wrong password is 401 invalid_credentials, or a redirect to the form, and sets no cookie',
  async (world) => {
    const { email } = await world.newPerson()
    isRefused(await world.try(email, wrongPassword))
    const redirected = await world.get('/api/auth/signin', { body: { email, password: wrongPassword } })
    assert.deepEqual([redirected.status, redirected.headers.location], [302, '/signin?error=invalid_credentials'])
    assert.deepEqual(redirected.setCookies, [])
  },
)

check('H-037', 'a body that is no object with both fields is 400 or 422', async (world) => {
  const expected: [string, number][] = [
    ['', 400],
    ['null', 422],
    ['[]', 422],
    ['"x"', 422],
    ['{}', 422],
    ['0', 422],
    ['true', 422],
    ['{', 400],
    ['\ufeff{}', 422],
    ['{"email":"a@b.example"}', 422],
    ['{"password":"x"}', 422],
    ['{"email":"a@b.example","password":"x"} trailing', 400],
    ["{'email':'a'}", 400],
    ['NaN', 400],
  ]
  for (const [body, status] of expected) assert.equal((await post(world, body)).status, status, body)
  // Bytes that are no UTF-8 are not guessed at.
  const invalid = Buffer.from('{"email":"a@b.example","password":"\xff"}', 'latin1')
  assert.equal((await post(world, invalid)).status, 400)
})

check('H-038', 'objects, lists, numbers and truth values in place of words are 422', async (world) => {
  const { email } = await world.newPerson()
  const strange: unknown[] = [
    { $ne: null },
    { $gt: '' },
    ['x'],
    1,
    true,
    null,
    { a: { b: { c: [] } } },
    { toString: 'x' },
  ]
  for (const value of strange) {
    for (const [typedEmail, typed] of [
      [value, password],
      [email, value],
      [value, value],
    ]) {
      const answer = await world.try(typedEmail, typed)
      assert.deepEqual([answer.status, answer.json().code], [422, 'invalid_input'], JSON.stringify(value))
    }
  }
  for (const redirect of ['false', 0, null, [], {}]) {
    const answer = await world.get('/api/auth/signin', { body: { email, password, redirect } })
    assert.equal(answer.status, 422, JSON.stringify(redirect))
  }
})

check('H-039', 'of two fields of one name the last counts, every time', async (world) => {
  const [first, second] = [await world.newPerson(), await world.newPerson()]
  const body = `{"email":"${first.email}","password":"${password}","email":"${second.email}","redirect":false}`
  for (let round = 0; round < 3; round++) {
    const answer = await post(world, body)
    assert.deepEqual([answer.status, answer.json().user.email], [200, second.email])
  }
  isRefused(
    await post(
      world,
      `{"email":"${first.email}","password":"${password}","password":"${wrongPassword}","redirect":false}`,
    ),
  )
  const events = await world.query('select kind, target_id from audit_events where target_id in ($1, $2) order by id', [
    first.id,
    second.id,
  ])
  assert.deepEqual(events, [
    ...Array(3).fill({ kind: 'session.started', target_id: second.id }),
    { kind: 'signin.failed', target_id: first.id },
  ])
})

check('H-040', 'prototype keys are no fields, change no answer and stay in their own request', async (world) => {
  const { email } = await world.newPerson()
  const fields = `"email":"${email}","password":"${password}"`
  for (const body of [
    `{"__proto__":{${fields}}}`,
    `{"constructor":{"prototype":{${fields}}}}`,
    `[{"__proto__":{${fields}}}]`,
  ]) {
    assert.equal((await post(world, body)).status, 422, body)
  }
  const planted = '{"redirect":false,"role":"admin","polluted":true,"callbackUrl":"/polluted"}'
  const answer = await post(world, `{${fields},"__proto__":${planted},"constructor":{"prototype":${planted}}}`)
  assert.deepEqual([answer.status, answer.headers.location], [302, '/'])
  // Had it reached Object.prototype, these would now be answered in JSON and lead elsewhere.
  const next = await post(world, `{${fields}}`)
  assert.deepEqual([next.status, next.headers.location], [302, '/'])
  const session = await world.get('/api/auth/session')
  assert.equal(session.text, 'null')
})

check('H-041', 'case and surrounding space of the address do not matter; those of the password do', async (world) => {
  const { email } = await world.newPerson()
  for (const typed of [` ${email} `, email.toUpperCase(), `\t${email}\n`])
    assert.equal((await world.try(typed)).status, 200, JSON.stringify(typed))
  for (const typed of [` ${password}`, password.toUpperCase()]) isRefused(await world.try(email, typed), typed)
})

check('H-042', 'an endless address is refused at once, without a hash', async (world) => {
  const long = [
    `${'a'.repeat(243)}@example.com`,
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    'a@'.repeat(5_000),
    `${'a.'.repeat(5_000)}@example.com`,
    `a@${'a-'.repeat(5_000)}com`,
    `a@${'a.'.repeat(5_000)}`,
  ]
  const times: number[] = []
  const compared = await world.comparisons(async () => {
    for (const email of long) {
      const { milliseconds, last } = await costOf(world, email)
      isRefused(last, email.slice(0, 20))
      times.push(milliseconds)
    }
  })
  assert.equal(compared, 0)
  const slowest = Math.max(...times)
  assertSoon(slowest < 5, `${slowest} ms`)
  return `slowest ${slowest.toFixed(1)} ms more than a short one`
})

check('H-043', 'quoted parts, several signs and bare hosts are nobody’s address, and cost no hash', async (world) => {
  const compared = await world.comparisons(async () => {
    for (const email of [
      '"e@attacker.com"@victim.com',
      'a@b@c',
      'a@b@c.example',
      'a@[127.0.0.1]',
      'a@localhost',
      '@',
      'a@',
      '@b.example',
    ])
      isRefused(await world.try(email), email)
  })
  assert.equal(compared, 0)
})

check('H-044', 'letters that look like others, joiners and marks never make somebody else’s address', async (world) => {
  const suffix = crypto.randomUUID()
  const { email } = await world.newPerson({ email: `kate.viewer-${suffix}@example.com` })
  const lookAlikes = [
    email.replace('@', '\uff20'),
    email.replace('example', '\uff45xample'),
    email.replace('a', '\u0430'),
    email.replace('k', '\u212a'), // the sign for Kelvin: its small letter is a plain k
    email.replace('k', '\uff4b'),
    email.replace('i', '\u0131'),
    email.replace('i', '\u0130'),
    email.replace('v', 'v\u200d'),
    `\u200f${email}`,
    `${email}\u200b`,
    email.replace('e', 'e\u0301'),
    email.replace('.', '\u3002'),
    email.replace('com', 'c\u00adom'),
  ]
  for (const lookAlike of lookAlikes) {
    assert.notEqual(lookAlike, email)
    isRefused(await world.try(lookAlike), JSON.stringify(lookAlike))
    await isNoAddressToJoinWith(world, lookAlike)
  }
  assert.equal((await world.try(email)).status, 200)
})

check('H-045', 'an address with another one behind it, or with a line break, is nobody’s', async (world) => {
  const { email } = await world.newPerson()
  for (const more of [
    '\r\nBcc: x@evil.example',
    '\nBcc: x@evil.example',
    ', x@evil.example',
    ';x',
    ' x@evil.example',
    '\0',
    '%0d%0aBcc:x@evil.example',
    '<x@evil.example>',
  ]) {
    isRefused(await world.try(email + more), JSON.stringify(more))
    await isNoAddressToJoinWith(world, email + more)
    const asked = await submit(world, 'askForReset', { email: email + more }, { path: '/forgot' })
    assert.partialDeepStrictEqual(asked.value, { ok: false, error: { code: 'invalid_input' } })
  }
  isRefused(await world.try(`Somebody <${email}>`))
  for (const address of [email, 'x@evil.example']) assert.deepEqual(await world.mailsTo(address), [])
})

check('H-046', 'ten thousand parentheses in the address are refused at once, without a hash', async (world) => {
  let slowest = 0
  const compared = await world.comparisons(async () => {
    for (const email of [
      `${'('.repeat(10_000)}a@example.com`,
      `a${'()'.repeat(5_000)}@example.com`,
      `a@example.com${'('.repeat(10_000)}`,
    ]) {
      const { milliseconds, last } = await costOf(world, email)
      isRefused(last)
      slowest = Math.max(slowest, milliseconds)
    }
  })
  assert.equal(compared, 0)
  assertSoon(slowest < 5, `${slowest} ms`)
  return `slowest ${slowest.toFixed(1)} ms more than a short one`
})

check('H-047', 'SQL in any field is only text', async (world) => {
  const { email } = await world.newPerson()
  const before = await image(world)
  for (const sql of [
    "' OR 1=1--",
    "\\'; drop table users;--",
    "'; select pg_sleep(5);--",
    '" or ""="',
    `${email}' --`,
    `${email}'/*`,
    '$1; drop table sessions',
    '%',
    '_%@%',
  ]) {
    isRefused(await world.try(sql), sql)
    isRefused(await world.try(email, sql), sql)
    const asUrl = await world.get('/api/auth/signin', {
      body: { email: sql, password: sql, redirect: false, callbackUrl: sql },
    })
    isRefused(asUrl, sql)
    await world.query('delete from rate_limits')
  }
  assert.equal(await image(world), before)
})

check('H-048', 'an empty or short password is just a wrong one, and the empty one costs no hash', async (world) => {
  const { email } = await world.newPerson()
  const empty = await world.comparisons(async () => isRefused(await world.try(email, '')))
  assert.equal(empty, 0)
  for (const typed of ['x', 'x'.repeat(11), 'x'.repeat(14)]) {
    const compared = await world.comparisons(async () => {
      const answer = await world.try(email, typed)
      isRefused(answer, typed)
      assert.equal(answer.json().errors, undefined)
    })
    assert.equal(compared, 1)
  }
})

check(
  'H-049',
  'a password counts as a whole: with a space behind it, in another case or cut short it is wrong',
  async (world) => {
    const long = `${'long enough to be cut at seventy-two bytes '.repeat(2)}and then some`
    keepSecret(long)
    assert.ok(long.length > 72)
    const { email } = await world.newPerson({ hash: await hash(long, goal) })
    for (const typed of [
      `${long} `,
      ` ${long}`,
      long.toUpperCase(),
      long.slice(0, 72),
      long.slice(0, -1),
      `${long.slice(0, 72)}x${long.slice(73)}`,
    ]) {
      isRefused(await world.try(email, typed))
      await world.query('delete from rate_limits')
    }
    assert.equal((await world.try(email, long)).status, 200)
  },
)

check(
  'H-050',
  '128 characters with emoji work as a password, in both ways to write accented letters',
  async (world) => {
    const typed = `${'\u{1f600}\u00e9'.repeat(59)}0123456789`
    assert.equal([...typed].length, 128)
    keepSecret(typed, typed.normalize('NFD'))
    const email = nobody()
    const made = create(world, email, typed)
    assert.equal(made.status, 0, made.stderr)
    assert.notEqual(typed.normalize('NFD'), typed.normalize('NFC'))
    for (const form of ['NFC', 'NFD'] as const)
      assert.equal((await world.try(email, typed.normalize(form))).status, 200, form)
    isRefused(await world.try(email, typed.normalize('NFC').replaceAll('\u00e9', 'e')))
  },
)

check('H-051', 'a password of 513 bytes or more is refused at once, without a hash', async (world) => {
  const { email } = await world.newPerson()
  let slowest = 0
  const compared = await world.comparisons(async () => {
    for (const typed of ['x'.repeat(513), '\u00e9'.repeat(257), 'x'.repeat(15_000)]) {
      const { milliseconds, last } = await costOf(world, email, typed)
      isRefused(last)
      slowest = Math.max(slowest, milliseconds)
    }
    assert.equal((await world.try(email, 'x'.repeat(16 * 1024))).status, 413)
  })
  assert.equal(compared, 0)
  assertSoon(slowest < 5, `${slowest} ms`)
  return `slowest ${slowest.toFixed(1)} ms more than a short one`
})

check('H-052', 'NUL and half of a character pair are in no password, and never taken for another', async (world) => {
  for (const typed of ['a long enough\0password', 'a long enough \ufffd password']) {
    const made = create(world, nobody(), typed)
    // U+FFFD itself is a character like any other; NUL is not.
    assert.equal(made.status, typed.includes('\0') ? 1 : 0, made.stderr)
  }
  const stored = 'with a replacement \ufffd inside'
  keepSecret(stored)
  const { email } = await world.newPerson({ hash: await hash(stored, goal) })
  assert.equal((await world.try(email, stored)).status, 200)
  const compared = await world.comparisons(async () => {
    for (const typed of [
      'with a replacement \\ud800 inside',
      'with a replacement \\udc00 inside',
      'with a replacement \\u0000 inside',
    ])
      isRefused(await post(world, `{"email":"${email}","password":"${typed}","redirect":false}`), typed)
  })
  assert.equal(compared, 0)
  // A hash that was made of one before anybody forbade it must not open to the other.
  const planted = await world.newPerson({ hash: await hash('a\0b and the rest', goal) })
  for (const typed of ['a\0c and the rest', 'a\0b and the rest', 'a']) isRefused(await world.try(planted.email, typed))
})

check('H-053', 'another content type, or none, is 415', async (world) => {
  const { email } = await world.newPerson()
  const body = JSON.stringify({ email, password, redirect: false })
  const form = new URLSearchParams({ email, password }).toString()
  for (const [type, content] of [
    ['text/plain', body],
    ['application/x-www-form-urlencoded', form],
    [
      'multipart/form-data; boundary=x',
      `--x\r\ncontent-disposition: form-data; name="email"\r\n\r\n${email}\r\n--x--\r\n`,
    ],
    ['application/json-patch+json', body],
    ['application/jsonx', body],
    ['text/json', body],
    ['application/json, text/plain', body],
    ['', body],
  ] as const) {
    const answer = await world.get('/api/auth/signin', { body: content, headers: type ? { 'Content-Type': type } : {} })
    assert.deepEqual([answer.status, answer.json().code], [415, 'unsupported_media_type'], type)
    assert.deepEqual(answer.setCookies, [])
  }
})

check('H-054', 'JSON in another encoding is 415, whatever the bytes', async (world) => {
  const { email } = await world.newPerson()
  const text = JSON.stringify({ email, password, redirect: false })
  for (const charset of ['utf-16', 'utf-16le', 'utf-7', 'iso-8859-1', 'UTF-32']) {
    const answer = await world.get('/api/auth/signin', {
      body: Buffer.from(text, 'utf16le'),
      headers: { 'Content-Type': `application/json; charset=${charset}` },
    })
    assert.equal(answer.status, 415, charset)
  }
  assert.equal((await post(world, Buffer.from(text, 'utf16le'))).status, 400)
  const proper = await world.get('/api/auth/signin', {
    body: text,
    headers: { 'Content-Type': 'Application/JSON; Charset="UTF-8"' },
  })
  assert.equal(proper.status, 200)
})

check('H-055', 'further fields change nothing about the person', async (world) => {
  const [person, other] = [await world.newPerson(), await world.newPerson({ role: 'admin' })]
  const row = "select to_jsonb(u) - 'last_seen_at' as row from users u where id = $1"
  const [before] = await world.query(row, [person.id])
  const more = {
    role: 'admin',
    userId: other.id,
    id: other.id,
    emailVerified: true,
    user: { role: 'admin' },
    expires: '2999-01-01',
    sessionToken: 'x'.repeat(43),
  }
  const jar = new Jar()
  const answer = await world.get('/api/auth/signin', {
    body: { ...more, email: person.email, password, redirect: false },
    jar,
  })
  assert.deepEqual([answer.status, answer.json().user.id, answer.json().user.role], [200, person.id, 'viewer'])
  assert.notEqual(jar.token, more.sessionToken)
  assert.deepEqual((await world.query(row, [person.id]))[0], before)
  const unverified = await world.newPerson({ isVerified: false })
  isRefused(
    await world.get('/api/auth/signin', { body: { ...more, email: unverified.email, password, redirect: false } }),
  )
})

check('H-056', 'where to go next is always a path of this app', async (world) => {
  const { email } = await world.newPerson()
  for (const [callbackUrl, expected] of [
    [undefined, '/'],
    ['/dashboard', '/dashboard'],
    ['/dashboard?x=1#y', '/dashboard?x=1#y'],
    ['dashboard', '/'],
    ['', '/'],
    [null, '/'],
    ['https://evil.example/', '/'],
  ]) {
    const body = { email, password, redirect: false, callbackUrl }
    assert.equal((await world.get('/api/auth/signin', { body })).json().url, expected)
    const redirected = await world.get('/api/auth/signin', { body: { ...body, redirect: true } })
    assert.deepEqual([redirected.status, redirected.headers.location], [302, expected])
  }
})

check('H-057', 'suspended, deleted, unproved and without a password: all like a wrong password', async (world) => {
  const deleted = await world.newPerson()
  await world.query('delete from users where id = $1', [deleted.id])
  const people = [
    await world.newPerson({ isSuspended: true }),
    deleted,
    await world.newPerson({ isVerified: false }),
    await world.newPerson({ hash: null }),
  ]
  for (const { email } of people) {
    isRefused(await world.try(email), email)
    const redirected = await world.get('/api/auth/signin', { body: { email, password } })
    assert.deepEqual([redirected.status, redirected.headers.location], [302, '/signin?error=invalid_credentials'])
  }
})

check('H-058', 'signing in as somebody else ends the session that was there', async (world) => {
  const [first, second] = [await world.newSession(), await world.newPerson({ role: 'editor' })]
  const jar = await world.signIn(second, { jar: first.jar })
  assert.notEqual(jar.token, first.token)
  assert.equal((await world.session(jar)).user.id, second.id)
  assert.equal(await world.session(first.token), null)
  const left = await world.query('select id from sessions where user_id = $1', [first.id])
  assert.equal(left.length, 0)
  // A try that fails ends nothing.
  isRefused(await world.try(first.email, wrongPassword, { jar }))
  assert.equal((await world.session(jar)).user.id, second.id)
})

check('H-059', 'a hash with weaker parameters opens, is made anew once, and then left alone', async (world) => {
  const person = await world.newPerson({ hash: await hash(password, { ...goal, memoryCost: 4096 }) })
  const stored = async () => (await world.query('select hash from passwords where user_id = $1', [person.id]))[0].hash
  await world.signIn(person)
  const renewed = await stored()
  assert.match(renewed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  await world.signIn(person)
  assert.equal(await stored(), renewed)
  // Somebody who does not know the password renews nothing.
  const weak = await hash(password, { ...goal, memoryCost: 4096 })
  await world.query('update passwords set hash = $2 where user_id = $1', [person.id, weak])
  isRefused(await world.try(person.email, wrongPassword))
  assert.equal(await stored(), weak)
})

check(
  'H-060',
  'a stored hash that is broken, or would cost gigabytes, is a wrong password, is logged, and costs one hash',
  async (world) => {
    const salt = 'c2FsdHNhbHRzYWx0c2FsdA'
    const sum = 'aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
    const broken = [
      'x',
      '$2b$10$abcdefghijklmnopqrstuv',
      `$argon2id$v=19$m=4194304,t=2,p=1$${salt}$${sum}`,
      `$argon2id$v=19$m=19456,t=4294967295,p=1$${salt}$${sum}`,
      `$argon2id$v=19$m=0,t=0,p=0$${salt}$${sum}`,
      `$argon2id$v=19$m=1,t=1,p=4$${salt}$${sum}`,
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}AAA$${sum}A`,
      `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(17)}$${sum}`,
      `$argon2id$v=19$m=019456,t=02,p=01$${salt}$${sum}`,
      // Two letters less: with one less it can still be read.
      world.hash.slice(0, -2),
    ]
    for (const stored of broken) {
      const { email } = await world.newPerson({ hash: stored })
      const before = world.app.output().length
      let answer: Answer | undefined
      const compared = await world.comparisons(async () => {
        answer = await world.try(email)
      })
      assert.ok(answer)
      isRefused(answer, stored)
      assertSoon(answer.milliseconds < 500, `${stored}: ${answer.milliseconds} ms`)
      assert.equal(compared, 1, stored)
      assert.match(world.app.output().slice(before), /"level":"(warn|error)"/, `${stored} was not logged`)
    }
    assert.equal(
      (await callRaw(world.app.url, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).status,
      200,
    )
  },
)
