// D. Can somebody find out who has an account, and how they sign in?
import assert from 'node:assert/strict'
import { hash } from '@node-rs/argon2'
import { assertSoon, check } from './checks.ts'
import type { Answer } from './client.ts'
import { signInAt } from './oauth-journey.ts'
import { mannWhitney, median } from './statistics.ts'
import { goal, nobody, password, submit, type World, wrongPassword } from './world.ts'

/** The six kinds of "no", each with what is typed. */
async function sixKinds(world: World): Promise<[what: string, email: string, typed: string][]> {
  const deleted = await world.newPerson()
  await world.query('delete from users where id = $1', [deleted.id])
  return [
    ['unknown', nobody(), password],
    ['wrong password', (await world.newPerson()).email, wrongPassword],
    ['no password', (await world.newPerson({ hash: null })).email, password],
    ['suspended', (await world.newPerson({ isSuspended: true })).email, password],
    ['deleted', deleted.email, password],
    ['unproved', (await world.newPerson({ isVerified: false })).email, password],
  ]
}

check('H-061', 'all six kinds of no are the same to the byte, headers included', async (world) => {
  for (const redirect of [true, false]) {
    const seen = new Map<string, string>()
    for (const [what, email, typed] of await sixKinds(world)) {
      const answer = await world.get('/api/auth/signin', {
        body: { email, password: typed, redirect },
        headers: { 'X-Request-Id': 'the-same-for-all' },
      })
      const head = answer.head.replace(/^Date: .*$/im, '')
      seen.set(`${answer.status}\n${head}\n\n${answer.text}`, what)
    }
    assert.deepEqual([...seen.keys()].length, 1, [...seen].map(([text, what]) => `${what}:\n${text}`).join('\n\n'))
  }
})

check('H-062', 'each of the six kinds compares exactly one password', async (world) => {
  await world.try(nobody()) // the first one on a node also makes what unknown people are compared with
  for (const [what, email, typed] of await sixKinds(world))
    assert.equal(await world.comparisons(() => world.try(email, typed)), 1, what)
})

interface Compared {
  p: number
  difference: number
  medians: [number, number]
}

