// M. What people type, and what others send in its place.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import pg from 'pg'
import { type Acted, asForm, captured, everyAction, fieldsOf, hiddenFields, multipart, verdict } from './actions.ts'
import { assertSoon, check, checkModule } from './checks.ts'
import { type Call, Jar } from './client.ts'
import { keepSecret } from './oracles.ts'
import { median } from './statistics.ts'
import { image, nobody, password, someToken, submit, type World } from './world.ts'

/** All that is stored about somebody, but for what a change of name may change. */
async function rowOf(world: World, id: string): Promise<string> {
  const [row] = await world.query(
    `select to_jsonb(users) - 'name' - 'updated_at' as person,
       (select jsonb_agg(to_jsonb(passwords)) from passwords where user_id = $1) as password,
       (select jsonb_agg(to_jsonb(sessions)) from sessions where user_id = $1) as sessions,
       (select jsonb_agg(to_jsonb(accounts)) from accounts where user_id = $1) as accounts
     from users where id = $1`,
    [id],
  )
  return JSON.stringify(row)
}

const nameOf = async (world: World, id: string): Promise<string> =>
  (await world.query('select name from users where id = $1', [id]))[0].name

const rename = (world: World, jar: Jar, name: unknown, options: Call = {}) =>
  submit(world, 'updateProfile', { name }, { jar, ...options })

/** What somebody would like to be able to set. */
const greedy = (id: string): Record<string, unknown> => ({
  role: 'admin',
  emailVerified: true,
  emailVerifiedAt: '2000-01-01',
  email_verified_at: null,
  id,
  userId: id,
  email: nobody(),
  password: 'x',
  passwordHash: 'x',
  suspendedAt: null,
  image: 'https://example.com/x.png',
  createdAt: 0,
  created_at: '2000-01-01',
  user: { role: 'admin' },
})

check('H-199', 'whatever else is sent with a name, only the name changes', async (world) => {
  const { jar, id } = await world.newSession()
  const other = await world.newPerson({ role: 'admin' })
  const before = [await rowOf(world, id), await rowOf(world, other.id)]
  for (const [index, more] of [
    greedy(other.id),
    { data: greedy(other.id), $set: { role: 'admin' } },
    { 'user.role': 'admin', 'user[role]': 'admin', ROLE: 'admin' },
  ].entries()) {
    const answer = await submit(world, 'updateProfile', { name: `Name ${index}`, ...more }, { jar })
    assert.deepEqual(answer.value, { ok: true, data: { name: `Name ${index}` } })
    assert.equal(await nameOf(world, id), `Name ${index}`)
  }
  // The literal: an object in this file would not have it as a field of its own.
  const body = `[{"name":"Polluted","__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}}}]`
  assert.equal(verdict(await submit(world, 'updateProfile', null, { jar, body })), 'ok')
  assert.deepEqual([await rowOf(world, id), await rowOf(world, other.id)], before)
  assert.equal((await world.session(jar)).user.role, 'viewer')
  // What is made after it has no more fields than before.
  assert.deepEqual(Object.keys((await world.session(jar)).user).sort(), ['email', 'id', 'name', 'role'])
})

