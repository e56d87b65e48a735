// Changing the password, resetting it by email, deleting the account.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { hash } from '@node-rs/argon2'
import { appName, appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { Jar } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { fieldsOf, verdict } from '../../app/support/server-actions.ts'
import {
  hashOptions,
  password,
  randomToken,
  snapshotState,
  type TestUser,
  unusedEmail,
  type World,
  wrongPassword,
} from '../../app/support/test-world.ts'
import { insertEmailChange } from './support/insert-token.ts'
import { isolatedApp } from './support/isolated-app.ts'
import { signInWithProvider } from './support/oauth-flow.ts'
import { addOrganization } from './support/organization.ts'

const chosen = 'an entirely different horse 3'
registerSecret(chosen)

type SubmitOptions = NonNullable<Parameters<typeof submitAction>[3]>

const change = (world: World, jar: Jar, current: unknown, next: unknown, options: SubmitOptions = {}) =>
  submitAction(world, 'changePassword', { current, next }, { jar, ...options })

const repeat = <T>(times: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

check(
  'H-227',
  'a wrong current password is rejected, counted across all nodes, and costs one hash',
  async (world) => {
    const { jar, id, email } = await world.newSession()
    const before = await snapshotState(world)
    for (let tries = 0; tries < 5; tries++) {
      const compared = await world.countPasswordComparisons(async () => {
        const result = await change(world, jar, tries % 2 ? wrongPassword : `${password} `, chosen)
        assert.deepEqual([verdict(result), Object.keys(fieldsOf(result))], ['invalid_credentials', ['current']])
      })
      assert.equal(compared, 1)
    }
    const other = await world.node('second')
    const compared = await world.countPasswordComparisons(async () => {
      // After that the right password fails too, on every node and on the reauthentication page.
      for (const node of [world.app, other]) {
        assert.equal(verdict(await change(world, jar, password, chosen, { node })), 'rate_limited')
        assert.equal(verdict(await submitAction(world, 'reauthenticate', { password }, { jar, node })), 'rate_limited')
      }
    }, [world.app, other])
    assert.equal(compared, 0)
    const [{ count }] = await world.query(
      `select count(*)::int from audit_events where kind = 'confirmation.failed' and actor_id = $1`,
      [id],
    )
    assert.equal(count, 5)
    assert.equal(await snapshotState(world), before)
    assert.equal((await world.trySignIn(email)).status, 200)

    // Concurrent requests do not get past the limit.
    const crowd = await world.newSession()
    const inCrowd = await world.countPasswordComparisons(
      () =>
        repeat(30, (index) =>
          change(world, crowd.jar.copy(), wrongPassword, chosen, { node: index % 2 ? other : world.app }),
        ),
      [world.app, other],
    )
    assert.ok(inCrowd <= 5, `${inCrowd} compared`)
    // An impossible password is not compared at all. For a user without a password a decoy hash is compared.
    const odd = await world.newSession()
    assert.equal(await world.countPasswordComparisons(() => change(world, odd.jar, 'x'.repeat(10_000), chosen)), 0)
    await world.query('delete from passwords where user_id = $1', [odd.id])
    const without = await world.countPasswordComparisons(async () =>
      assert.equal(verdict(await change(world, odd.jar, password, chosen)), 'invalid_credentials'),
    )
    assert.equal(without, 1)
  },
  { full: 'samples races' },
)

check('H-228', 'a weak new password is rejected with the reason', async (world) => {
  const short = await world.newUser({ email: `eve@${crypto.randomUUID()}.example.com` })
  const accented = 'cr\u00e8me br\u00fbl\u00e9e 9'
  registerSecret(accented)
  const french = await world.newUser({ hash: await hash(accented, hashOptions) })
  const jars = new Map<string, Jar>()
  const jarOf = async ({ email }: TestUser, typed = password) => {
    const jar = jars.get(email) ?? new Jar()
    if (!jars.has(email)) assert.equal((await world.trySignIn(email, typed, { jar })).status, 200)
    jars.set(email, jar)
    return jar
  }
  const testUser = await world.newUser()
  const refused: [TestUser, current: string, next: string, reason: RegExp][] = [
    [testUser, password, password, /already your password/],
    [french, accented, accented.normalize('NFD'), /already your password/],
    [testUser, password, 'Password123456', /commonly used/],
    [testUser, password, 'qwertyuiop1234', /commonly used/],
    [testUser, password, testUser.email, /email/],
    [testUser, password, `my ${testUser.email.toUpperCase()}`, /email/],
    [short, password, short.email, /email/],
    [testUser, password, `${appName} `.repeat(Math.ceil(12 / appName.length)), /from this app/],
    [testUser, password, 'x7$ pQ9 zL2', /at least 12/],
    [testUser, password, `${'correct horse '.repeat(9)}abc`, /at most 128/],
    [testUser, password, 'a horse \0 and a cart', /aren’t allowed/],
    [testUser, password, 'a horse \ud800 and a cart', /aren’t allowed/],
    [testUser, password, '', /Choose a password/],
  ]
  for (const [who, current, next, reason] of refused) {
    const jar = await jarOf(who, current)
    const before = await snapshotState(world)
    const result = await change(world, jar, current, next)
    assert.equal(verdict(result), 'invalid_input', next)
    assert.match(fieldsOf(result).next?.join() ?? '', reason, next)
    assert.equal(await snapshotState(world), before, next)
  }
  // Values of other types are rejected too.
  for (const next of [null, 7, {}, ['an entirely', 'different horse'], true])
    assert.equal(verdict(await change(world, await jarOf(testUser), password, next)), 'invalid_input')
})

check('H-229', 'spaces alone are no password; the length is counted in characters, not bytes', async (world) => {
  const horses = [
    ...'\u{1f40e}\u{1f50b}\u{1f4ce}\u{1f33f}\u{1f680}\u{1f469}\u{1f600}\u{1f40d}\u{1f980}\u{1f9c0}\u{1f9ed}\u{1f9f5}',
  ]
  const cases: [next: string, expected: string][] = [
    [' '.repeat(15), 'invalid_input'],
    ['\u00a0'.repeat(15), 'invalid_input'],
    [`${' '.repeat(14)}x`, 'invalid_input'],
    [horses.slice(0, 11).join(''), 'invalid_input'],
    [horses.join(''), 'ok'],
    [`${horses.join('')}${'\u{1f40e}'.repeat(116)}`, 'ok'],
    [`${horses.join('')}${'\u{1f40e}'.repeat(117)}`, 'invalid_input'],
  ]
  for (const [next, expected] of cases) {
    const { jar, email } = await world.newSession()
    if (next.trim()) registerSecret(next)
    assert.equal(verdict(await change(world, jar, password, next)), expected, `${[...next].length} characters`)
    assert.equal((await world.trySignIn(email, next)).status, expected === 'ok' ? 200 : 401)
  }
})

check(
  'H-230',
  'a user without a password can set one only after a recent provider sign-in, and only once',
  async (world) => {
    const first = (jar: Jar, next: unknown) => submitAction(world, 'setFirstPassword', { password: next }, { jar })
    for (const provider of ['google', 'github'] as const) {
      const email = unusedEmail()
      const { jar } = await signInWithProvider(world.app, provider, email)
      const { id } = (await world.getSession(jar)).user
      await world.setReauthenticatedAgo(id, '61 minutes')
      assert.equal(verdict(await first(jar, chosen)), 'reauth_required')
      // There is no password to reauthenticate with.
      for (const typed of [chosen, password])
        assert.equal(
          verdict(await submitAction(world, 'reauthenticate', { password: typed }, { jar })),
          'invalid_credentials',
        )
      assert.equal(verdict(await change(world, jar, chosen, chosen)), 'invalid_credentials')
      assert.equal(verdict(await first(jar, chosen)), 'reauth_required')
      assert.deepEqual(await world.query('select hash from passwords where user_id = $1', [id]), [])

      const { jar: fresh } = await signInWithProvider(world.app, provider, email)
      for (const next of ['short', ' '.repeat(15), 'Password123456', email, null, [chosen]])
        assert.equal(verdict(await first(fresh, next)), 'invalid_input', String(next))
      const { token } = fresh
      assert.equal(verdict(await first(fresh, chosen)), 'to /account/password?done')
      assert.notEqual(fresh.token, token)
      for (const old of [token, jar.token]) assert.equal(await world.getSession(old), null)
      assert.equal((await world.getSession(fresh)).user.id, id)
      assert.equal((await world.trySignIn(email, chosen)).status, 200)
      assert.deepEqual(
        (await world.emailsTo(email)).map(({ subject }) => subject),
        ['Your password was changed'],
      )
      // From then on a change needs the current password.
      assert.equal(verdict(await first(fresh, 'yet another horse 8')), 'conflict')
      assert.equal((await world.trySignIn(email, 'yet another horse 8')).status, 401)
    }
    const { jar } = await world.newSession()
    assert.equal(verdict(await first(jar, chosen)), 'conflict')
    // Of several concurrent requests one succeeds.
    const userWithoutPassword = await world.newUser({ hash: null })
    const token = randomToken()
    await world.query('insert into sessions (user_id, token_hash) values ($1, sha256($2))', [
      userWithoutPassword.id,
      Buffer.from(token),
    ])
    const tried = Array.from({ length: 6 }, (_, index) => `first horse number ${index}`)
    const verdicts = await repeat(6, async (index) =>
      verdict(await first(new Jar({ [`${appSlug}.session`]: token }), tried[index])),
    )
    assert.equal(verdicts.filter((one) => one === 'to /account/password?done').length, 1, String(verdicts))
    for (const one of verdicts) assert.match(one, /^(to \/account\/password\?done|conflict|unauthenticated)$/)
    assert.equal(
      (await world.trySignIn(userWithoutPassword.email, tried[verdicts.findIndex((one) => one.startsWith('to'))]))
        .status,
      200,
    )
  },
  { full: 'samples races' },
)

/** Requests a password reset and returns the token of the newest email. */
async function askForReset(world: World, email: string): Promise<string> {
  assert.equal(verdict(await submitAction(world, 'askForReset', { email })), 'ok')
  const emails = (await world.emailsTo(email)).filter(({ subject }) => subject === 'Reset your password')
  return /token=([\w-]{43})/.exec(emails.at(-1)?.text ?? '')?.[1] ?? assert.fail('no link')
}
const choose = (world: World, token: string, next = chosen, more: object = {}, options: SubmitOptions = {}) =>
  submitAction(world, 'chooseNewPassword', { token, password: next, ...more }, options)
const done = 'to /signin?notice=password_changed'

check(
  'H-231',
  'a reset link works once, for its owner, for 30 minutes, and not after another password change',
  async (world) => {
    const other = await world.node('second')
    const works = async (email: string, typed = chosen) => (await world.trySignIn(email, typed)).status === 200
    // It works only unaltered, and only for its owner, whichever user the input names.
    const [owner, victim] = [await world.newUser(), await world.newUser()]
    const token = await askForReset(world, owner.email)
    const before = await snapshotState(world)
    const alteredTokens = [
      ...[0, 1, 21, 41, 42].map(
        (place) => token.slice(0, place) + (token[place] === 'A' ? 'B' : 'A') + token.slice(place + 1),
      ),
      token.slice(1),
      `${token}A`,
      ` ${token}`,
      `${token}=`,
      token.toLowerCase(),
      createHash('sha256').update(token).digest('hex'),
      createHash('sha256').update(token).digest('base64url'),
      randomToken(),
      '',
      '%',
      '\0',
    ]
    for (const wrong of alteredTokens)
      if (wrong !== token) assert.equal(verdict(await choose(world, wrong)), 'not_found', wrong)
    for (const wrong of [null, 7, [token], { token }, { $ne: null }])
      assert.equal(verdict(await choose(world, wrong as never)), 'invalid_input')
    // It cannot be used for any other purpose.
    assert.equal(verdict(await submitAction(world, 'submitCompromiseReport', { token })), 'not_found')
    assert.equal(verdict(await submitAction(world, 'verifySignUpEmail', { token, password })), 'not_found')
    assert.equal(await snapshotState(world), before)
    // A rejected password does not use it up.
    assert.equal(verdict(await choose(world, token, 'short')), 'invalid_input')
    const named = { email: victim.email, userId: victim.id, id: victim.id }
    assert.equal(verdict(await choose(world, token, chosen, named)), done)
    assert.deepEqual(
      [await works(owner.email), await works(victim.email), await works(victim.email, password)],
      [true, false, true],
    )
    assert.equal(verdict(await choose(world, token, 'yet another horse 8')), 'not_found')

    // Valid for 30 minutes by the database clock.
    const late = await world.newUser()
    const expiredToken = await askForReset(world, late.email)
    const [{ minutes }] = await world.query(
      `select extract(epoch from expires_at - now())::float / 60 as minutes from tokens where user_id = $1 and purpose = 'reset'`,
      [late.id],
    )
    assert.ok(minutes > 29 && minutes <= 30, `${minutes} minutes`)
    await world.query(`update tokens set expires_at = expires_at - interval '30 minutes 1 second' where user_id = $1`, [
      late.id,
    ])
    assert.equal(verdict(await choose(world, expiredToken)), 'not_found')

    // Of ten concurrent requests one succeeds.
    for (let round = 0; round < 3; round++) {
      const crowded = await world.newUser()
      const once = await askForReset(world, crowded.email)
      const tried = Array.from({ length: 10 }, (_, index) => `horse number ${index} of round ${round}`)
      const verdicts = await repeat(10, async (index) =>
        verdict(await choose(world, once, tried[index], {}, { node: index % 2 ? other : world.app })),
      )
      assert.equal(verdicts.filter((one) => one === done).length, 1, String(verdicts))
      assert.equal(verdicts.filter((one) => one === 'not_found').length, 9, String(verdicts))
      const winner = tried[verdicts.indexOf(done)] ?? ''
      assert.ok(await works(crowded.email, winner))
      assert.ok(!(await works(crowded.email, tried[(verdicts.indexOf(done) + 1) % 10])))
    }

    // Every other link is invalid once the password was changed, by whichever method.
    const changer = await world.newSession()
    const links = [await askForReset(world, changer.email), await askForReset(world, changer.email)]
    assert.equal(verdict(await change(world, changer.jar, password, chosen)), 'ok')
    for (const link of links) assert.equal(verdict(await choose(world, link, 'yet another horse 8')), 'not_found')
    const resetter = await world.newUser()
    const [first, second] = [await askForReset(world, resetter.email), await askForReset(world, resetter.email)]
    assert.equal(verdict(await choose(world, first)), done)
    assert.equal(verdict(await choose(world, second, 'yet another horse 8')), 'not_found')
    // A link is invalid once the email it was sent to has changed.
    const emailChanger = await world.newSession()
    const sent = await askForReset(world, emailChanger.email)
    const emailChangeToken = await insertEmailChange(world, emailChanger.id, unusedEmail())
    assert.equal(
      verdict(await submitAction(world, 'verifyNewEmail', { token: emailChangeToken }, { jar: emailChanger.jar })),
      'ok',
    )
    assert.equal(verdict(await choose(world, sent)), 'not_found')
    // A link is invalid for a suspended or deleted user.
    const suspended = await world.newUser()
    const tokenOfSuspended = await askForReset(world, suspended.email)
    await world.query('update users set suspended_at = now() where id = $1', [suspended.id])
    assert.equal(verdict(await choose(world, tokenOfSuspended)), 'not_found')
    const gone = await world.newSession()
    const tokenOfDeleted = await askForReset(world, gone.email)
    assert.equal(
      verdict(await submitAction(world, 'deleteAccount', { typedEmail: gone.email }, { jar: gone.jar })),
      'to /signed-out',
    )
    assert.equal(verdict(await choose(world, tokenOfDeleted)), 'not_found')
  },
  { full: 'samples races' },
)

check(
  'H-232',
  'the token of a reset link reaches no log, no other site, and no Referer header',
  async (world) => {
    const { email } = await world.newUser()
    const token = await askForReset(world, email)
    const received: { url: string; referer: string | undefined }[] = []
    const site = createServer((request, response) => {
      received.push({ url: request.url ?? '', referer: request.headers.referer })
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>')
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const address = site.address()
    const elsewhere = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    const context = await (await world.browser()).newContext({ extraHTTPHeaders: { 'x-forwarded-for': randomIp() } })
    try {
      const page = await context.newPage()
      const requestedUrls: string[] = []
      page.on('request', (request) => requestedUrls.push(request.url()))
      await page.goto(`${world.app.url}/reset?token=${token}`)
      await page.getByLabel('New password').waitFor()
      await page.waitForLoadState('networkidle')
      for (const url of requestedUrls) assert.equal(new URL(url).origin, world.app.url, url)
      // Only the URL of the page itself contains the token.
      assert.deepEqual(
        requestedUrls.filter((url) => url.includes(token)),
        [`${world.app.url}/reset?token=${token}`],
      )
      const links = await page.locator('a[href]').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
      for (const link of links) assert.ok(!link.includes(token), link)
      // A link from the page to another site sends no Referer.
      await page.evaluate((href) => {
        const link = Object.assign(document.createElement('a'), { href, textContent: 'away' })
        document.body.append(link)
        link.click()
      }, `${elsewhere}/followed`)
      await page.waitForURL(`${elsewhere}/**`)
      assert.deepEqual(
        received.find(({ url }) => url === '/followed'),
        { url: '/followed', referer: undefined },
      )
      // Opening the page did not use up the token.
      assert.equal(verdict(await choose(world, token)), done)
    } finally {
      await context.close()
      site.closeAllConnections()
      await new Promise((resolve) => site.close(resolve))
    }
    assert.ok(!world.output().includes(token))
  },
  { full: 'needs a browser' },
)

check(
  'H-233',
  'a password reset ends all sessions, notifies the user by email, and starts no session',
  async (world) => {
    const other = await world.node('second')
    const { jar, ...testUser } = await world.newSession()
    const tokens = [jar.token, (await world.signIn(testUser, { node: other })).token]
    const browser = new Jar()
    const result = await choose(world, await askForReset(world, testUser.email), chosen, {}, { jar: browser })
    assert.equal(verdict(result), done)
    assert.equal(browser.token, '')
    for (const node of [world.app, other])
      for (const token of tokens) assert.equal(await world.getSession(token, node), null)
    assert.deepEqual(await world.query('select id from sessions where user_id = $1', [testUser.id]), [])
    const emails = await world.emailsTo(testUser.email)
    assert.deepEqual(
      emails.map(({ subject }) => subject),
      ['Reset your password', 'Your password was changed'],
    )
    assert.ok(!emails.some(({ text, html }) => text.includes(chosen) || html.includes(chosen)))
    const events = await world.query(
      `select details from audit_events where kind = 'password.changed' and target_id = $1`,
      [testUser.id],
    )
    assert.deepEqual(events, [{ details: { way: 'reset' } }])
  },
  { full: 'needs other servers' },
)

check('H-234', 'deleting the account requires the typed email and a recent reauthentication', async (world) => {
  const { jar, email, id } = await world.newSession()
  const other = await world.newUser()
  const before = await snapshotState(world)
  const ask = (typedEmail: unknown) => submitAction(world, 'deleteAccount', { typedEmail }, { jar })
  const wrong = [
    '',
    ' ',
    'yes',
    'DELETE',
    'delete my account',
    id,
    other.email,
    `${email}x`,
    `x${email}`,
    email.slice(1),
  ]
  for (const phrase of [...wrong, `${email} ${email}`, email.replace('@', '%'), email.replace('e', '\u0435')])
    assert.equal(verdict(await ask(phrase)), 'invalid_input', phrase)
  for (const phrase of [undefined, null, true, 1, [email], { email }, { $eq: email }])
    assert.equal(verdict(await ask(phrase)), 'invalid_input')
  assert.equal(verdict(await submitAction(world, 'deleteAccount', {}, { jar })), 'invalid_input')
  assert.equal(await snapshotState(world), before)
  await world.setReauthenticatedAgo(id, '60 minutes 1 second')
  const stale = await snapshotState(world)
  for (const phrase of [email, ...wrong]) assert.equal(verdict(await ask(phrase)), 'reauth_required', phrase)
  assert.equal(await snapshotState(world), stale)
  assert.equal((await world.getSession(jar)).user.id, id)
})

/** Every table of the database, of any schema. */
async function everyTable(world: World): Promise<string[]> {
  const rows = await world.query(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
     where relkind in ('r', 'p', 'm') and nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_'
     order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Every table with a row that contains one of these texts in any column, ignoring case. Bytes are searched as hex. */
async function findTraces(world: World, searchTexts: Map<string, string>): Promise<string[]> {
  const found: string[] = []
  for (const table of await everyTable(world)) {
    const rows = await world.query(`select lower(t::text) as row from ${table} t`)
    for (const [what, text] of searchTexts)
      if (rows.some(({ row }) => row.includes(text.toLowerCase()))) found.push(`${what} in ${table}`)
  }
  return found
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** The encodings and hashes in which a text could be stored. */
function encodingsOf(what: string, text: string): [string, string][] {
  const bytes = Buffer.from(text)
  return [
    [what, text],
    [`${what} as hex`, bytes.toString('hex')],
    [`${what} as base64`, bytes.toString('base64').replace(/=+$/, '')],
    ...(['hex', 'base64', 'base64url'] as const).map((encoding): [string, string] => [
      `the hash of ${what} as ${encoding}`,
      sha256(text).toString(encoding).replace(/=+$/, ''),
    ]),
  ]
}

/** Whether the module of a table is installed. */
const hasTable = async (world: World, table: string): Promise<boolean> =>
  (await world.query('select to_regclass($1) is not null as found', [table]))[0].found

check(
  'H-235',
  'deleting an account leaves only the user id in the audit log, in no other table, and sends an email',
  async (world) => {
    // Mixed case, as an import might have stored it: it must be found in any case.
    const email = `Ada.Lovelace-${crypto.randomUUID()}@example.com`
    const name = `Ada ${crypto.randomUUID().slice(0, 13)} Lovelace`
    const ip = randomIp()
    const testUser = await world.newUser({ email })
    const jar = await world.signIn(testUser)
    const otherJar = await world.signIn(testUser, { ip })
    const searchTexts = new Map<string, string>()
    const searchFor = (what: string, text: string) => {
      for (const [label, form] of encodingsOf(what, text)) searchTexts.set(label, form)
    }
    searchFor('the email', email.toLowerCase())
    searchFor('the email as stored', email)
    searchFor('the name', name)
    searchFor('the rate limit key', `${email.toLowerCase()} ${ip}`)

    // Everything a user can do.
    assert.equal(verdict(await submitAction(world, 'updateProfile', { name }, { jar })), 'ok')
    assert.equal((await world.trySignIn(email, wrongPassword, { ip })).status, 401)
    assert.equal((await world.trySignIn(email.toUpperCase(), wrongPassword)).status, 401)
    const reset = await askForReset(world, email)
    searchFor('the reset link', reset)
    assert.equal(verdict(await submitAction(world, 'signUp', { name, email, password })), 'ok')
    assert.equal(verdict(await change(world, jar, password, chosen)), 'ok')
    searchFor('the later reset link', await askForReset(world, email))
    assert.equal(verdict(await submitAction(world, 'updateProfile', { name: `${name} II` }, { jar })), 'ok')
    const again = await world.trySignIn(email, chosen, { ip, jar: new Jar() })
    assert.equal(again.status, 200)
    for (const to of [email, email.toLowerCase()])
      for (const { subject, text } of await world.emailsTo(to))
        for (const [, token = ''] of text.matchAll(/token=([\w-]+)/g)) searchFor(`a link of “${subject}”`, token)
    for (const [what, cookies] of [
      ['this session', jar],
      ['another session', otherJar],
    ] as const) {
      searchFor(`the token of ${what}`, cookies.token)
      searchFor(`the device of ${what}`, cookies.get(`${appSlug}.device`))
    }
    // Rows in every table that refers to the user, whether or not a feature fills them yet.
    const bytes = () => Buffer.from(crypto.randomUUID())
    const [secret, code, key, api, picture] = [bytes(), bytes(), bytes(), bytes(), bytes()]
    const future = `future-${crypto.randomUUID()}@example.com`
    const owned: [table: string, columns: string, values: unknown[]][] = [
      ['account_totp', 'secret', [String(secret)]],
      ['account_recovery_codes', 'hash', [code]],
      ['account_passkeys', 'id, public_key, counter, transports, name', [String(key), key, 7, ['usb'], name]],
      ['account_api_tokens', 'hash, name, role, expires_at', [api, name, 'viewer', new Date(Date.now() + 1e9)]],
      ['account_email_changes', 'email', [future]],
      ['account_avatars', 'data', [picture]],
      [
        'email_code_requests',
        'id, browser_hash, link_hash, email, next, expires_at',
        [crypto.randomUUID(), bytes(), bytes(), 'encrypted', '/dashboard', new Date(Date.now() + 1e9)],
      ],
      ['email_code_failures', 'failures', [7]],
      ['accounts', 'provider, provider_account_id', ['github', String(picture)]],
      ['tokens', 'hash, purpose, email, expires_at', [bytes(), 'alarm', email, new Date(Date.now() + 1e9)]],
    ]
    for (const [table, columns, values] of owned) {
      if (!(await hasTable(world, table))) continue
      await world.query(
        `insert into ${table} (user_id, ${columns}) values ($1, ${values.map((_, index) => `$${index + 2}`).join(', ')})`,
        [testUser.id, ...values],
      )
    }
    if (await hasTable(world, 'organizations_members'))
      await addOrganization(world, [
        { id: (await world.newUser({})).id, role: 'admin' },
        { id: testUser.id, role: 'viewer' },
      ])
    for (const [what, text] of Object.entries({ secret, code, key, api, picture }))
      searchFor(`the ${what}`, String(text))
    searchFor('the new email', future)
    const columns = await world.query(
      `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'user_id' order by 1`,
    )
    for (const { table_name: table } of columns) {
      const rows = await world.query(`select 1 from ${table} where user_id = $1`, [testUser.id])
      assert.ok(rows.length > 0, `this check inserts nothing into ${table}`)
    }

    // The search itself works: it finds plain text and hex.
    const traces = await findTraces(world, searchTexts)
    for (const trace of [
      'the email in public.users',
      'the email in public.signups',
      'the name in public.users',
      'the name in public.account_passkeys',
      'the hash of the token of this session as hex in public.sessions',
      'the api as hex in public.account_api_tokens',
    ])
      assert.ok(traces.includes(trace), `not found: ${trace}, but ${traces}`)

    const result = await submitAction(world, 'deleteAccount', { typedEmail: email.toUpperCase() }, { jar: jar.copy() })
    assert.equal(verdict(result), 'to /signed-out')
    // The last email waits in the job queue with the email encrypted.
    assert.deepEqual(await findTraces(world, searchTexts), [])
    const emails = await world.emailsTo(email)
    assert.equal(emails.at(-1)?.subject, 'Your account was deleted')
    assert.ok(emails.at(-1)?.text.includes(`Hello ${name} II,`))
    assert.deepEqual(await findTraces(world, searchTexts), [])
    const withId = await findTraces(world, new Map([['the id', testUser.id]]))
    assert.deepEqual(
      withId.filter((trace) => !/ in (public\.audit_events(_\w+)?|jobs\.\w+)$/.test(trace)),
      [],
    )
    const events = await world.query(
      `select kind, details from audit_events where target_id = $1 order by id desc limit 2`,
      [testUser.id],
    )
    assert.deepEqual(events[0], { kind: 'person.deleted', details: null })
    // Nor is any of it in the log.
    for (const [what, text] of searchTexts) assert.ok(!world.output().toLowerCase().includes(text.toLowerCase()), what)

    // Signing up with this email again starts from nothing.
    for (const typed of [password, chosen]) assert.equal((await world.trySignIn(email, typed)).status, 401)
    assert.equal(verdict(await choose(world, reset)), 'not_found')
    assert.equal(await world.getSession(jar), null)
    return `${searchTexts.size} texts, ${(await everyTable(world)).length} tables`
  },
  { full: 'needs other servers' },
)

check(
  'H-236',
  'the last admin cannot delete their account; one of two can',
  async (world) => {
    const place = await isolatedApp(world)
    const [node] = place.nodes
    await place.pool.query('truncate users cascade')
    const last = await place.addUser('admin')
    const ask = ({ email, jar }: Awaited<ReturnType<typeof place.addUser>>) =>
      submitAction(world, 'deleteAccount', { typedEmail: email }, { jar: jar.copy(), node })
    assert.equal(verdict(await ask(last)), 'last_admin')
    // An editor or a suspended admin does not count as another admin.
    const editor = await place.addUser('editor')
    const suspended = await place.addUser('admin')
    await place.pool.query('update users set suspended_at = now() where id = $1', [suspended.id])
    assert.equal(verdict(await ask(last)), 'last_admin')
    assert.equal((await world.getSession(last.jar, node)).user.role, 'admin')
    assert.equal(verdict(await ask(editor)), 'to /signed-out')
    const second = await place.addUser('admin')
    assert.equal(verdict(await ask(last)), 'to /signed-out')
    assert.equal(verdict(await ask(second)), 'last_admin')
    assert.equal(await place.countAdmins(), 1)
    const { rows } = await place.pool.query(`select kind, count(*)::int from audit_events group by kind`)
    assert.deepEqual(rows, [{ kind: 'person.deleted', count: 2 }])
  },
  { full: 'needs other servers' },
)
