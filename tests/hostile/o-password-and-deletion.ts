// O. Changing the password, choosing a new one by mail, deleting the account.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { hash } from '@node-rs/argon2'
import { appName } from '../../src/core/app-name.ts'
import { fieldsOf, verdict } from './actions.ts'
import { apart } from './apart.ts'
import { check } from './checks.ts'
import { Jar, someAddress } from './client.ts'
import { signInAt } from './oauth-journey.ts'
import { keepSecret } from './oracles.ts'
import { goal, image, nobody, type Person, password, someToken, submit, type World, wrongPassword } from './world.ts'

const chosen = 'an entirely different horse 3'
keepSecret(chosen)

type Node = NonNullable<Parameters<typeof submit>[3]>

const change = (world: World, jar: Jar, current: unknown, next: unknown, options: Node = {}) =>
  submit(world, 'changePassword', { current, next }, { jar, ...options })

const repeat = <T>(times: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

check('H-227', 'a wrong current password is refused and counted, over all nodes, and costs one hash', async (world) => {
  const { jar, id, email } = await world.newSession()
  const before = await image(world)
  for (let tries = 0; tries < 5; tries++) {
    const compared = await world.comparisons(async () => {
      const answer = await change(world, jar, tries % 2 ? wrongPassword : `${password} `, chosen)
      assert.deepEqual([verdict(answer), Object.keys(fieldsOf(answer))], ['invalid_credentials', ['current']])
    })
    assert.equal(compared, 1)
  }
  const other = await world.node('second')
  const compared = await world.comparisons(async () => {
    // From then on the right one does not help either, nor does another node, or the page that asks who it is.
    for (const node of [world.app, other]) {
      assert.equal(verdict(await change(world, jar, password, chosen, { node })), 'rate_limited')
      assert.equal(verdict(await submit(world, 'confirmIdentity', { password }, { jar, node })), 'rate_limited')
    }
  }, [world.app, other])
  assert.equal(compared, 0)
  const [{ count }] = await world.query(
    `select count(*)::int from audit_events where kind = 'confirmation.failed' and actor_id = $1`,
    [id],
  )
  assert.equal(count, 5)
  assert.equal(await image(world), before)
  assert.equal((await world.try(email)).status, 200)

  // Many at once find no gap.
  const crowd = await world.newSession()
  const inCrowd = await world.comparisons(
    () =>
      repeat(30, (index) =>
        change(world, crowd.jar.copy(), wrongPassword, chosen, { node: index % 2 ? other : world.app }),
      ),
    [world.app, other],
  )
  assert.ok(inCrowd <= 5, `${inCrowd} compared`)
  // Nothing that cannot be a password is compared at all; nor is one where there is none, without a decoy.
  const odd = await world.newSession()
  assert.equal(await world.comparisons(() => change(world, odd.jar, 'x'.repeat(10_000), chosen)), 0)
  await world.query('delete from passwords where user_id = $1', [odd.id])
  const without = await world.comparisons(async () =>
    assert.equal(verdict(await change(world, odd.jar, password, chosen)), 'invalid_credentials'),
  )
  assert.equal(without, 1)
})

check('H-228', 'a new password that is no better than none is refused with the reason', async (world) => {
  const short = await world.newPerson({ email: `eve@${crypto.randomUUID()}.example.com` })
  const accented = 'cr\u00e8me br\u00fbl\u00e9e 9'
  keepSecret(accented)
  const french = await world.newPerson({ hash: await hash(accented, goal) })
  const jars = new Map<string, Jar>()
  const jarOf = async ({ email }: Person, typed = password) => {
    const jar = jars.get(email) ?? new Jar()
    if (!jars.has(email)) assert.equal((await world.try(email, typed, { jar })).status, 200)
    jars.set(email, jar)
    return jar
  }
  const person = await world.newPerson()
  const refused: [Person, current: string, next: string, reason: RegExp][] = [
    [person, password, password, /the password you have/],
    [french, accented, accented.normalize('NFD'), /the password you have/],
    [person, password, 'Password123456', /everybody tries/],
    [person, password, 'qwertyuiop1234', /everybody tries/],
    [person, password, person.email, /e-mail/],
    [person, password, `my ${person.email.toUpperCase()}`, /e-mail/],
    [short, password, short.email, /e-mail/],
    [person, password, `${appName} `.repeat(Math.ceil(12 / appName.length)), /name of this app/],
    [person, password, 'x7$ pQ9 zL2', /at least 12/],
    [person, password, `${'correct horse '.repeat(9)}abc`, /at most 128/],
    [person, password, 'a horse \0 and a cart', /cannot be used/],
    [person, password, 'a horse \ud800 and a cart', /cannot be used/],
    [person, password, '', /Choose a password/],
  ]
  for (const [who, current, next, reason] of refused) {
    const jar = await jarOf(who, current)
    const before = await image(world)
    const answer = await change(world, jar, current, next)
    assert.equal(verdict(answer), 'invalid_input', next)
    assert.match(fieldsOf(answer).next?.join() ?? '', reason, next)
    assert.equal(await image(world), before, next)
  }
  // What is sent in its place is no password either.
  for (const next of [null, 7, {}, ['an entirely', 'different horse'], true])
    assert.equal(verdict(await change(world, await jarOf(person), password, next)), 'invalid_input')
})

check('H-229', 'spaces alone are no password; characters count, not the bytes that they take', async (world) => {
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
    if (next.trim()) keepSecret(next)
    assert.equal(verdict(await change(world, jar, password, next)), expected, `${[...next].length} characters`)
    assert.equal((await world.try(email, next)).status, expected === 'ok' ? 200 : 401)
  }
})