check(
  'H-200',
  'nor as a form, with fields that come twice and keys of the framework’s own, with and without JavaScript',
  async (world) => {
    const { jar, id, email } = await world.newSession()
    const before = await rowOf(world, id)
    const more = Object.entries(greedy(crypto.randomUUID())).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const fields: [string, string][] = [...more, ['role', 'editor'], ['role', 'admin'], ['role[]', 'admin']]
    const ours = { Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' }

    const scripted = async (sent: [string, string][]) =>
      submit(world, 'updateProfile', null, { jar, ...(await asForm(sent)) })
    assert.equal(verdict(await scripted([['name', 'By script'], ...fields])), 'ok')
    assert.equal(await nameOf(world, id), 'By script')
    for (const odd of ['$ACTION_ID_x', '$ACTION_KEY', '$ACTION_REF_1', '$ACTION_1:0', '__proto__', 'constructor', '']) {
      assert.equal(
        verdict(
          await scripted([
            ['name', 'By script'],
            [odd, 'x'],
            [odd, 'y'],
          ]),
        ),
        'ok',
        odd,
      )
    }
    // A name that comes twice is none.
    assert.equal(
      verdict(
        await scripted([
          ['name', 'One'],
          ['name', 'Two'],
        ]),
      ),
      'invalid_input',
    )
    assert.equal(await nameOf(world, id), 'By script')

    const page = await world.get('/account/profile', { jar: jar.copy() })
    const hidden = hiddenFields(page.text, 'name')
    assert.ok(
      hidden.some(([name]) => name.startsWith('$ACTION_')),
      'the form has no hidden fields',
    )
    const unscripted = async (sent: [string, string][]) => {
      const { body, headers } = await multipart([...hidden, ...sent])
      return world.get('/account/profile', {
        method: 'POST',
        body,
        headers: { ...ours, ...headers },
        jar,
        may500: true,
      } as Call)
    }
    assert.equal((await unscripted([['name', 'By hand'], ...fields])).status, 200)
    assert.equal(await nameOf(world, id), 'By hand')
    await unscripted([
      ['name', 'One'],
      ['name', 'Two'],
    ])
    assert.equal(await nameOf(world, id), 'By hand')
    // Keys that name another action, or none: at most that action runs, on the same form, and refuses it.
    const named = (name: string) => everyAction().find((action) => action.name === name)?.id
    for (const key of [
      `$ACTION_ID_${named('deleteAccount')}`,
      `$ACTION_ID_${named('endOtherDevices')}`,
      '$ACTION_ID_',
      '$ACTION_REF_9',
      `$ACTION_ID_${'0'.repeat(42)}`,
    ])
      await unscripted([
        ['name', 'By hand'],
        ['confirmation', `not ${email}`],
        [key, ''],
      ])
    assert.equal(await rowOf(world, id), before)
    assert.equal((await world.session(jar)).user.role, 'viewer')
  },
)

/** Answers the mail of a sign-up, in another browser: the link is put there, the mail's own would do as well. */
async function confirm(
  world: World,
  email: string,
  more: object = {},
  { node = world.app, pool = world.pool } = {},
): Promise<Jar> {
  const token = someToken()
  await pool.query(
    `insert into tokens (hash, purpose, signup_id, expires_at)
     select $1, 'signup', id, now() + interval '1 hour' from signups where email = $2 order by created_at desc limit 1`,
    [createHash('sha256').update(token).digest(), email],
  )
  const jar = new Jar()
  const answer = await submit(world, 'confirmAddress', { token, password, ...more }, { jar, node })
  assert.equal(verdict(answer), 'to /dashboard')
  return jar
}

check('H-201', 'who signs up as an admin is a viewer', async (world) => {
  const ways: [string, (email: string) => Promise<Acted>][] = [
    ['JSON', (email) => submit(world, 'signUp', { ...greedy(crypto.randomUUID()), name: 'Eve', email, password })],
    [
      'a form',
      async (email) =>
        submit(world, 'signUp', null, {
          ...(await asForm([
            ['role', 'admin'],
            ['name', 'Eve'],
            ['email', email],
            ['password', password],
            ['role', 'admin'],
          ])),
        }),
    ],
  ]
  for (const [what, ask] of ways) {
    const email = nobody()
    const answer = await ask(email)
    assert.deepEqual(answer.value, { ok: true, data: { email } }, what)
    const jar = await confirm(world, email, { role: 'admin', email: nobody(), user: { role: 'admin' } })
    const [row] = await world.query('select role, image, suspended_at from users where email = $1', [email])
    assert.deepEqual(row, { role: 'viewer', image: null, suspended_at: null }, what)
    assert.equal((await world.session(jar)).user.role, 'viewer', what)
  }
})

check('H-202', 'the first person to sign up in an empty database is a viewer like any other', async (world) => {
  const url = await world.emptyDatabase()
  const node = await world.node('on an empty database', { DATABASE_URL: url, WORKER: 'apart' })
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  try {
    const email = nobody()
    const answer = await submit(world, 'signUp', { name: 'First', email, password, role: 'admin' }, { node })
    assert.equal(verdict(answer), 'ok')
    const jar = await confirm(world, email, { role: 'admin' }, { node, pool })
    assert.equal((await world.session(jar, node)).user.role, 'viewer')
    assert.deepEqual((await pool.query('select role from users')).rows, [{ role: 'viewer' }])
  } finally {
    await pool.end()
  }
})

check(
  'H-203',
  'a name has 1 to 100 characters once trimmed, something to see among them, and nothing that breaks or turns a line',
  async (world) => {
    const { jar, id } = await world.newSession()
    const good: [typed: string, stored?: string][] = [
      ['x'],
      ['x'.repeat(100)],
      [` \t${'x'.repeat(100)}\u00a0 `, 'x'.repeat(100)],
      ['\u{1f600}'.repeat(100)],
      ['\u{1f469}\u200d\u{1f680} Ada'],
      // Two hundred code points that are one hundred letters.
      ['e\u0301'.repeat(100), 'é'.repeat(100)],
      ['محمد'],
      ['می\u200cخواهم'],
      ['O’Neill-Ng, Ph.D. (née “X”)'],
    ]
    for (const [typed, stored = typed] of good) {
      assert.deepEqual((await rename(world, jar, typed)).value, { ok: true, data: { name: stored } }, typed)
      assert.equal(await nameOf(world, id), stored)
    }
    await rename(world, jar, 'As it was')
    const bad = [
      '',
      ' ',
      '\u00a0\u2003\u3000',
      '\ufeff',
      '\u200b',
      '\u200d\u2060\u00ad',
      '\u3164',
      'x'.repeat(101),
      '\u{1f600}'.repeat(101),
      'a\nb',
      'a\r\nb',
      'a\tb',
      'a\0b',
      '\0',
      'a\x1b[31mb',
      'a\x7fb',
      'a\x85b',
      'a\u2028b',
      'a\u2029b',
      'a\u202eb',
      'a\u2066b',
      'a\u200fb',
      '\ud800',
      'a\udc00b',
      'x'.repeat(60_000),
    ]
    for (const typed of bad) {
      const answer = await rename(world, jar, typed)
      assert.deepEqual(
        [verdict(answer), Object.keys(fieldsOf(answer))],
        ['invalid_input', ['name']],
        JSON.stringify(typed),
      )
    }
    const before = await image(world)
    // Signing up without a name takes the address's; any other is held to the same.
    for (const typed of bad.filter((one) => one.trim() !== '')) {
      const answer = await submit(world, 'signUp', { name: typed, email: nobody(), password })
      assert.deepEqual(
        [verdict(answer), Object.keys(fieldsOf(answer))],
        ['invalid_input', ['name']],
        JSON.stringify(typed),
      )
    }
    assert.equal(await nameOf(world, id), 'As it was')
    assert.equal(await image(world), before)
  },
)

const requestEmail = (world: World, jar: Jar, email: unknown, options: Call = {}) =>
  submit(world, 'changeEmail', { email }, { jar, ...options })

/** The token of the newest mail to confirm an address with. */
async function linkFor(world: World, address: string): Promise<string> {
  const mails = (await world.mailsTo(address)).filter(({ subject }) => subject === 'Confirm your new e-mail address')
  return /token=([\w-]{43})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? assert.fail(`no link for ${address}`)
}

const emailOf = async (world: World, id: string): Promise<string> =>
  (await world.query('select email from users where id = $1', [id]))[0].email

check(
  'H-204',
  'another address wants somebody who is lately shown to be them, counts once it is proved, and the old one is told',
  async (world) => {
    const { jar, id, email } = await world.newSession()
    const confirmedAgo = (interval: string) =>
      world.query(`update sessions set confirmed_at = now() - $2::interval where user_id = $1`, [id, interval])
    const next = nobody()
    await confirmedAgo('61 minutes')
    assert.equal(verdict(await requestEmail(world, jar, next)), 'reauth_required')
    assert.deepEqual(await world.mailsTo(next), [])
    await confirmedAgo('1 minute')
    for (const wrong of [
      '',
      'x',
      email,
      email.toUpperCase(),
      `${next}\r\nBcc: x@evil.example`,
      `${next},${nobody()}`,
      null,
      [next],
    ])
      assert.equal(verdict(await requestEmail(world, jar, wrong)), 'invalid_input', String(wrong))
    assert.deepEqual((await requestEmail(world, jar, ` ${next.toUpperCase()} `)).value, {
      ok: true,
      data: { email: next },
    })

    // Until then nothing has changed: who they are, how they sign in, where mails go.
    assert.equal(await emailOf(world, id), email)
    assert.equal((await world.session(jar)).user.email, email)
    assert.equal((await world.try(email)).status, 200)
    assert.equal((await world.try(next)).status, 401)
    const token = await linkFor(world, next)
    const stored = await world.query('select hash from tokens where user_id = $1', [id])
    assert.deepEqual(stored, [{ hash: createHash('sha256').update(token).digest() }])
    for (const wrong of [someToken(), token.slice(1), token.toLowerCase(), `${token}A`, '', '\0'])
      assert.equal(verdict(await submit(world, 'confirmEmail', { token: wrong })), 'not_found', wrong)
    // A link of another kind does not do it, nor does this one do anything else.
    for (const [action, input] of [
      ['chooseNewPassword', { token, password: 'an entirely different horse 3' }],
      ['confirmAddress', { token, password }],
      ['shutEverything', { token }],
    ] as const)
      assert.equal(verdict(await submit(world, action, input)), 'not_found', action)
    await submit(world, 'askForReset', { email })
    const reset = /token=([\w-]{43})/.exec((await world.mailsTo(email)).at(-1)?.text ?? '')?.[1] ?? ''
    assert.equal(verdict(await submit(world, 'confirmEmail', { token: reset })), 'not_found')
    assert.equal(await emailOf(world, id), email)

    // Whatever else is sent along.
    const others = await submit(world, 'confirmEmail', { token, email: nobody(), userId: crypto.randomUUID() })
    assert.deepEqual(others.value, { ok: true, data: { email: next } })
    assert.equal(await emailOf(world, id), next)
    assert.deepEqual(others.setCookies, [])
    assert.equal(verdict(await submit(world, 'confirmEmail', { token })), 'not_found')
    assert.deepEqual([(await world.try(email)).status, (await world.try(next)).status], [401, 200])
    // What was sent to the old address opens nothing any more, but for the way back.
    const chosen = 'an entirely different horse 3'
    assert.equal(verdict(await submit(world, 'chooseNewPassword', { token: reset, password: chosen })), 'not_found')
    const told = (await world.mailsTo(email)).at(-1)
    assert.equal(told?.subject, 'Your e-mail address was changed')
    assert.ok(!told?.text.includes(next))
    const alarm = /token=([\w-]{43})/.exec(told?.text ?? '')?.[1] ?? ''
    assert.equal(verdict(await submit(world, 'shutEverything', { token: alarm })), 'ok')
    assert.equal(await emailOf(world, id), email)
    assert.equal(await world.session(jar), null)

    // A link lives for a day.
    const late = await world.newSession()
    const later = nobody()
    await requestEmail(world, late.jar, later)
    const old = await linkFor(world, later)
    const [{ hours }] = await world.query(
      'select extract(epoch from expires_at - now())::float / 3600 as hours from tokens where user_id = $1',
      [late.id],
    )
    assert.ok(hours > 23.9 && hours <= 24, `${hours} hours`)
    await world.query(`update tokens set expires_at = now() - interval '1 second' where user_id = $1`, [late.id])
    assert.equal(verdict(await submit(world, 'confirmEmail', { token: old })), 'not_found')
    assert.equal(await emailOf(world, late.id), late.email)
  },
)

check('H-205', 'nobody can take somebody’s address, in any spelling, or learn that it is somebody’s', async (world) => {
  const owner = await world.newPerson({ email: `Owner-${crypto.randomUUID()}@example.com` })
  const said = new Set<string>()
  for (const spelling of [owner.email, owner.email.toLowerCase(), owner.email.toUpperCase(), nobody()]) {
    const { jar, id, email } = await world.newSession()
    const answer = await requestEmail(world, jar, spelling)
    said.add(JSON.stringify([answer.status, answer.value]).replace(spelling.toLowerCase(), 'the address'))
    await world.mailsTo(email)
    assert.equal(await emailOf(world, id), email)
    const links = await world.query('select hash from tokens where user_id = $1', [id])
    assert.equal(links.length, spelling.startsWith('nobody') ? 1 : 0)
  }
  assert.equal(said.size, 1, String([...said]))
  const told = await world.mailsTo(owner.email.toLowerCase())
  assert.deepEqual(new Set(told.map(({ subject }) => subject)), new Set(['This address has an account already']))
  for (const { text } of told) assert.doesNotMatch(text, /token=/)

  // Two who want one address, and show at the same moment that it is theirs; and one who joins with it meanwhile.
  const other = await world.node('second')
  for (let round = 0; round < 10; round++) {
    const wanted = nobody()
    const rivals = await world.newPeople(2)
    const tokens = rivals.map(() => someToken())
    for (const [index, { id }] of rivals.entries())
      await world.query(
        `insert into tokens (hash, purpose, user_id, email, expires_at) values ($1, 'account.email', $2, $3, now() + interval '1 hour')`,
        [
          createHash('sha256')
            .update(tokens[index] ?? '')
            .digest(),
          id,
          wanted,
        ],
      )
    await world.query('insert into signups (email, name, password_hash) values ($1, $2, $3)', [
      wanted,
      'Joining',
      world.hash,
    ])
    const verdicts = await Promise.all([
      ...tokens.map(async (token, index) =>
        verdict(await submit(world, 'confirmEmail', { token }, { node: index ? other : world.app })),
      ),
      confirm(world, wanted).then(
        () => 'ok',
        () => 'conflict',
      ),
    ])
    assert.deepEqual([...verdicts].sort(), ['conflict', 'conflict', 'ok'], `round ${round}`)
    assert.equal((await world.query('select id from users where lower(email) = $1', [wanted])).length, 1)
  }
})

check(
  'H-206',
  'a picture is what its bytes are: no address is taken for one, and none is ever fetched',
  async (world) => {
    const { jar, id } = await world.newSession()
    let visits = 0
    const canary = createServer((_, response) => {
      visits++
      response.end()
    })
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
    try {
      const address = canary.address()
      const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/x.png`
      const addresses = [
        url,
        'javascript:alert(1)',
        'data:image/png;base64,iVBORw0KGgo=',
        'http://169.254.169.254/',
        'file:///etc/passwd',
        '//evil.example/x.png',
      ]
      for (const text of addresses) {
        assert.equal(verdict(await submit(world, 'setPicture', { picture: text }, { jar })), 'invalid_input', text)
        assert.equal(
          verdict(await submit(world, 'setPicture', null, { jar, ...(await asForm([['picture', text]])) })),
          'invalid_input',
          text,
        )
        assert.equal(
          verdict(await submit(world, 'updateProfile', { name: 'Somebody', image: text, picture: text }, { jar })),
          'ok',
        )
        const files = [
          new File([text], 'x.png', { type: 'image/png' }),
          new File([`<svg xmlns="http://www.w3.org/2000/svg"><image href="${text}"/></svg>`], 'x.svg', {
            type: 'image/svg+xml',
          }),
          new File([`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "${text}">]><svg>&x;</svg>`], 'x.png', {
            type: 'image/png',
          }),
          new File([`<!doctype html><img src="${text}">`], 'x.gif', { type: 'image/gif' }),
          new File([`#EXTM3U\n${text}\n`], 'x.jpg', { type: 'image/jpeg' }),
          new File([`push graphic-context\nimage over 0,0 0,0 'url(${text})'\npop graphic-context`], 'x.mvg', {
            type: 'image/png',
          }),
          new File([], 'x.png', { type: 'image/png' }),
        ]
        for (const file of files) {
          const answer = await submit(world, 'setPicture', null, { jar, ...(await asForm([['picture', file]])) })
          assert.equal(verdict(answer), 'invalid_input', file.name)
        }
        await world.query('delete from rate_limits')
      }
      assert.equal(visits, 0)
      const [row] = await world.query('select image from users where id = $1', [id])
      assert.equal(row.image, null)
      assert.deepEqual(await world.query('select id from account_avatars where user_id = $1', [id]), [])
    } finally {
      canary.closeAllConnections()
      await new Promise((resolve) => canary.close(resolve))
    }
  },
)