/** Times two kinds of tries in turn, by so many clients at once. */
async function timeApart(world: World, samples: number, clients: number, first: () => string, second: () => string) {
  const times: [number[], number[]] = [[], []]
  const ask = async (kind: 0 | 1) => {
    let answer: Answer
    // On a slow machine a crowd is told to come back, before anybody is looked at: that is asked again.
    do answer = await world.try(kind === 0 ? first() : second(), wrongPassword)
    while (answer.status === 503 && clients > 1)
    assert.equal(answer.status, 401, answer.text)
    times[kind].push(answer.milliseconds)
  }
  let left = samples
  const client = async () => {
    while (left-- > 0) {
      // In pairs, and in either order, so that whatever else the machine does falls on both alike.
      const order: [0 | 1, 0 | 1] = Math.random() < 0.5 ? [0, 1] : [1, 0]
      for (const kind of order) await ask(kind)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const medians: [number, number] = [median(times[0]), median(times[1])]
  return { p: mannWhitney(...times), difference: Math.abs(medians[0] - medians[1]), medians } satisfies Compared
}

const inWords = ({ p, difference, medians }: Compared) =>
  `medians ${medians.map((value) => value.toFixed(2)).join(' and ')} ms, apart ${difference.toFixed(2)} ms, p = ${p.toFixed(3)}`

/**
 * Chance alone gives p < 0.01 in one of a hundred runs, and a machine with other work to do more often. What really is
 * slower shows in every round.
 */
async function expectSame(measure: () => Promise<Compared>): Promise<string> {
  const rounds: Compared[] = []
  for (let round = 0; round < 3; round++) {
    const result = await measure()
    rounds.push(result)
    const most = Math.max(5, Math.min(...result.medians) / 10)
    if (result.p > 0.01 && result.difference < most) return inWords(result)
  }
  throw new Error(`told apart three times: ${rounds.map(inWords).join('; ')}`)
}

/** Somebody else for every try: no limit is met, and nothing is warm for one kind only. */
async function strangersAndPeople(world: World, count: number) {
  const people = (await world.newPeople(count)).map(({ email }) => email)
  return { unknown: nobody, known: () => people.pop() ?? assert.fail('too few people') }
}

check('H-063', 'an unknown address takes as long as a wrong password: 200 of each, in turn', async (world) => {
  return expectSame(async () => {
    const { unknown, known } = await strangersAndPeople(world, 200)
    return timeApart(world, 200, 1, unknown, known)
  })
})

check('H-064', 'an unknown address takes as long as a wrong password while 20 clients ask at once', async (world) => {
  return expectSame(async () => {
    const { unknown, known } = await strangersAndPeople(world, 1_000)
    return timeApart(world, 200, 20, unknown, known)
  })
})

check(
  'H-065',
  'an outdated hash is told apart only until its owner signs in once, and then not any more',
  async (world) => {
    const weak = await hash(password, { ...goal, memoryCost: 4096 })
    const people = (await world.newPeople(240)).map(({ email }) => email)
    await world.query('update passwords set hash = $2 from users where id = user_id and email = any($1)', [
      people,
      weak,
    ])
    const outdated = [...people]
    const residual = await timeApart(world, 60, 1, nobody, () => outdated.pop() ?? assert.fail('too few people'))
    // Less work, never more: what unknown people are compared with has the parameters of now.
    assertSoon(residual.medians[1] < residual.medians[0] * 1.1, inWords(residual))

    const owners = people.slice(0, 60)
    for (const email of owners) assert.equal((await world.try(email)).status, 200)
    const renewed = await expectSame(() => {
      const again = [...owners]
      return timeApart(world, 60, 1, nobody, () => again.pop() ?? assert.fail('too few people'))
    })
    return `outdated: ${inWords(residual)}; once renewed: ${renewed}`
  },
)

/** What an action says, and how long it takes, to each kind of address in turn; all must be alike. */
async function answersAlike(
  rounds: number,
  kinds: Record<string, () => Promise<string>>,
  ask: (email: string) => Promise<Answer & { value: unknown }>,
): Promise<string> {
  const said = new Set<string>()
  const times: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    // Each kind is first as often as last, so that whatever comes after another falls on all alike.
    const inTurn = Object.entries(kinds)
    for (const [kind, newEmail] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
      const email = await newEmail()
      const answer = await ask(email)
      said.add(`${answer.status} ${JSON.stringify(answer.value).replaceAll(email, '(address)')}`)
      times[kind] = [...(times[kind] ?? []), answer.milliseconds]
    }
  }
  assert.equal(said.size, 1, [...said].join('\n'))
  const medians = Object.entries(times).map(([kind, values]) => [kind, median(values)] as const)
  const all = medians.map(([, value]) => value)
  const measured = medians.map(([kind, value]) => `${kind} ${value.toFixed(1)} ms`).join(', ')
  assertSoon(Math.max(...all) - Math.min(...all) < Math.max(10, Math.min(...all) / 5), measured)
  return measured
}

check(
  'H-066',
  'signing up with a known address looks like signing up with a new one, and only its owner learns it',
  async (world) => {
    const asked: string[] = []
    const known = async () => {
      const { email } = await world.newPerson()
      asked.push(email)
      return email
    }
    const measured = await answersAlike(25, { known, unknown: async () => nobody() }, (email) =>
      submit(world, 'signUp', { email, name: '', password }, { path: '/signup' }),
    )
    for (const email of asked.slice(0, 5)) {
      const mails = await world.mailsTo(email)
      assert.deepEqual(
        mails.map(({ subject, text }) => [subject, text.includes('token=')]),
        [['You already have an account', false]],
      )
    }
    return measured
  },
)

check(
  'H-067',
  'asking for a new password looks the same for everybody; whoever has an account gets a mail, and nobody else',
  async (world) => {
    const kinds: Record<string, () => Promise<string>> = {
      known: async () => (await world.newPerson()).email,
      'without a password': async () => (await world.newPerson({ hash: null })).email,
      suspended: async () => (await world.newPerson({ isSuspended: true })).email,
      unknown: async () => nobody(),
    }
    const measured = await answersAlike(25, kinds, (email) =>
      submit(world, 'askForReset', { email }, { path: '/forgot' }),
    )
    const counts: Record<string, number> = {}
    for (const [kind, newEmail] of Object.entries(kinds)) {
      const email = await newEmail()
      await submit(world, 'askForReset', { email }, { path: '/forgot' })
      counts[kind] = (await world.mailsTo(email)).length
    }
    assert.deepEqual(counts, { known: 1, 'without a password': 1, suspended: 0, unknown: 0 })
    return measured
  },
)

check(
  'H-068',
  'a provider’s identity with somebody’s address is sent away without a word about how they sign in',
  async (world) => {
    const said = new Set<string>()
    for (const kind of [{}, { hash: null }]) {
      const { email, id } = await world.newPerson(kind)
      for (const provider of ['google', 'github'] as const) {
        const { answer, jar } = await signInAt(world.app, provider, email)
        const location = answer.headers.location ?? ''
        assert.equal(answer.status, 302)
        assert.match(location, /^\/signin\?error=OAuthAccountNotLinked&callbackUrl=%2Fconnect%2F(google|github)$/)
        const { pathname, search } = new URL(location, world.app.url)
        const page = await world.get(pathname + search)
        const alert = /role="alert"[^>]*>([^<]+)</.exec(page.text)?.[1] ?? ''
        assert.notEqual(alert, '')
        assert.doesNotMatch(alert, /google|github|password/i)
        said.add(alert)
        assert.equal(await world.session(jar), null)
        assert.deepEqual(await world.query('select provider from accounts where user_id = $1', [id]), [])
      }
    }
    assert.equal(said.size, 1)
  },
)

check('H-069', 'known and unknown accounts are stopped at the same try', async (world) => {
  const statuses = async (email: string, address?: string) => {
    const seen: number[] = []
    for (let tries = 0; tries < 12; tries++)
      seen.push((await world.try(email, wrongPassword, address ? { address } : {})).status)
    return seen
  }
  for (const address of [undefined, '198.51.100.7']) {
    const of = async (email: string) => {
      await world.query('delete from rate_limits')
      return statuses(email, address)
    }
    const known = await of((await world.newPerson()).email)
    for (const email of [
      nobody(),
      (await world.newPerson({ hash: null })).email,
      (await world.newPerson({ isSuspended: true })).email,
    ])
      assert.deepEqual(await of(email), known)
    assert.equal(known.indexOf(429), address ? 5 : 10)
  }
})

check('H-070', 'an action with somebody else’s id answers the same whether that id exists', async (world) => {
  const [person, other] = [await world.newSession(), await world.newSession()]
  const [{ id: device }] = await world.query('select id from sessions where user_id = $1', [other.id])
  const said = new Set<string>()
  for (const id of [device, other.id, crypto.randomUUID()]) {
    const { status, value } = await submit(world, 'endDevice', { id }, { jar: person.jar })
    said.add(JSON.stringify([status, value]))
  }
  assert.equal(said.size, 1, String([...said]))
  assert.equal((await world.session(other.jar)).user.id, other.id)
})