check(
  'H-230',
  'who has no password yet chooses one only when their provider has lately vouched for them, and once',
  async (world) => {
    const first = (jar: Jar, next: unknown) => submit(world, 'setFirstPassword', { password: next }, { jar })
    for (const provider of ['google', 'github'] as const) {
      const email = nobody()
      const { jar } = await signInAt(world.app, provider, email)
      const { id } = (await world.session(jar)).user
      await world.query(`update sessions set confirmed_at = now() - interval '61 minutes' where user_id = $1`, [id])
      assert.equal(verdict(await first(jar, chosen)), 'reauth_required')
      // There is no password to show instead.
      for (const typed of [chosen, password])
        assert.equal(
          verdict(await submit(world, 'confirmIdentity', { password: typed }, { jar })),
          'invalid_credentials',
        )
      assert.equal(verdict(await change(world, jar, chosen, chosen)), 'invalid_credentials')
      assert.equal(verdict(await first(jar, chosen)), 'reauth_required')
      assert.deepEqual(await world.query('select hash from passwords where user_id = $1', [id]), [])

      const { jar: fresh } = await signInAt(world.app, provider, email)
      for (const next of ['short', ' '.repeat(15), 'Password123456', email, null, [chosen]])
        assert.equal(verdict(await first(fresh, next)), 'invalid_input', String(next))
      const { token } = fresh
      assert.equal(verdict(await first(fresh, chosen)), 'to /account/password?done')
      assert.notEqual(fresh.token, token)
      for (const old of [token, jar.token]) assert.equal(await world.session(old), null)
      assert.equal((await world.session(fresh)).user.id, id)
      assert.equal((await world.try(email, chosen)).status, 200)
      assert.deepEqual(
        (await world.mailsTo(email)).map(({ subject }) => subject),
        ['Your password was changed'],
      )
      // From then on the current one is asked for.
      assert.equal(verdict(await first(fresh, 'yet another horse 8')), 'conflict')
      assert.equal((await world.try(email, 'yet another horse 8')).status, 401)
    }
    const { jar } = await world.newSession()
    assert.equal(verdict(await first(jar, chosen)), 'conflict')
    // Two at once: one of them.
    const alone = await world.newPerson({ hash: null })
    const token = someToken()
    await world.query('insert into sessions (user_id, token_hash) values ($1, sha256($2))', [
      alone.id,
      Buffer.from(token),
    ])
    const tried = Array.from({ length: 6 }, (_, index) => `first horse number ${index}`)
    const verdicts = await repeat(6, async (index) =>
      verdict(await first(new Jar({ 'plinth.session': token }), tried[index])),
    )
    assert.equal(verdicts.filter((one) => one === 'to /account/password?done').length, 1, String(verdicts))
    for (const one of verdicts) assert.match(one, /^(to \/account\/password\?done|conflict|unauthenticated)$/)
    assert.equal((await world.try(alone.email, tried[verdicts.findIndex((one) => one.startsWith('to'))])).status, 200)
  },
)