check('H-207', 'a hundred thousand elements in place of a text are refused at once', async (world) => {
  const { jar } = await world.newSession()
  const before = await image(world)
  const bodies = {
    small: JSON.stringify([{ name: [] }]),
    // Next gives up at the 160 kB that a call may have.
    huge: JSON.stringify([{ name: Array(100_000).fill(0) }]),
    // Many, and few enough to be let in.
    large: JSON.stringify([{ name: Array(30_000).fill(0) }]),
    long: JSON.stringify([{ name: 'x'.repeat(60_000) }]),
  }
  const times: Record<keyof typeof bodies, number[]> = { small: [], huge: [], large: [], long: [] }
  for (let round = 0; round < 25; round++)
    for (const [kind, body] of Object.entries(bodies) as [keyof typeof bodies, string][]) {
      const answer = await submit(world, 'updateProfile', null, { body, jar, may500: kind === 'huge' })
      assert.equal(verdict(answer), kind === 'huge' ? 'status 500' : 'invalid_input', kind)
      times[kind].push(answer.milliseconds)
    }
  assert.equal(await image(world), before)
  const [small, huge, large, long] = [times.small, times.huge, times.large, times.long].map(median)
  const more = (milliseconds = 0) => milliseconds - (small ?? 0)
  assertSoon(more(huge) < 10, `100 000 elements took ${more(huge)} ms more than none`)
  // Most of it is Next's reading of the body, which happens before the app is asked.
  assertSoon(more(large) < 50, `30 000 elements took ${more(large)} ms more than none`)
  assertSoon(more(long) < 25, `60 000 characters took ${more(long)} ms more than none`)
  return `more than an empty list: 100 000 elements ${more(huge).toFixed(1)} ms, 30 000 ${more(large).toFixed(1)} ms, 60 000 characters ${more(long).toFixed(1)} ms`
})

