// User enumeration: whether responses or their timing reveal who has an account and how they sign in.
import assert from 'node:assert/strict'
import { hash } from '@node-rs/argon2'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, checkModule } from '../../app/support/checks.ts'
import { type HttpResponse, Jar } from '../../app/support/http-client.ts'
import { verdict } from '../../app/support/server-actions.ts'
import { hashOptions, password, unusedEmail, type World, wrongPassword } from '../../app/support/test-world.ts'
import { signInWithProvider } from './support/oauth-flow.ts'
import { mannWhitney, median, percentile } from './support/statistics.ts'

/** The six kinds of failed sign-in, each with the email and password to send. */
async function failedSignIns(world: World): Promise<[what: string, email: string, typed: string][]> {
  const deleted = await world.newUser()
  await world.query('delete from users where id = $1', [deleted.id])
  return [
    ['unknown', unusedEmail(), password],
    ['wrong password', (await world.newUser()).email, wrongPassword],
    ['no password', (await world.newUser({ hash: null })).email, password],
    ['suspended', (await world.newUser({ isSuspended: true })).email, password],
    ['deleted', deleted.email, password],
    ['unverified', (await world.newUser({ isVerified: false })).email, password],
  ]
}

check('H-061', 'all six kinds of failed sign-in get byte-identical responses, headers included', async (world) => {
  for (const redirect of [true, false]) {
    const seen = new Map<string, string>()
    for (const [what, email, typed] of await failedSignIns(world)) {
      const response = await world.get('/api/auth/signin', {
        body: { email, password: typed, redirect },
        headers: { 'X-Request-Id': 'the-same-for-all' },
      })
      const head = response.head.replace(/^Date: .*$/im, '')
      seen.set(`${response.status}\n${head}\n\n${response.text}`, what)
    }
    assert.deepEqual([...seen.keys()].length, 1, [...seen].map(([text, what]) => `${what}:\n${text}`).join('\n\n'))
  }
})

check('H-062', 'each kind of failed sign-in compares exactly one password', async (world) => {
  await world.trySignIn(unusedEmail()) // the first request on a node also creates the dummy hash for unknown users
  for (const [what, email, typed] of await failedSignIns(world))
    assert.equal(await world.countPasswordComparisons(() => world.trySignIn(email, typed)), 1, what)
})

interface TimingComparison {
  p: number
  difference: number
  medians: [number, number]
}

