// Input validation and injection.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import pg from 'pg'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, checkModule } from '../../app/support/checks.ts'
import { completeOutput } from '../../app/support/complete-output.ts'
import { type CallOptions, Jar } from '../../app/support/http-client.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import {
  type ActionResponse,
  encodeReactForm,
  fieldsOf,
  hiddenFields,
  listActions,
  multipart,
  validInputOf,
  verdict,
} from '../../app/support/server-actions.ts'
import { password, randomToken, snapshotState, unusedEmail, type World } from '../../app/support/test-world.ts'
import { insertEmailChange } from './support/insert-token.ts'
import { median } from './support/statistics.ts'

/** Everything stored about a user, except the columns that a name change may update. */
async function userSnapshot(world: World, id: string): Promise<string> {
  const [row] = await world.query(
    `select to_jsonb(users) - 'name' - 'updated_at' as columns,
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

const rename = (world: World, jar: Jar, name: unknown, options: CallOptions = {}) =>
  submitAction(world, 'updateProfile', { name }, { jar, ...options })

/** Fields that an attacker would want to set (mass assignment). */
const massAssignmentFields = (id: string): Record<string, unknown> => ({
  role: 'admin',
  emailVerified: true,
  emailVerifiedAt: '2000-01-01',
  email_verified_at: null,
  id,
  userId: id,
  email: unusedEmail(),
  password: 'x',
  passwordHash: 'x',
  suspendedAt: null,
  image: 'https://example.com/x.png',
  createdAt: 0,
  created_at: '2000-01-01',
  user: { role: 'admin' },
})

check('H-199', 'updateProfile changes only the name, whatever other fields are sent', async (world) => {
  const { jar, id } = await world.newSession()
  const other = await world.newUser({ role: 'admin' })
  const before = [await userSnapshot(world, id), await userSnapshot(world, other.id)]
  for (const [index, more] of [
    massAssignmentFields(other.id),
    { data: massAssignmentFields(other.id), $set: { role: 'admin' } },
    { 'user.role': 'admin', 'user[role]': 'admin', ROLE: 'admin' },
  ].entries()) {
    const response = await submitAction(world, 'updateProfile', { name: `Name ${index}`, ...more }, { jar })
    assert.deepEqual(response.value, { ok: true, data: { name: `Name ${index}` } })
    assert.equal(await nameOf(world, id), `Name ${index}`)
  }
  // A JSON literal, because `__proto__` in an object literal would not become an own property.
  const body = `[{"name":"Polluted","__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}}}]`
  assert.equal(verdict(await submitAction(world, 'updateProfile', null, { jar, body })), 'ok')
  assert.deepEqual([await userSnapshot(world, id), await userSnapshot(world, other.id)], before)
  assert.equal((await world.getSession(jar)).user.role, 'viewer')
  // Objects created afterwards have no extra properties.
  assert.deepEqual(Object.keys((await world.getSession(jar)).user).sort(), ['email', 'id', 'name', 'role'])
})

check(
  'H-200',
  'as a form too, with duplicate fields and $ACTION keys, with and without JavaScript, only the name changes',
  async (world) => {
    const { jar, id, email } = await world.newSession()
    const before = await userSnapshot(world, id)
    const more = Object.entries(massAssignmentFields(crypto.randomUUID())).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const fields: [string, string][] = [...more, ['role', 'editor'], ['role', 'admin'], ['role[]', 'admin']]
    const ours = { Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' }

    const submitWithScript = async (sent: [string, string][]) =>
      submitAction(world, 'updateProfile', null, { jar, ...(await encodeReactForm(sent)) })
    assert.equal(verdict(await submitWithScript([['name', 'By script'], ...fields])), 'ok')
    assert.equal(await nameOf(world, id), 'By script')
    for (const extraKey of [
      '$ACTION_ID_x',
      '$ACTION_KEY',
      '$ACTION_REF_1',
      '$ACTION_1:0',
      '__proto__',
      'constructor',
      '',
    ]) {
      assert.equal(
        verdict(
          await submitWithScript([
            ['name', 'By script'],
            [extraKey, 'x'],
            [extraKey, 'y'],
          ]),
        ),
        'ok',
        extraKey,
      )
    }
    // A duplicate name is rejected.
    assert.equal(
      verdict(
        await submitWithScript([
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
    const submitWithoutScript = async (sent: [string, string][]) => {
      const { body, headers } = await multipart([...hidden, ...sent])
      return world.get('/account/profile', {
        method: 'POST',
        body,
        headers: { ...ours, ...headers },
        jar,
        allow500: true,
      } as CallOptions)
    }
    assert.equal((await submitWithoutScript([['name', 'By hand'], ...fields])).status, 200)
    assert.equal(await nameOf(world, id), 'By hand')
    await submitWithoutScript([
      ['name', 'One'],
      ['name', 'Two'],
    ])
    assert.equal(await nameOf(world, id), 'By hand')
    // Keys with the id of another action, or an unknown id: at most that action runs and rejects the form.
    const named = (name: string) => listActions().find((action) => action.name === name)?.id
    for (const key of [
      `$ACTION_ID_${named('deleteAccount')}`,
      `$ACTION_ID_${named('endOtherSessions')}`,
      '$ACTION_ID_',
      '$ACTION_REF_9',
      `$ACTION_ID_${'0'.repeat(42)}`,
    ])
      await submitWithoutScript([
        ['name', 'By hand'],
        ['typedEmail', `not ${email}`],
        [key, ''],
      ])
    assert.equal(await userSnapshot(world, id), before)
    assert.equal((await world.getSession(jar)).user.role, 'viewer')
  },
)

/** Verifies a sign-up in a new browser, with an email token inserted directly instead of taken from the email. */
async function verifySignUp(
  world: World,
  email: string,
  more: object = {},
  { node = world.app, pool = world.pool } = {},
): Promise<Jar> {
  const token = randomToken()
  await pool.query(
    `insert into tokens (hash, purpose, signup_id, expires_at)
     select $1, 'signup', id, now() + interval '1 hour' from signups where email = $2 order by created_at desc limit 1`,
    [createHash('sha256').update(token).digest(), email],
  )
  const jar = new Jar()
  const response = await submitAction(world, 'verifySignUpEmail', { token, password, ...more }, { jar, node })
  assert.equal(verdict(response), 'to /dashboard')
  return jar
}

check('H-201', 'a sign-up that sends role admin creates a viewer', async (world) => {
  const variants: [string, (email: string) => Promise<ActionResponse>][] = [
    [
      'JSON',
      (email) =>
        submitAction(world, 'signUp', { ...massAssignmentFields(crypto.randomUUID()), name: 'Eve', email, password }),
    ],
    [
      'a form',
      async (email) =>
        submitAction(world, 'signUp', null, {
          ...(await encodeReactForm([
            ['role', 'admin'],
            ['name', 'Eve'],
            ['email', email],
            ['password', password],
            ['role', 'admin'],
          ])),
        }),
    ],
  ]
  for (const [what, ask] of variants) {
    const email = unusedEmail()
    const response = await ask(email)
    assert.deepEqual(response.value, { ok: true, data: { email } }, what)
    const jar = await verifySignUp(world, email, { role: 'admin', email: unusedEmail(), user: { role: 'admin' } })
    const [row] = await world.query('select role, image, suspended_at from users where email = $1', [email])
    assert.deepEqual(row, { role: 'viewer', image: null, suspended_at: null }, what)
    assert.equal((await world.getSession(jar)).user.role, 'viewer', what)
  }
})

check(
  'H-202',
  'the first user to sign up in an empty database is a viewer',
  async (world) => {
    const url = await world.migratedDatabase()
    const node = await world.node('on an empty database', { DATABASE_URL: url, WORKER: 'apart' })
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    try {
      const email = unusedEmail()
      const response = await submitAction(world, 'signUp', { name: 'First', email, password, role: 'admin' }, { node })
      assert.equal(verdict(response), 'ok')
      const jar = await verifySignUp(world, email, { role: 'admin' }, { node, pool })
      assert.equal((await world.getSession(jar, node)).user.role, 'viewer')
      assert.deepEqual((await pool.query('select role from users')).rows, [{ role: 'viewer' }])
    } finally {
      await pool.end()
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-203',
  'a name has 1 to 100 characters after trimming, at least one visible, and no line breaks or bidi controls',
  async (world) => {
    const { jar, id } = await world.newSession()
    const good: [typed: string, stored?: string][] = [
      ['x'],
      ['x'.repeat(100)],
      [` \t${'x'.repeat(100)}\u00a0 `, 'x'.repeat(100)],
      ['\u{1f600}'.repeat(100)],
      ['\u{1f469}\u200d\u{1f680} Ada'],
      // 200 code points that normalize to 100 characters.
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
      const response = await rename(world, jar, typed)
      assert.deepEqual(
        [verdict(response), Object.keys(fieldsOf(response))],
        ['invalid_input', ['name']],
        JSON.stringify(typed),
      )
    }
    const before = await snapshotState(world)
    // Sign-up without a name uses the local part of the email; any other name has the same rules.
    for (const typed of bad.filter((one) => one.trim() !== '')) {
      const response = await submitAction(world, 'signUp', { name: typed, email: unusedEmail(), password })
      assert.deepEqual(
        [verdict(response), Object.keys(fieldsOf(response))],
        ['invalid_input', ['name']],
        JSON.stringify(typed),
      )
    }
    assert.equal(await nameOf(world, id), 'As it was')
    assert.equal(await snapshotState(world), before)
  },
)

const requestEmailChange = (world: World, jar: Jar, email: unknown, options: CallOptions = {}) =>
  submitAction(world, 'changeEmail', { email }, { jar, ...options })

/** The token in the newest email that verifies a new email address. */
async function emailTokenFor(world: World, email: string): Promise<string> {
  const emails = (await world.emailsTo(email)).filter(({ subject }) => subject === 'Confirm your new email')
  return /token=([\w-]{43})/.exec(emails.at(-1)?.text ?? '')?.[1] ?? assert.fail(`no email token for ${email}`)
}

const emailOf = async (world: World, id: string): Promise<string> =>
  (await world.query('select email from users where id = $1', [id]))[0].email

check(
  'H-204',
  'an email change requires reauthentication, takes effect once verified, and notifies the old email',
  async (world) => {
    const { jar, id, email } = await world.newSession()
    const reauthenticatedAgo = (interval: string) => world.setReauthenticatedAgo(id, interval)
    const next = unusedEmail()
    await reauthenticatedAgo('61 minutes')
    assert.equal(verdict(await requestEmailChange(world, jar, next)), 'reauth_required')
    assert.deepEqual(await world.emailsTo(next), [])
    await reauthenticatedAgo('1 minute')
    for (const wrong of [
      '',
      'x',
      email,
      email.toUpperCase(),
      `${next}\r\nBcc: x@evil.example`,
      `${next},${unusedEmail()}`,
      null,
      [next],
    ])
      assert.equal(verdict(await requestEmailChange(world, jar, wrong)), 'invalid_input', String(wrong))
    assert.deepEqual((await requestEmailChange(world, jar, ` ${next.toUpperCase()} `)).value, {
      ok: true,
      data: { email: next },
    })

    // Until the new email is verified nothing changes: the session, sign-in and recipient keep the old one.
    assert.equal(await emailOf(world, id), email)
    assert.equal((await world.getSession(jar)).user.email, email)
    assert.equal((await world.trySignIn(email)).status, 200)
    assert.equal((await world.trySignIn(next)).status, 401)
    const token = await emailTokenFor(world, next)
    const stored = await world.query('select hash from tokens where user_id = $1', [id])
    assert.deepEqual(stored, [{ hash: createHash('sha256').update(token).digest() }])
    for (const wrong of [randomToken(), token.slice(1), token.toLowerCase(), `${token}A`, '', '\0'])
      assert.equal(verdict(await submitAction(world, 'verifyNewEmail', { token: wrong }, { jar })), 'not_found', wrong)
    // Email tokens are bound to their purpose: this one works for nothing else, and no other works here.
    for (const [action, input] of [
      ['chooseNewPassword', { token, password: 'an entirely different horse 3' }],
      ['verifySignUpEmail', { token, password }],
      ['submitCompromiseReport', { token }],
    ] as const)
      assert.equal(verdict(await submitAction(world, action, input)), 'not_found', action)
    await submitAction(world, 'askForReset', { email })
    const reset = /token=([\w-]{43})/.exec((await world.emailsTo(email)).at(-1)?.text ?? '')?.[1] ?? ''
    assert.equal(verdict(await submitAction(world, 'verifyNewEmail', { token: reset }, { jar })), 'not_found')
    assert.equal(await emailOf(world, id), email)

    // Additional fields are ignored.
    const verified = await submitAction(
      world,
      'verifyNewEmail',
      { token, email: unusedEmail(), userId: crypto.randomUUID() },
      { jar },
    )
    assert.deepEqual(verified.value, { ok: true, data: { email: next } })
    assert.equal(await emailOf(world, id), next)
    assert.deepEqual(verified.setCookies, [])
    assert.equal(verdict(await submitAction(world, 'verifyNewEmail', { token }, { jar })), 'not_found')
    assert.deepEqual([(await world.trySignIn(email)).status, (await world.trySignIn(next)).status], [401, 200])
    // Tokens sent to the old email are invalid now, except the one that reverts the change.
    const newPassword = 'an entirely different horse 3'
    assert.equal(
      verdict(await submitAction(world, 'chooseNewPassword', { token: reset, password: newPassword })),
      'not_found',
    )
    const notice = (await world.emailsTo(email)).at(-1)
    assert.equal(notice?.subject, 'Your email was changed')
    assert.ok(!notice?.text.includes(next))
    const reportToken = /token=([\w-]{43})/.exec(notice?.text ?? '')?.[1] ?? ''
    assert.equal(verdict(await submitAction(world, 'submitCompromiseReport', { token: reportToken })), 'ok')
    assert.equal(await emailOf(world, id), email)
    assert.equal(await world.getSession(jar), null)

    // An email token is valid for 24 hours.
    const late = await world.newSession()
    const later = unusedEmail()
    await requestEmailChange(world, late.jar, later)
    const old = await emailTokenFor(world, later)
    const [{ hours }] = await world.query(
      'select extract(epoch from expires_at - now())::float / 3600 as hours from tokens where user_id = $1',
      [late.id],
    )
    assert.ok(hours > 23.9 && hours <= 24, `${hours} hours`)
    await world.query(`update tokens set expires_at = now() - interval '1 second' where user_id = $1`, [late.id])
    assert.equal(verdict(await submitAction(world, 'verifyNewEmail', { token: old }, { jar: late.jar })), 'not_found')
    assert.equal(await emailOf(world, late.id), late.email)
  },
  { full: 'takes long' },
)

check(
  'H-205',
  'a user cannot change to another user’s email or learn that it is taken',
  async (world) => {
    const owner = await world.newUser({ email: `Owner-${crypto.randomUUID()}@example.com` })
    const results = new Set<string>()
    for (const spelling of [owner.email, owner.email.toLowerCase(), owner.email.toUpperCase(), unusedEmail()]) {
      const { jar, id, email } = await world.newSession()
      const response = await requestEmailChange(world, jar, spelling)
      results.add(JSON.stringify([response.status, response.value]).replace(spelling.toLowerCase(), '(email)'))
      await world.emailsTo(email)
      assert.equal(await emailOf(world, id), email)
      const tokens = await world.query('select hash from tokens where user_id = $1', [id])
      assert.equal(tokens.length, spelling.startsWith('nobody') ? 1 : 0)
    }
    assert.equal(results.size, 1, String([...results]))
    const notices = await world.emailsTo(owner.email.toLowerCase())
    assert.deepEqual(new Set(notices.map(({ subject }) => subject)), new Set(['This email already has an account']))
    for (const { text } of notices) assert.doesNotMatch(text, /token=/)

    // Two users and a sign-up verify the same email concurrently: exactly one succeeds.
    const other = await world.node('second')
    for (let round = 0; round < 10; round++) {
      const wanted = unusedEmail()
      const rivals = await world.newUsers(2)
      const jars = await Promise.all(rivals.map((rival) => world.insertSession(rival)))
      const tokens = await Promise.all(rivals.map(({ id }) => insertEmailChange(world, id, wanted)))
      await world.query('insert into signups (email, name, password_hash) values ($1, $2, $3)', [
        wanted,
        'Joining',
        world.hash,
      ])
      const verdicts = await Promise.all([
        ...tokens.map(async (token, index) =>
          verdict(
            await submitAction(
              world,
              'verifyNewEmail',
              { token },
              { jar: jars[index] ?? new Jar(), node: index ? other : world.app },
            ),
          ),
        ),
        verifySignUp(world, wanted).then(
          () => 'ok',
          () => 'conflict',
        ),
      ])
      assert.deepEqual([...verdicts].sort(), ['conflict', 'conflict', 'ok'], `round ${round}`)
      assert.equal((await world.query('select id from users where lower(email) = $1', [wanted])).length, 1)
    }
  },
  { full: 'samples races' },
)

check(
  'H-206',
  'a picture must be image bytes: URLs and files that reference URLs are rejected and never fetched',
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
      const urls = [
        url,
        'javascript:alert(1)',
        'data:image/png;base64,iVBORw0KGgo=',
        'http://169.254.169.254/',
        'file:///etc/passwd',
        '//evil.example/x.png',
      ]
      for (const text of urls) {
        assert.equal(
          verdict(await submitAction(world, 'setPicture', { picture: text }, { jar })),
          'invalid_input',
          text,
        )
        assert.equal(
          verdict(
            await submitAction(world, 'setPicture', null, { jar, ...(await encodeReactForm([['picture', text]])) }),
          ),
          'invalid_input',
          text,
        )
        assert.equal(
          verdict(await submitAction(world, 'updateProfile', { name: 'Ada', image: text, picture: text }, { jar })),
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
          const response = await submitAction(world, 'setPicture', null, {
            jar,
            ...(await encodeReactForm([['picture', file]])),
          })
          assert.equal(verdict(response), 'invalid_input', file.name)
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
  { full: 'takes long' },
)

check(
  'H-207',
  'an array of 100,000 elements in place of a string is rejected at once',
  async (world) => {
    const { jar } = await world.newSession()
    const before = await snapshotState(world)
    const bodies = {
      small: JSON.stringify([{ name: [] }]),
      // Above the 160 kB limit of proxy.ts.
      huge: JSON.stringify([{ name: Array(100_000).fill(0) }]),
      // Below that limit.
      large: JSON.stringify([{ name: Array(30_000).fill(0) }]),
      long: JSON.stringify([{ name: 'x'.repeat(60_000) }]),
    }
    const times: Record<keyof typeof bodies, number[]> = { small: [], huge: [], large: [], long: [] }
    for (let round = 0; round < 25; round++)
      for (const [kind, body] of Object.entries(bodies) as [keyof typeof bodies, string][]) {
        const response = await submitAction(world, 'updateProfile', null, { body, jar })
        assert.equal(verdict(response), kind === 'huge' ? 'status 413' : 'invalid_input', kind)
        times[kind].push(response.milliseconds)
      }
    assert.equal(await snapshotState(world), before)
    const [small, huge, large, long] = [times.small, times.huge, times.large, times.long].map(median)
    const more = (milliseconds = 0) => milliseconds - (small ?? 0)
    assertFast(more(huge) < 10, `100,000 elements took ${more(huge)} ms longer than an empty array`)
    // Most of this is Next parsing the body, before the app runs.
    assertFast(more(large) < 50, `30,000 elements took ${more(large)} ms longer than an empty array`)
    assertFast(more(long) < 25, `60,000 characters took ${more(long)} ms longer than an empty array`)
    return `longer than an empty array: 100,000 elements ${more(huge).toFixed(1)} ms, 30,000 ${more(large).toFixed(1)} ms, 60,000 characters ${more(long).toFixed(1)} ms`
  },
  { full: 'measures time or memory' },
)

check(
  'H-208',
  'dates, bigints, maps, files, promises and prototypes in place of a string are rejected',
  async (world) => {
    const { jar, id } = await world.newSession()
    const before = await snapshotState(world)
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
        const response = await submitAction(world, 'updateProfile', null, { jar, body })
        assert.equal(verdict(response), 'invalid_input', body)
      }
    for (const body of [
      '[{"__proto__":{"name":"x"}}]',
      '[{"constructor":{"prototype":{"name":"x"}}}]',
      '[{"name":"$0:0:constructor"}]',
      '[{"name":{"__proto__":{"length":5}}}]',
    ]) {
      const response = await submitAction(world, 'updateProfile', null, { jar, body })
      assert.ok(['invalid_input', 'status 400'].includes(verdict(response)), `${body}: ${verdict(response)}`)
    }
    // With the multipart parts that they reference, so that React decodes them to these types.
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
      return verdict(await submitAction(world, 'updateProfile', null, { jar, ...sent }))
    }
    for (const [value, part] of whole) {
      const expected = value === '$1' ? 'status 400' : 'invalid_input'
      assert.equal(await parts(`["${value}"]`, part), expected, `${value} as the input`)
      assert.equal(await parts(`[{"name":"${value}"}]`, part), expected, `${value} as the name`)
    }
    // Without these parts Next fails by itself and returns only an error digest.
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
        const response = await submitAction(world, 'updateProfile', null, { jar, body })
        assert.ok(['invalid_input', 'status 400'].includes(verdict(response)), `${body}: ${verdict(response)}`)
        if (response.status === 400) assert.match(response.text, /^1:E\{"digest":"\d+"\}$/m)
      }
    assert.equal(await snapshotState(world), before)
    assert.equal((await world.getSession(jar)).user.id, id)
  },
)

check('H-209', 'an action called with zero or several arguments is rejected', async (world) => {
  const { jar } = await world.newSession()
  const before = await snapshotState(world)
  const fifty = Array.from({ length: 50 }, () => ({ name: 'One of fifty' }))
  for (const given of [[], fifty, fifty.slice(0, 2), [null, { name: 'x' }], [{ name: 'x' }, null]]) {
    const response = await submitAction(world, 'updateProfile', null, { jar, body: JSON.stringify(given) })
    assert.equal(verdict(response), 'invalid_input', `${given.length} arguments`)
  }
  for (const zero of ['["$K1","$K1","$K1"]', `[${'null,'.repeat(48)}"$K1"]`, '["$K1",null]']) {
    const sent = await multipart([
      ['_1_name', 'One of many'],
      ['0', zero],
    ])
    assert.equal(verdict(await submitAction(world, 'updateProfile', null, { jar, ...sent })), 'invalid_input', zero)
  }
  // Next itself rejects bodies that contain no array.
  for (const body of ['', 'null', '"x"', '7', '[', '{}', 'name=x']) {
    const response = await submitAction(world, 'updateProfile', null, { jar, body })
    assert.notEqual(verdict(response), 'ok', body)
  }
  assert.equal(await snapshotState(world), before)
})

check('H-210', 'names are stored NFC-normalized; emails are lower-cased and must be ASCII', async (world) => {
  const { jar, id } = await world.newSession()
  for (const typed of ['Zoe\u0308 \u00c5ngstro\u0308m', 'Zo\u00eb A\u030angstr\u00f6m', 'Zoë \u212bngström']) {
    assert.equal(verdict(await rename(world, jar, typed)), 'ok')
    assert.equal(await nameOf(world, id), 'Zo\u00eb \u00c5ngstr\u00f6m')
  }
  const email = unusedEmail()
  await submitAction(world, 'signUp', { name: 'Zoe\u0308', email: ` ${email.toUpperCase()} `, password })
  const [signup] = await world.query('select email, name from signups where email = $1', [email])
  assert.deepEqual(signup, { email, name: 'Zo\u00eb' })
  for (const local of ['zo\u00eb', 'zoe\u0308', '\uff5aoe'])
    assert.equal(
      verdict(await submitAction(world, 'signUp', { name: 'x', email: `${local}-${email}`, password })),
      'invalid_input',
    )
})

check(
  'H-211',
  'SQL and template syntax is stored as typed',
  async (world) => {
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
    const [{ count: userCount }] = await world.query('select count(*)::int from users')
    for (const text of texts) {
      assert.deepEqual((await rename(world, jar, text)).value, { ok: true, data: { name: text } }, text)
      assert.equal(await nameOf(world, id), text)
      assert.equal((await world.getSession(jar)).user.name, text)
      const email = unusedEmail()
      await submitAction(world, 'signUp', { name: text, email, password })
      assert.equal((await world.query('select name from signups where email = $1', [email]))[0].name, text)
      assert.equal(
        verdict(await submitAction(world, 'deleteAccount', { typedEmail: text }, { jar })),
        'invalid_input',
        text,
      )
      assert.equal(verdict(await submitAction(world, 'endSession', { id: text }, { jar })), 'invalid_input', text)
    }
    // Works as a password, too.
    const newPassword = texts[0] ?? ''
    assert.equal(
      verdict(await submitAction(world, 'changePassword', { current: password, next: newPassword }, { jar })),
      'ok',
    )
    assert.equal((await world.trySignIn((await world.getSession(jar)).user.email, newPassword)).status, 200)
    assert.equal((await world.query('select count(*)::int from users'))[0].count, userCount)
  },
  { full: 'takes long' },
)

check(
  'H-212',
  'user input cannot start a new log line (log injection)',
  async (world) => {
    const { jar, email } = await world.newSession()
    // Short, because error messages truncate the input that they quote.
    const marker = crypto.randomUUID().slice(0, 6)
    const forged = `x\n{"msg":"${marker}"}\n`
    await rename(world, jar, forged)
    await submitAction(world, 'signUp', { name: forged, email: forged, password: forged })
    await submitAction(world, 'askForReset', { email: `${email}${forged}` })
    await submitAction(world, 'changePassword', { current: forged, next: forged }, { jar })
    await world.trySignIn(forged, forged)
    for (const body of [forged, `[${forged}`, `["$1:${marker}\\n{}"]`, JSON.stringify([`$F1\n${marker}`])])
      await submitAction(world, 'updateProfile', null, { jar, body })
    const malformed = await multipart([
      ['0', `["$B${forged}"]`],
      [`_1_${forged}`, new File(['x'], forged)],
    ])
    await submitAction(world, 'updateProfile', null, { jar, ...malformed })
    await world.get(`/${encodeURIComponent(forged)}?${new URLSearchParams({ error: forged, token: forged })}`)
    await world.get('/api/auth/session', {
      headers: { 'X-Request-Id': `${marker}%0a{}`, 'User-Agent': `${marker}\\n{}` },
    })
    await world.get(`/api/auth/callback/google?${new URLSearchParams({ error: forged, state: forged })}`)
    // Next logs unknown action ids.
    for (const id of [`${marker}\\n{}`, `{"msg":"${marker}"}`, '0'.repeat(42)])
      await submitAction(world, 'updateProfile', { name: forged }, { jar, headers: { 'Next-Action': id } })
    await completeOutput(world.app)
    const lines = world
      .output()
      .split('\n')
      .filter((line) => line.includes(marker))
    assert.ok(lines.length > 0, 'nothing was logged, so the check would prove nothing')
    for (const line of lines) {
      const { level, msg } = JSON.parse(line)
      assert.match(level, /^(debug|info|warn|error)$/)
      assert.notEqual(msg, marker)
    }
    return `${lines.length} log lines contain the input, each one valid JSON`
  },
  { full: 'takes long' },
)

/** The cells of a CSV text, as a spreadsheet with this separator parses them. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = []
  let rest = text
  while (rest !== '') {
    // Quotes count only at the start of a cell; text after the closing quote still belongs to it.
    const [whole, quoted = '', plain = ''] =
      new RegExp(`^(?:"((?:[^"]|"")*)"?)?([^${separator}\\r\\n]*)`).exec(rest) ?? assert.fail()
    cells.push(quoted.replaceAll('""', '"') + plain)
    rest = rest.slice(whole.length).replace(new RegExp(`^(\\r\\n|[${separator}\\r\\n])`), '')
  }
  return cells
}

checkModule('admin', 'H-213', 'a CSV export contains no spreadsheet formulas (CSV injection)', async (world) => {
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
    const { id } = await world.newUser({ email: `${group}-${crypto.randomUUID()}@example.com` })
    await world.query('update users set name = $2 where id = $1', [id, name])
  }
  const formulaEmail = `=${group}+${attack.length}@example.com`
  await world.newUser({ email: formulaEmail })
  for (const [search, count] of [
    [group, names.length],
    [formulaEmail, 1],
  ] as const) {
    const file = await world.get(`/api/admin/users/export?search=${encodeURIComponent(search)}`, { jar })
    assert.equal(file.status, 200)
    assert.match(file.headers['content-type'] ?? '', /^text\/csv; charset=utf-8$/i)
    assert.match(file.headers['content-disposition'] ?? '', /^attachment; filename="[\w-]+\.csv"$/)
    for (const separator of [',', ';', '\t'])
      for (const cell of cellsOf(file.text, separator))
        assert.doesNotMatch(cell, /^[\s"]*[=+\-@|%＝＋－＠]/, `separator ${JSON.stringify(separator)}: ${cell}`)
    // With the intended separator every row has its seven cells.
    assert.equal(cellsOf(file.text, ',').length, 7 * (count + 1))
  }
  return `${names.length} names`
})

check(
  'H-214',
  'a name is escaped in every email and injects no email header',
  async (world) => {
    const markup = `<img src=x onerror=alert(1)> "Eve" & Co, <spy@evil.example>`
    const isText = (message: { html: string; text: string; headers: Record<string, string> }) => {
      assert.ok(message.html.includes('Hello &lt;img src=x onerror=alert(1)&gt;'), message.html)
      assert.doesNotMatch(message.html, /<img|<spy/)
      assert.ok(message.text.includes(`Hello ${markup},`))
    }
    const { jar, email, id } = await world.newSession()
    assert.equal(verdict(await rename(world, jar, markup)), 'ok')
    const { next } = validInputOf('changePassword', { email, password }) as { next: string }
    registerSecret(next)
    assert.equal(verdict(await submitAction(world, 'changePassword', { current: password, next }, { jar })), 'ok')
    const newEmail = unusedEmail()
    await submitAction(world, 'signUp', { name: markup, email: newEmail, password })
    const [notice, ...more] = await world.emailsTo(email)
    assert.ok(notice && more.length === 0)
    isText(notice)
    assert.equal(notice.headers.to?.match(/@/g)?.length, 2, notice.headers.to)
    assert.ok(notice.headers.to?.trim().endsWith(`<${email}>`), notice.headers.to)
    // This email is not verified yet, so the email must not contain the submitted name.
    const [signUpEmail, ...others] = await world.emailsTo(newEmail)
    assert.ok(signUpEmail && others.length === 0)
    assert.doesNotMatch([signUpEmail.html, signUpEmail.text, signUpEmail.headers.to].join(), /img|Eve|spy/)
    assert.equal(signUpEmail.headers.to?.trim(), newEmail)
    // A name with line breaks that was stored without validation.
    await world.query(`update users set name = $2 where id = $1`, [
      id,
      'Eve\r\nBcc: spy@evil.example\r\nSubject: Forged\r\n\r\n<b>Forged</b>',
    ])
    await submitAction(world, 'askForReset', { email })
    const message = (await world.emailsTo(email)).at(-1)
    assert.equal(message?.subject, 'Reset your password')
    assert.equal(message?.headers.bcc, undefined)
    assert.doesNotMatch(message?.html ?? '', /<b>/)
    assert.deepEqual(await world.emailsTo('spy@evil.example'), [])
  },
  { full: 'takes long' },
)