check(
  'H-208',
  'dates, big numbers, maps, files, promises and prototypes in place of a text are refused',
  async (world) => {
    const { jar, id } = await world.newSession()
    const before = await image(world)
    const simple = [
      '"$D2020-01-01"',
      '"$n12345678901234567890"',
      '"$undefined"',
      '"$NaN"',
      '"$-0"',
      '"$Infinity"',
      '"$Tx"',
      '"$@1"',
      '"$r1"',
      '"$R1"',
      '"$x1"',
      '"$X1"',
      '"$K1"',
      '"$0"',
      '"$0:0"',
      'null',
      '7',
      'true',
      '[]',
      '{}',
      '{"toJSON":"x"}',
      '{"then":"x"}',
      '{"toString":"x","valueOf":"y"}',
      '{"length":1,"0":"x"}',
    ]
    for (const value of simple)
      for (const body of [`[${value}]`, `[{"name":${value}}]`]) {
        const answer = await submit(world, 'updateProfile', null, { jar, body })
        assert.equal(verdict(answer), 'invalid_input', body)
      }
    for (const body of [
      '[{"__proto__":{"name":"x"}}]',
      '[{"constructor":{"prototype":{"name":"x"}}}]',
      '[{"name":"$0:0:constructor"}]',
      '[{"name":{"__proto__":{"length":5}}}]',
    ]) {
      const answer = await submit(world, 'updateProfile', null, { jar, body, may500: true })
      assert.ok(['invalid_input', 'status 500'].includes(verdict(answer)), `${body}: ${verdict(answer)}`)
    }
    // With the parts that they refer to, so that they arrive as what they claim to be.
    const whole: [value: string, part: string | Blob][] = [
      ['$Q1', '[["name","x"]]'],
      ['$W1', '["x"]'],
      ['$i1', '["x"]'],
      ['$B1', new Blob(['x'])],
      ['$B1', new File(['x'], 'x.txt')],
      ['$A1', new Blob(['x'])],
      ['$o1', new Blob(['x'])],
      ['$V1', new Blob(['x'])],
      ['$@1', '"x"'],
      ['$1', '{"then":"$F2"}'],
    ]
    const parts = async (zero: string, part: string | Blob) => {
      const sent = await multipart([
        ['1', part],
        ['0', zero],
      ])
      return verdict(await submit(world, 'updateProfile', null, { jar, ...sent, may500: true }))
    }
    for (const [value, part] of whole) {
      const expected = value === '$1' ? 'status 500' : 'invalid_input'
      assert.equal(await parts(`["${value}"]`, part), expected, `${value} as the input`)
      assert.equal(await parts(`[{"name":"${value}"}]`, part), expected, `${value} as the name`)
    }
    // And without them: Next itself gives up, and says nothing but a number.
    for (const value of [
      '$1',
      '$Q1',
      '$W1',
      '$i1',
      '$B1',
      '$A1',
      '$S1',
      '$F1',
      '$h1',
      '$1:__proto__:then',
      '$1:constructor:constructor',
    ])
      for (const body of [`["${value}"]`, `[{"name":"${value}"}]`, `[{"then":"${value}"}]`]) {
        const answer = await submit(world, 'updateProfile', null, { jar, body, may500: true })
        assert.ok(['invalid_input', 'status 500'].includes(verdict(answer)), `${body}: ${verdict(answer)}`)
        if (answer.status === 500) assert.match(answer.text, /^1:E\{"digest":"\d+"\}$/m)
      }
    assert.equal(await image(world), before)
    assert.equal((await world.session(jar)).user.id, id)
  },
)