/** Measures two kinds of sign-in attempts in alternation, with the given number of concurrent clients. */
async function compareTiming(
  world: World,
  samples: number,
  clients: number,
  first: () => string,
  second: () => string,
) {
  const times: [number[], number[]] = [[], []]
  const ask = async (kind: 0 | 1) => {
    let response: HttpResponse
    // A slow machine sheds load with 503 before it looks up the user; retry.
    do response = await world.trySignIn(kind === 0 ? first() : second(), wrongPassword)
    while (response.status === 503 && clients > 1)
    assert.equal(response.status, 401, response.text)
    times[kind].push(response.milliseconds)
  }
  let left = samples
  const client = async () => {
    while (left-- > 0) {
      // In pairs and in random order, so that other load on the machine affects both kinds equally.
      const order: [0 | 1, 0 | 1] = Math.random() < 0.5 ? [0, 1] : [1, 0]
      for (const kind of order) await ask(kind)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const medians: [number, number] = [median(times[0]), median(times[1])]
  return { p: mannWhitney(...times), difference: Math.abs(medians[0] - medians[1]), medians } satisfies TimingComparison
}

const formatTiming = ({ p, difference, medians }: TimingComparison) =>
  `medians ${medians.map((value) => value.toFixed(2)).join(' and ')} ms, diff ${difference.toFixed(2)} ms, p = ${p.toFixed(3)}`

/** Chance alone gives p < 0.01 in one of 100 runs, more often on a busy machine: `assertFast` allows retries. */
function expectSame(result: TimingComparison): string {
  const maxDifference = Math.max(5, Math.min(...result.medians) / 10)
  assertFast(result.p > 0.01 && result.difference < maxDifference, `timing differs: ${formatTiming(result)}`)
  return formatTiming(result)
}

/** A different user for every attempt, so that no rate limit applies and no cache favors one kind. */
async function unknownAndKnownEmails(world: World, count: number) {
  const emails = (await world.newUsers(count)).map(({ email }) => email)
  return { unknown: unusedEmail, known: () => emails.pop() ?? assert.fail('too few users') }
}

check(
  'H-063',
  'an unknown email takes as long as a wrong password (200 of each, alternating)',
  async (world) => {
    const { unknown, known } = await unknownAndKnownEmails(world, 200)
    return expectSame(await compareTiming(world, 200, 1, unknown, known))
  },
  { full: 'measures time or memory' },
)

check(
  'H-064',
  'an unknown email takes as long as a wrong password with 20 concurrent clients',
  async (world) => {
    const { unknown, known } = await unknownAndKnownEmails(world, 1_000)
    return expectSame(await compareTiming(world, 200, 20, unknown, known))
  },
  { full: 'measures time or memory' },
)

check(
  'H-065',
  'an outdated hash differs in timing only until its user signs in once and it is rehashed',
  async (world) => {
    const weak = await hash(password, { ...hashOptions, memoryCost: 4096 })
    const emails = (await world.newUsers(240)).map(({ email }) => email)
    await world.query('update passwords set hash = $2 from users where id = user_id and email = any($1)', [
      emails,
      weak,
    ])
    const outdated = [...emails]
    const residual = await compareTiming(
      world,
      60,
      1,
      unusedEmail,
      () => outdated.pop() ?? assert.fail('too few users'),
    )
    // Outdated hashes are only ever faster: the dummy hash for unknown users has the current parameters.
    assertFast(residual.medians[1] < residual.medians[0] * 1.1, formatTiming(residual))

    const owners = emails.slice(0, 60)
    for (const email of owners) assert.equal((await world.trySignIn(email)).status, 200)
    const again = [...owners]
    const rehashed = expectSame(
      await compareTiming(world, 60, 1, unusedEmail, () => again.pop() ?? assert.fail('too few users')),
    )
    return `outdated: ${formatTiming(residual)}; after rehash: ${rehashed}`
  },
  { full: 'measures time or memory' },
)

/** Calls an action with each kind of email in turn; results and timing must be the same for all kinds. */
async function assertSameResponses(
  rounds: number,
  kinds: Record<string, () => Promise<string>>,
  ask: (email: string) => Promise<HttpResponse & { value: unknown }>,
): Promise<string> {
  const results = new Set<string>()
  const times: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    // In random order, so that side effects of the previous request, such as sending its email, affect all kinds equally.
    const shuffled = Object.entries(kinds).sort(() => Math.random() - 0.5)
    for (const [kind, newEmail] of shuffled) {
      const email = await newEmail()
      const response = await ask(email)
      results.add(`${response.status} ${JSON.stringify(response.value).replaceAll(email, '(email)')}`)
      times[kind] = [...(times[kind] ?? []), response.milliseconds]
    }
  }
  assert.equal(results.size, 1, [...results].join('\n'))
  const kindTimes = Object.entries(times)
  // Lower quartiles: a busy machine only ever adds time, and adds least to these.
  const measured = kindTimes.map(([kind, values]) => `${kind} ${percentile(values, 0.25).toFixed(1)} ms`).join(', ')
  // By chance one of a thousand comparisons has such a p, and every kind is compared with every other.
  const differs = (first: number[], second: number[]) =>
    Math.abs(percentile(first, 0.25) - percentile(second, 0.25)) > 5 && mannWhitney(first, second) < 0.001
  assertFast(!kindTimes.some(([, first]) => kindTimes.some(([, second]) => differs(first, second))), measured)
  return measured
}

check(
  'H-066',
  'sign-up responds the same for a known and a new email; only the owner of the email is told',
  async (world) => {
    const asked: string[] = []
    const known = async () => {
      const { email } = await world.newUser()
      asked.push(email)
      return email
    }
    const measured = await assertSameResponses(25, { known, unknown: async () => unusedEmail() }, (email) =>
      submitAction(world, 'signUp', { email, name: '', password }, { path: '/signup' }),
    )
    for (const email of asked.slice(0, 5)) {
      const emails = await world.emailsTo(email)
      assert.deepEqual(
        emails.map(({ subject, text }) => [subject, text.includes('token=')]),
        [['You already have an account', false]],
      )
    }
    return measured
  },
  { full: 'measures time or memory' },
)

check(
  'H-067',
  'a password reset request responds the same for every email; only users with an account get an email',
  async (world) => {
    const kinds: Record<string, () => Promise<string>> = {
      known: async () => (await world.newUser()).email,
      'without a password': async () => (await world.newUser({ hash: null })).email,
      suspended: async () => (await world.newUser({ isSuspended: true })).email,
      unknown: async () => unusedEmail(),
    }
    const measured = await assertSameResponses(25, kinds, (email) =>
      submitAction(world, 'askForReset', { email }, { path: '/forgot' }),
    )
    const counts: Record<string, number> = {}
    for (const [kind, newEmail] of Object.entries(kinds)) {
      const email = await newEmail()
      await submitAction(world, 'askForReset', { email }, { path: '/forgot' })
      counts[kind] = (await world.emailsTo(email)).length
    }
    assert.deepEqual(counts, { known: 1, 'without a password': 1, suspended: 0, unknown: 0 })
    return measured
  },
  { full: 'measures time or memory' },
)

check(
  'H-068',
  'an OAuth sign-in with an existing user’s email is rejected without revealing their sign-in methods',
  async (world) => {
    const results = new Set<string>()
    for (const kind of [{}, { hash: null }]) {
      const { email, id } = await world.newUser(kind)
      for (const provider of ['google', 'github'] as const) {
        const { result: response, jar } = await signInWithProvider(world.app, provider, email)
        const location = response.headers.location ?? ''
        assert.equal(response.status, 302)
        assert.match(location, /^\/signin\?error=OAuthAccountNotLinked&callbackUrl=%2Fconnect%2F(google|github)$/)
        const { pathname, search } = new URL(location, world.app.url)
        const page = await world.get(pathname + search)
        const alert = /role="alert"[^>]*>([^<]+)</.exec(page.text)?.[1] ?? ''
        assert.notEqual(alert, '')
        assert.doesNotMatch(alert, /google|github|password/i)
        results.add(alert)
        assert.equal(await world.getSession(jar), null)
        assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [id]), [])
      }
    }
    assert.equal(results.size, 1)
  },
  { full: 'takes long' },
)