/** The token of the newest mail to choose a password with. */
async function askForReset(world: World, email: string): Promise<string> {
  assert.equal(verdict(await submit(world, 'askForReset', { email })), 'ok')
  const mails = (await world.mailsTo(email)).filter(({ subject }) => subject === 'Choose a new password')
  return /token=([\w-]{43})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? assert.fail('no link')
}
const choose = (world: World, token: string, next = chosen, more: object = {}, options: Node = {}) =>
  submit(world, 'chooseNewPassword', { token, password: next, ...more }, options)
const done = 'to /signin?notice=password_changed'

check(
  'H-231',
  'a link to choose a password works once, for its owner, for half an hour, and not after another change',
  async (world) => {
    const other = await world.node('second')
    const works = async (email: string, typed = chosen) => (await world.try(email, typed)).status === 200
    // For its owner, whoever is named; unaltered.
    const [owner, victim] = [await world.newPerson(), await world.newPerson()]
    const token = await askForReset(world, owner.email)
    const before = await image(world)
    const altered = [
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
      someToken(),
      '',
      '%',
      '\0',
    ]
    for (const wrong of altered)
      if (wrong !== token) assert.equal(verdict(await choose(world, wrong)), 'not_found', wrong)
    for (const wrong of [null, 7, [token], { token }, { $ne: null }])
      assert.equal(verdict(await choose(world, wrong as never)), 'invalid_input')
    // It is for this and for nothing else.
    assert.equal(verdict(await submit(world, 'shutEverything', { token })), 'not_found')
    assert.equal(verdict(await submit(world, 'confirmAddress', { token, password })), 'not_found')
    assert.equal(await image(world), before)
    // A password that is refused does not use it up.
    assert.equal(verdict(await choose(world, token, 'short')), 'invalid_input')
    const named = { email: victim.email, userId: victim.id, id: victim.id }
    assert.equal(verdict(await choose(world, token, chosen, named)), done)
    assert.deepEqual(
      [await works(owner.email), await works(victim.email), await works(victim.email, password)],
      [true, false, true],
    )
    assert.equal(verdict(await choose(world, token, 'yet another horse 8')), 'not_found')

    // For half an hour, by the database's clock.
    const late = await world.newPerson()
    const old = await askForReset(world, late.email)
    const [{ minutes }] = await world.query(
      `select extract(epoch from expires_at - now())::float / 60 as minutes from tokens where user_id = $1 and purpose = 'reset'`,
      [late.id],
    )
    assert.ok(minutes > 29 && minutes <= 30, `${minutes} minutes`)
    await world.query(`update tokens set expires_at = expires_at - interval '30 minutes 1 second' where user_id = $1`, [
      late.id,
    ])
    assert.equal(verdict(await choose(world, old)), 'not_found')

    // Ten at the same moment: one of them.
    for (let round = 0; round < 3; round++) {
      const crowded = await world.newPerson()
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

    // Every other link is dead once the password was changed, in whichever way.
    const changer = await world.newSession()
    const links = [await askForReset(world, changer.email), await askForReset(world, changer.email)]
    assert.equal(verdict(await change(world, changer.jar, password, chosen)), 'ok')
    for (const link of links) assert.equal(verdict(await choose(world, link, 'yet another horse 8')), 'not_found')
    const resetter = await world.newPerson()
    const [first, second] = [await askForReset(world, resetter.email), await askForReset(world, resetter.email)]
    assert.equal(verdict(await choose(world, first)), done)
    assert.equal(verdict(await choose(world, second, 'yet another horse 8')), 'not_found')
    // Nor does one outlive the address that it was sent to.
    const mover = await world.newPerson()
    const sent = await askForReset(world, mover.email)
    const moving = someToken()
    await world.query(
      `insert into tokens (hash, purpose, user_id, email, expires_at) values ($1, 'account.email', $2, $3, now() + interval '1 hour')`,
      [sha256(moving), mover.id, nobody()],
    )
    assert.equal(verdict(await submit(world, 'confirmEmail', { token: moving })), 'ok')
    assert.equal(verdict(await choose(world, sent)), 'not_found')
    // Nor does one work for somebody who is suspended or gone.
    const suspended = await world.newPerson()
    const hers = await askForReset(world, suspended.email)
    await world.query('update users set suspended_at = now() where id = $1', [suspended.id])
    assert.equal(verdict(await choose(world, hers)), 'not_found')
    const gone = await world.newSession()
    const his = await askForReset(world, gone.email)
    assert.equal(
      verdict(await submit(world, 'deleteAccount', { confirmation: gone.email }, { jar: gone.jar })),
      'to /signed-out',
    )
    assert.equal(verdict(await choose(world, his)), 'not_found')
  },
)

check(
  'H-232',
  'the token of a link reaches no log, no other site, and no other site’s idea of where somebody came from',
  async (world) => {
    const { email } = await world.newPerson()
    const token = await askForReset(world, email)
    const received: { url: string; referer: string | undefined }[] = []
    const site = createServer((request, response) => {
      received.push({ url: request.url ?? '', referer: request.headers.referer })
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>')
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const address = site.address()
    const elsewhere = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    const context = await (await world.browser()).newContext({ extraHTTPHeaders: { 'x-forwarded-for': someAddress() } })
    try {
      const page = await context.newPage()
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.goto(`${world.app.url}/reset?token=${token}`)
      await page.getByLabel('New password').waitFor()
      await page.waitForLoadState('networkidle')
      for (const url of asked) assert.equal(new URL(url).origin, world.app.url, url)
      // The address of the page itself is the only one that holds it.
      assert.deepEqual(
        asked.filter((url) => url.includes(token)),
        [`${world.app.url}/reset?token=${token}`],
      )
      const links = await page.locator('a[href]').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
      for (const link of links) assert.ok(!link.includes(token), link)
      // A link of the page to another site, and a form of it: neither says where it came from.
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
      // What was given away after all would work still: it was looked at, not used.
      assert.equal(verdict(await choose(world, token)), done)
    } finally {
      await context.close()
      site.closeAllConnections()
      await new Promise((resolve) => site.close(resolve))
    }
    assert.ok(!world.output().includes(token))
  },
)

check('H-233', 'a new password by mail ends all sessions, tells the owner, and signs nobody in', async (world) => {
  const other = await world.node('second')
  const { jar, ...person } = await world.newSession()
  const tokens = [jar.token, (await world.signIn(person, { node: other })).token]
  const browser = new Jar()
  const answer = await choose(world, await askForReset(world, person.email), chosen, {}, { jar: browser })
  assert.equal(verdict(answer), done)
  assert.equal(browser.token, '')
  for (const node of [world.app, other])
    for (const token of tokens) assert.equal(await world.session(token, node), null)
  assert.deepEqual(await world.query('select id from sessions where user_id = $1', [person.id]), [])
  const mails = await world.mailsTo(person.email)
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['Choose a new password', 'Your password was changed'],
  )
  assert.ok(!mails.some(({ text, html }) => text.includes(chosen) || html.includes(chosen)))
  const events = await world.query(
    `select details from audit_events where kind = 'password.changed' and target_id = $1`,
    [person.id],
  )
  assert.deepEqual(events, [{ details: { way: 'reset' } }])
})

check('H-234', 'deleting wants somebody who is sure, and lately shown to be them', async (world) => {
  const { jar, email, id } = await world.newSession()
  const other = await world.newPerson()
  const before = await image(world)
  const ask = (confirmation: unknown) => submit(world, 'deleteAccount', { confirmation }, { jar })
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
  assert.equal(verdict(await submit(world, 'deleteAccount', {}, { jar })), 'invalid_input')
  assert.equal(await image(world), before)
  await world.query(`update sessions set confirmed_at = now() - interval '60 minutes 1 second' where user_id = $1`, [
    id,
  ])
  const stale = await image(world)
  for (const phrase of [email, ...wrong]) assert.equal(verdict(await ask(phrase)), 'reauth_required', phrase)
  assert.equal(await image(world), stale)
  assert.equal((await world.session(jar)).user.id, id)
})

/** Every table of the database, whoever made it. */
async function everyTable(world: World): Promise<string[]> {
  const rows = await world.query(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
     where relkind in ('r', 'p', 'm') and nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_'
     order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Where any of these texts stands, in any column of any row, in whatever case: table by table. Bytes are read as hex. */
async function findTraces(world: World, needles: Map<string, string>): Promise<string[]> {
  const found: string[] = []
  for (const table of await everyTable(world)) {
    const rows = await world.query(`select lower(t::text) as row from ${table} t`)
    for (const [what, text] of needles)
      if (rows.some(({ row }) => row.includes(text.toLowerCase()))) found.push(`${what} in ${table}`)
  }
  return found
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** A text in the ways in which somebody could store it and find it again. */
function forms(what: string, text: string): [string, string][] {
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

check(
  'H-235',
  'deleting an account leaves nothing of anybody in any table but an id in the audit log, and tells them by mail',
  async (world) => {
    // In letters that an import might have brought, to be found in any.
    const email = `Ada.Lovelace-${crypto.randomUUID()}@example.com`
    const name = `Ada ${crypto.randomUUID().slice(0, 13)} Lovelace`
    const address = someAddress()
    const person = await world.newPerson({ email })
    const jar = await world.signIn(person)
    const elsewhere = await world.signIn(person, { address })
    const needles = new Map<string, string>()
    const look = (what: string, text: string) => {
      for (const [label, form] of forms(what, text)) needles.set(label, form)
    }
    look('the address', email.toLowerCase())
    look('the address as stored', email)
    look('the name', name)
    look('the pair that is counted', `${email.toLowerCase()} ${address}`)

    // Everything that somebody does.
    assert.equal(verdict(await submit(world, 'updateProfile', { name }, { jar })), 'ok')
    assert.equal((await world.try(email, wrongPassword, { address })).status, 401)
    assert.equal((await world.try(email.toUpperCase(), wrongPassword)).status, 401)
    const reset = await askForReset(world, email)
    look('the link to choose a password', reset)
    assert.equal(verdict(await submit(world, 'signUp', { name, email, password })), 'ok')
    assert.equal(verdict(await change(world, jar, password, chosen)), 'ok')
    look('the link to choose a password, later', await askForReset(world, email))
    assert.equal(verdict(await submit(world, 'updateProfile', { name: `${name} II` }, { jar })), 'ok')
    const again = await world.try(email, chosen, { address, jar: new Jar() })
    assert.equal(again.status, 200)
    for (const to of [email, email.toLowerCase()])
      for (const mail of await world.mailsTo(to))
        for (const [, token = ''] of mail.text.matchAll(/token=([\w-]+)/g)) look(`a link of “${mail.subject}”`, token)
    for (const [what, cookies] of [
      ['this session', jar],
      ['another session', elsewhere],
    ] as const) {
      look(`the token of ${what}`, cookies.token)
      look(`the device of ${what}`, cookies.get('plinth.device'))
    }
    // What the module's tables hold of somebody, whether or not there is a way yet to put it there.
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
      ['accounts', 'provider, provider_account_id', ['github', String(picture)]],
      ['tokens', 'hash, purpose, email, expires_at', [bytes(), 'alarm', email, new Date(Date.now() + 1e9)]],
    ]
    for (const [table, columns, values] of owned)
      await world.query(
        `insert into ${table} (user_id, ${columns}) values ($1, ${values.map((_, index) => `$${index + 2}`).join(', ')})`,
        [person.id, ...values],
      )
    for (const [what, text] of Object.entries({ secret, code, key, api, picture })) look(`the ${what}`, String(text))
    look('the next address', future)
    const columns = await world.query(
      `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'user_id' order by 1`,
    )
    for (const { table_name: table } of columns) {
      const rows = await world.query(`select 1 from ${table} where user_id = $1`, [person.id])
      assert.ok(rows.length > 0, `this check puts nothing into ${table}`)
    }

    // The search finds what is there: as it stands, and as hex.
    const there = await findTraces(world, needles)
    for (const trace of [
      'the address in public.users',
      'the address in public.signups',
      'the name in public.users',
      'the name in public.account_passkeys',
      'the hash of the token of this session as hex in public.sessions',
      'the api as hex in public.account_api_tokens',
    ])
      assert.ok(there.includes(trace), `not found: ${trace}, but ${there}`)

    const answer = await submit(world, 'deleteAccount', { confirmation: email.toUpperCase() }, { jar: jar.copy() })
    assert.equal(verdict(answer), 'to /signed-out')
    // Until it is sent, the last mail waits with the address in it, sealed.
    assert.deepEqual(await findTraces(world, needles), [])
    const mails = await world.mailsTo(email)
    assert.equal(mails.at(-1)?.subject, 'Your account was deleted')
    assert.ok(mails.at(-1)?.text.includes(`Hello ${name} II,`))
    assert.deepEqual(await findTraces(world, needles), [])
    const withId = await findTraces(world, new Map([['the id', person.id]]))
    assert.deepEqual(
      withId.filter((trace) => !/ in (public\.audit_events(_\w+)?|jobs\.\w+)$/.test(trace)),
      [],
    )
    const events = await world.query(
      `select kind, details from audit_events where target_id = $1 order by id desc limit 2`,
      [person.id],
    )
    assert.deepEqual(events[0], { kind: 'person.deleted', details: null })
    // Nor was anything of it written to the log.
    for (const [what, text] of needles) assert.ok(!world.output().toLowerCase().includes(text.toLowerCase()), what)

    // Whoever has the address next starts from nothing.
    for (const typed of [password, chosen]) assert.equal((await world.try(email, typed)).status, 401)
    assert.equal(verdict(await choose(world, reset)), 'not_found')
    assert.equal(await world.session(jar), null)
    return `${needles.size} texts, ${(await everyTable(world)).length} tables`
  },
)

check('H-236', 'the last admin cannot delete their account; one of two can', async (world) => {
  const place = await apart(world)
  const [node] = place.nodes
  await place.pool.query('truncate users cascade')
  const last = await place.add('admin')
  const ask = ({ email, jar }: Awaited<ReturnType<typeof place.add>>) =>
    submit(world, 'deleteAccount', { confirmation: email }, { jar: jar.copy(), node })
  assert.equal(verdict(await ask(last)), 'last_admin')
  // Nobody else makes up for them: an editor, or an admin who cannot get in.
  const editor = await place.add('editor')
  const suspended = await place.add('admin')
  await place.pool.query('update users set suspended_at = now() where id = $1', [suspended.id])
  assert.equal(verdict(await ask(last)), 'last_admin')
  assert.equal((await world.session(last.jar, node)).user.role, 'admin')
  assert.equal(verdict(await ask(editor)), 'to /signed-out')
  const second = await place.add('admin')
  assert.equal(verdict(await ask(last)), 'to /signed-out')
  assert.equal(verdict(await ask(second)), 'last_admin')
  assert.equal(await place.countAdmins(), 1)
  const { rows } = await place.pool.query(`select kind, count(*)::int from audit_events group by kind`)
  assert.deepEqual(rows, [{ kind: 'person.deleted', count: 2 }])
})