check('H-209', 'no arguments, and fifty, are no input', async (world) => {
  const { jar } = await world.newSession()
  const before = await image(world)
  const fifty = Array.from({ length: 50 }, () => ({ name: 'One of fifty' }))
  for (const given of [[], fifty, fifty.slice(0, 2), [null, { name: 'x' }], [{ name: 'x' }, null]]) {
    const answer = await submit(world, 'updateProfile', null, { jar, body: JSON.stringify(given) })
    assert.equal(verdict(answer), 'invalid_input', `${given.length} arguments`)
  }
  for (const zero of ['["$K1","$K1","$K1"]', `[${'null,'.repeat(48)}"$K1"]`, '["$K1",null]']) {
    const sent = await multipart([
      ['_1_name', 'One of many'],
      ['0', zero],
    ])
    assert.equal(verdict(await submit(world, 'updateProfile', null, { jar, ...sent })), 'invalid_input', zero)
  }
  // Bodies that hold no list at all: Next gives up.
  for (const body of ['', 'null', '"x"', '7', '[', '{}', 'name=x']) {
    const answer = await submit(world, 'updateProfile', null, { jar, body, may500: true })
    assert.notEqual(verdict(answer), 'ok', body)
  }
  assert.equal(await image(world), before)
})

check('H-210', 'a name is stored in one form, whichever was typed; an address has one alone', async (world) => {
  const { jar, id } = await world.newSession()
  for (const typed of ['Zoe\u0308 \u00c5ngstro\u0308m', 'Zo\u00eb A\u030angstr\u00f6m', 'Zoë \u212bngström']) {
    assert.equal(verdict(await rename(world, jar, typed)), 'ok')
    assert.equal(await nameOf(world, id), 'Zo\u00eb \u00c5ngstr\u00f6m')
  }
  const email = nobody()
  await submit(world, 'signUp', { name: 'Zoe\u0308', email: ` ${email.toUpperCase()} `, password })
  const [signup] = await world.query('select email, name from signups where email = $1', [email])
  assert.deepEqual(signup, { email, name: 'Zo\u00eb' })
  for (const local of ['zo\u00eb', 'zoe\u0308', '\uff5aoe'])
    assert.equal(
      verdict(await submit(world, 'signUp', { name: 'x', email: `${local}-${email}`, password })),
      'invalid_input',
    )
})