check('H-069', 'known and unknown emails are rate limited at the same attempt', async (world) => {
  const statuses = async (email: string, ip?: string) => {
    const seen: number[] = []
    for (let tries = 0; tries < 12; tries++)
      seen.push((await world.trySignIn(email, wrongPassword, ip ? { ip } : {})).status)
    return seen
  }
  for (const ip of [undefined, '198.51.100.7']) {
    const statusesFor = async (email: string) => {
      await world.query('delete from rate_limits')
      return statuses(email, ip)
    }
    const known = await statusesFor((await world.newUser()).email)
    for (const email of [
      unusedEmail(),
      (await world.newUser({ hash: null })).email,
      (await world.newUser({ isSuspended: true })).email,
    ])
      assert.deepEqual(await statusesFor(email), known)
    assert.equal(known.indexOf(429), ip ? 5 : 10)
  }
})

check('H-070', 'an action with another user’s id returns the same result whether the id exists', async (world) => {
  const [user, other] = [await world.newSession(), await world.newSession()]
  const [{ id: sessionId }] = await world.query('select id from sessions where user_id = $1', [other.id])
  const results = new Set<string>()
  for (const id of [sessionId, other.id, crypto.randomUUID()]) {
    const { status, value } = await submitAction(world, 'endSession', { id }, { jar: user.jar })
    results.add(JSON.stringify([status, value]))
  }
  assert.equal(results.size, 1, String([...results]))
  assert.equal((await world.getSession(other.jar)).user.id, other.id)
})

checkModule(
  'email-code',
  'H-391',
  'a request for an email code responds the same for every email; only users with an account get an email',
  async (world) => {
    const kinds: Record<string, () => Promise<string>> = {
      known: async () => (await world.newUser()).email,
      'without a password': async () => (await world.newUser({ hash: null })).email,
      suspended: async () => (await world.newUser({ isSuspended: true })).email,
      unverified: async () => (await world.newUser({ isVerified: false })).email,
      unknown: async () => unusedEmail(),
    }
    const requestCode = async (email: string) => {
      const response = await submitAction(world, 'requestEmailCode', { email }, { path: '/signin/email' })
      return { ...response, value: verdict(response) }
    }
    const measured = await assertSameResponses(25, kinds, requestCode)
    const counts: Record<string, number> = {}
    for (const [kind, newEmail] of Object.entries(kinds)) {
      const email = await newEmail()
      assert.equal((await requestCode(email)).value, 'to /signin/email/code')
      counts[kind] = (await world.emailsTo(email)).length
    }
    assert.deepEqual(counts, { known: 1, 'without a password': 1, suspended: 0, unverified: 0, unknown: 0 })
    return measured
  },
  { full: 'measures time or memory' },
)

checkModule(
  'email-code',
  'H-392',
  'five wrong email codes are counted exactly over two nodes, and look the same for a known and an unknown email',
  async (world) => {
    const otherNode = await world.node('another for email codes')
    const results = new Set<string>()
    for (const email of [(await world.newUser()).email, unusedEmail()]) {
      const jar = new Jar()
      await submitAction(world, 'requestEmailCode', { email }, { path: '/signin/email', jar })
      const attempts = Array.from({ length: 20 }, (_, index) =>
        submitAction(
          world,
          'enterEmailCode',
          { code: '000000' },
          { path: '/signin/email/code', jar: jar.copy(), node: index % 2 === 0 ? world.app : otherNode },
        ),
      )
      const values = (await Promise.all(attempts)).map(({ status, value }) => `${status} ${JSON.stringify(value)}`)
      assert.equal(values.filter((value) => value.includes('Incorrect code')).length, 5, values.join('\n'))
      assert.equal(values.filter((value) => value.includes('Too many incorrect codes')).length, 15, values.join('\n'))
      results.add(values.sort().join('\n'))
    }
    assert.equal(results.size, 1, [...results].join('\n\n'))
  },
  { full: 'needs other servers' },
)