check('H-211', 'what means something to a database is stored as it was typed', async (world) => {
  const texts = [
    `'; drop table users; --`,
    `\\'; delete from sessions; --`,
    `" or ""="`,
    `$1 $2 :name ?`,
    `$$; select pg_sleep(5); $$`,
    `%' and 1=0 union select hash from passwords --`,
    `\\x27 \\u0027 &#39; %27`,
    `{{7*7}} \${7*7} <%= 7*7 %>`,
    `{"$gt":""}`,
    `$D2020`,
  ]
  const { jar, id } = await world.newSession()
  const [{ count: people }] = await world.query('select count(*)::int from users')
  for (const text of texts) {
    assert.deepEqual((await rename(world, jar, text)).value, { ok: true, data: { name: text } }, text)
    assert.equal(await nameOf(world, id), text)
    assert.equal((await world.session(jar)).user.name, text)
    const email = nobody()
    await submit(world, 'signUp', { name: text, email, password })
    assert.equal((await world.query('select name from signups where email = $1', [email]))[0].name, text)
    assert.equal(verdict(await submit(world, 'deleteAccount', { confirmation: text }, { jar })), 'invalid_input', text)
    assert.equal(verdict(await submit(world, 'endDevice', { id: text }, { jar })), 'invalid_input', text)
  }
  // As a password, too.
  const chosen = texts[0] ?? ''
  assert.equal(verdict(await submit(world, 'changePassword', { current: password, next: chosen }, { jar })), 'ok')
  assert.equal((await world.try((await world.session(jar)).user.email, chosen)).status, 200)
  assert.equal((await world.query('select count(*)::int from users'))[0].count, people)
})

check('H-212', 'no text of a caller’s begins a line of the log', async (world) => {
  const { jar, email } = await world.newSession()
  // Short: the message of a fault holds only the beginning of what it is about.
  const mark = crypto.randomUUID().slice(0, 6)
  const forged = `x\n{"msg":"${mark}"}\n`
  await rename(world, jar, forged)
  await submit(world, 'signUp', { name: forged, email: forged, password: forged })
  await submit(world, 'askForReset', { email: `${email}${forged}` })
  await submit(world, 'changePassword', { current: forged, next: forged }, { jar })
  await world.try(forged, forged)
  for (const body of [forged, `[${forged}`, `["$1:${mark}\\n{}"]`, JSON.stringify([`$F1\n${mark}`])])
    await submit(world, 'updateProfile', null, { jar, body, may500: true })
  const odd = await multipart([
    ['0', `["$B${forged}"]`],
    [`_1_${forged}`, new File(['x'], forged)],
  ])
  await submit(world, 'updateProfile', null, { jar, ...odd, may500: true })
  await world.get(`/${encodeURIComponent(forged)}?${new URLSearchParams({ error: forged, token: forged })}`)
  await world.get('/api/auth/session', { headers: { 'X-Request-Id': `${mark}%0a{}`, 'User-Agent': `${mark}\\n{}` } })
  await world.get(`/api/auth/callback/google?${new URLSearchParams({ error: forged, state: forged })}`)
  // Next writes down which action it does not know.
  for (const id of [`${mark}\\n{}`, `{"msg":"${mark}"}`, '0'.repeat(42)])
    await submit(world, 'updateProfile', { name: forged }, { jar, headers: { 'Next-Action': id } })
  await new Promise((resolve) => setTimeout(resolve, 150))
  const lines = world
    .output()
    .split('\n')
    .filter((line) => line.includes(mark))
  assert.ok(lines.length > 0, 'nothing of it was written at all, so nothing is shown')
  for (const line of lines) {
    const { level, msg } = JSON.parse(line)
    assert.match(level, /^(debug|info|warn|error)$/)
    assert.notEqual(msg, mark)
  }
  return `${lines.length} lines hold what was sent, each a whole one`
})

/** The cells of a text as a spreadsheet sees them that parts cells at this sign. */
function cellsOf(text: string, sign: string): string[] {
  const cells: string[] = []
  let rest = text
  while (rest !== '') {
    // Quotes count where a cell begins; what follows them up to the sign belongs to it.
    const [whole, quoted = '', plain = ''] =
      new RegExp(`^(?:"((?:[^"]|"")*)"?)?([^${sign}\\r\\n]*)`).exec(rest) ?? assert.fail()
    cells.push(quoted.replaceAll('""', '"') + plain)
    rest = rest.slice(whole.length).replace(new RegExp(`^(\\r\\n|[${sign}\\r\\n])`), '')
  }
  return cells
}

checkModule('admin', 'H-213', 'a table for download runs nothing in a spreadsheet', async (world) => {
  const { jar } = await world.newSession({ role: 'admin' })
  const group = `csv-${crypto.randomUUID().slice(0, 8)}`
  const attack = `HYPERLINK("https://evil.example","x")`
  const names = [
    ...['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠'].map((sign) => `${sign}${attack}`),
    ...['\t', '\r', '\n', ' ', '"', '" '].map((before) => `${before}=${attack}`),
    ...[',', ';', '\t', '\n', '\r\n', '; ', ';"', '",', '";', ';""', '"\r\n'].map((part) => `x${part}=${attack}`),
    `=1+1";=${attack}`,
    `"=${attack}"`,
    'Anne-Marie "Quoted", Jr; 100%',
  ]
  for (const name of names) {
    const { id } = await world.newPerson({ email: `${group}-${crypto.randomUUID()}@example.com` })
    await world.query('update users set name = $2 where id = $1', [id, name])
  }
  const address = `=${group}+${attack.length}@example.com`
  await world.newPerson({ email: address })
  for (const [search, count] of [
    [group, names.length],
    [address, 1],
  ] as const) {
    const file = await world.get(`/api/admin/users/export?search=${encodeURIComponent(search)}`, { jar })
    assert.equal(file.status, 200)
    assert.match(file.headers['content-type'] ?? '', /^text\/csv; charset=utf-8$/i)
    assert.match(file.headers['content-disposition'] ?? '', /^attachment; filename="[\w-]+\.csv"$/)
    for (const sign of [',', ';', '\t'])
      for (const cell of cellsOf(file.text, sign))
        assert.doesNotMatch(cell, /^[\s"]*[=+\-@|%＝＋－＠]/, `parted at ${JSON.stringify(sign)}: ${cell}`)
    // As it is meant to be read it is whole: every row has its seven cells.
    assert.equal(cellsOf(file.text, ',').length, 7 * (count + 1))
  }
  return `${names.length} names`
})

check('H-214', 'a name is text in every mail, and begins no header of it', async (world) => {
  const markup = `<img src=x onerror=alert(1)> "Eve" & Co, <spy@evil.example>`
  const isText = (mail: { html: string; text: string; headers: Record<string, string> }) => {
    assert.ok(mail.html.includes('Hello &lt;img src=x onerror=alert(1)&gt;'), mail.html)
    assert.doesNotMatch(mail.html, /<img|<spy/)
    assert.ok(mail.text.includes(`Hello ${markup},`))
  }
  const { jar, email, id } = await world.newSession()
  assert.equal(verdict(await rename(world, jar, markup)), 'ok')
  const { next } = captured('changePassword', { email, password }) as { next: string }
  keepSecret(next)
  assert.equal(verdict(await submit(world, 'changePassword', { current: password, next }, { jar })), 'ok')
  const newcomer = nobody()
  await submit(world, 'signUp', { name: markup, email: newcomer, password })
  for (const address of [email, newcomer]) {
    const mails = await world.mailsTo(address)
    assert.equal(mails.length, 1)
    for (const mail of mails) {
      isText(mail)
      assert.equal(mail.headers.to?.match(/@/g)?.length, 2, mail.headers.to)
      assert.ok(mail.headers.to?.trim().endsWith(`<${address}>`), mail.headers.to)
    }
  }
  // A name that came from elsewhere, with lines in it.
  await world.query(`update users set name = $2 where id = $1`, [
    id,
    'Eve\r\nBcc: spy@evil.example\r\nSubject: Forged\r\n\r\n<b>Forged</b>',
  ])
  await submit(world, 'askForReset', { email })
  const mail = (await world.mailsTo(email)).at(-1)
  assert.equal(mail?.subject, 'Choose a new password')
  assert.equal(mail?.headers.bcc, undefined)
  assert.doesNotMatch(mail?.html ?? '', /<b>/)
  assert.deepEqual(await world.mailsTo('spy@evil.example'), [])
})
