// E. How often somebody may try.
import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import type { RunningServer } from '../support/server.ts'
import { assertSoon, check } from './checks.ts'
import { type Answer, Jar, someAddress } from './client.ts'
import { keepSecret } from './oracles.ts'
import { percentile } from './statistics.ts'
import { nobody, password, submit, type World, wrongPassword } from './world.ts'

const isStopped = (answer: Answer, atMost: number) => {
  assert.deepEqual([answer.status, answer.json().code], [429, 'rate_limited'])
  const wait = Number(answer.headers['retry-after'])
  assert.ok(wait >= 1 && wait <= atMost, `Retry-After: ${wait}`)
  assert.deepEqual(answer.setCookies, [])
}

/** The statuses of so many tries, one after the other. */
async function statuses(count: number, ask: (index: number) => Promise<Answer>): Promise<number[]> {
  const seen: number[] = []
  for (let index = 0; index < count; index++) seen.push((await ask(index)).status)
  return seen
}
const times = (count: number, status: number) => Array<number>(count).fill(status)

/** Uses up the account's tries from ten addresses. */
async function besiege(world: World, email: string): Promise<void> {
  assert.deepEqual(await statuses(10, () => world.try(email, wrongPassword)), times(10, 401))
}

check(
  'H-071',
  'the sixth wrong password from one address in a minute is 429 with Retry-After, and costs no hash',
  async (world) => {
    const { email } = await world.newPerson()
    const address = someAddress()
    assert.deepEqual(await statuses(5, () => world.try(email, wrongPassword, { address })), times(5, 401))
    const compared = await world.comparisons(async () =>
      isStopped(await world.try(email, wrongPassword, { address }), 60),
    )
    assert.equal(compared, 0)
    // In redirect mode too, and the form's action keeps the same count.
    isStopped(await world.get('/api/auth/signin', { body: { email, password }, address }), 60)
  },
)

check('H-072', 'the eleventh failure from eleven addresses in a quarter of an hour is 429', async (world) => {
  const { email } = await world.newPerson()
  await besiege(world, email)
  const compared = await world.comparisons(async () => isStopped(await world.try(email, wrongPassword), 15 * 60))
  assert.equal(compared, 0)
})

check('H-073', 'the owner’s own browser is let in while strangers try', async (world) => {
  const person = await world.newPerson()
  const jar = await world.signIn(person)
  await world.get('/api/auth/signout', { method: 'POST', jar })
  await besiege(world, person.email)
  isStopped(await world.try(person.email, wrongPassword), 15 * 60)
  assert.equal((await world.try(person.email, password, { jar })).status, 200)
})

check(
  'H-074',
  'while strangers try, the right password from an unknown browser is stopped like a wrong one',
  async (world) => {
    const person = await world.newPerson()
    await besiege(world, person.email)
    const stranger = await world.newSession()
    const forged = new Jar({ 'plinth.device': `${'A'.repeat(22)}.${'B'.repeat(43)}` })
    // Somebody else's proof is none either.
    const borrowed = new Jar({ 'plinth.device': stranger.jar.get('plinth.device') })
    const compared = await world.comparisons(async () => {
      for (const jar of [new Jar(), forged, borrowed]) {
        const [right, wrong] = [
          await world.try(person.email, password, { jar }),
          await world.try(person.email, wrongPassword, { jar }),
        ]
        isStopped(right, 15 * 60)
        isStopped(wrong, 15 * 60)
        const comparable = ({ text }: Answer) => text.replace(/urn:plinth:request:[\w-]+/, '')
        assert.equal(comparable(right), comparable(wrong))
      }
    })
    assert.equal(compared, 0)
  },
)

check(
  'H-075',
  'after 100 failures in a row the password works only where its owner has been, they are told, and a new one helps',
  async (world) => {
    const person = await world.newPerson()
    const { email, id } = person
    const known = await world.signIn(person)
    await world.get('/api/auth/signout', { method: 'POST', jar: known })
    // As if on the days before: the limits let nobody get there in one.
    await world.query('update passwords set failures = 98 where user_id = $1', [id])
    assert.equal((await world.try(email, wrongPassword)).status, 401)
    assert.deepEqual(await world.mailsTo(email), [])
    assert.equal((await world.try(email, wrongPassword)).status, 401)
    const subjects = (await world.mailsTo(email)).map(({ subject }) => subject)
    assert.deepEqual(subjects, ['Somebody is trying to guess your password'])
    const [right, wrong] = [await world.try(email), await world.try(email, wrongPassword)]
    const comparable = ({ status, text }: Answer) => `${status} ${text.replace(/urn:plinth:request:[\w-]+/, '')}`
    assert.equal(comparable(right), comparable(wrong))
    assert.equal((await world.try(email, password, { jar: known.copy() })).status, 200)

    await world.query('update passwords set failures = 100 where user_id = $1', [id])
    const chosen = 'a password that nobody tried'
    keepSecret(chosen)
    await world.choosePassword(email, chosen)
    assert.equal((await world.try(email, chosen)).status, 200)
  },
)

check('H-076', 'a success forgets the failures before it', async (world) => {
  const { email } = await world.newPerson()
  const address = someAddress()
  assert.deepEqual(await statuses(4, () => world.try(email, wrongPassword, { address })), times(4, 401))
  assert.equal((await world.try(email, password, { address })).status, 200)
  assert.deepEqual(await statuses(6, () => world.try(email, wrongPassword, { address })), [...times(5, 401), 429])
  // Over all addresses, too: nine, a success, and ten more.
  const other = await world.newPerson()
  assert.deepEqual(await statuses(9, () => world.try(other.email, wrongPassword)), times(9, 401))
  assert.equal((await world.try(other.email)).status, 200)
  assert.deepEqual(await statuses(11, () => world.try(other.email, wrongPassword)), [...times(10, 401), 429])
})

check('H-077', 'one password tried on 200 accounts from one address ends at the sixtieth', async (world) => {
  const address = someAddress()
  const people = await world.newPeople(100)
  const emails = people.flatMap(({ email }) => [email, nobody()])
  let answers: Answer[] = []
  const compared = await world.comparisons(async () => {
    // Ten at a time, or most would wait too long for their turn to be compared.
    for (let start = 0; start < emails.length; start += 10)
      answers = [
        ...answers,
        ...(await Promise.all(
          emails.slice(start, start + 10).map((email) => world.try(email, wrongPassword, { address })),
        )),
      ]
  })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...times(60, 401), ...times(140, 429)],
  )
  assert.equal(compared, 60)
})

check('H-078', 'all addresses of one IPv6 network count as one', async (world) => {
  const network = `2001:db8:${Math.floor(Math.random() * 65536).toString(16)}:1`
  const { email } = await world.newPerson()
  const inside = (index: number) =>
    [`${network}::${index + 1}`, `${network}:ffff:ffff:ffff:${index}`, `${network}:0:0:${index}:1`.toUpperCase()][
      index % 3
    ] ?? ''
  assert.deepEqual(await statuses(6, (index) => world.try(email, wrongPassword, { address: inside(index) })), [
    ...times(5, 401),
    429,
  ])
  // Another network is another caller.
  assert.equal((await world.try(email, wrongPassword, { address: `${network.replace(/1$/, '2')}::1` })).status, 401)
  // An IPv4 address in IPv6 clothes is that IPv4 address.
  const plain = await world.newPerson()
  assert.deepEqual(
    await statuses(6, (index) =>
      world.try(plain.email, wrongPassword, { address: index % 2 ? '198.51.100.9' : '::ffff:198.51.100.9' }),
    ),
    [...times(5, 401), 429],
  )
})

check('H-079', 'headers in which a caller names an address of their choice evade nothing', async (world) => {
  const lies = (index: number) => ({
    Forwarded: `for=198.51.100.${index}`,
    'X-Real-IP': `198.51.100.${index}`,
    'CF-Connecting-IP': `198.51.100.${index}`,
    'True-Client-IP': `198.51.100.${index}`,
    'X-Client-IP': `198.51.100.${index}`,
    'X-Plinth-Socket-Address': `198.51.100.${index}`,
  })
  // Behind one proxy of ours: only what that proxy wrote counts, and it wrote the last entry.
  const address = someAddress()
  const behind = await world.newPerson()
  assert.deepEqual(
    await statuses(6, (index) =>
      world.try(behind.email, wrongPassword, {
        address: `198.51.100.${index}, 10.0.0.${index}, ${address}`,
        headers: lies(index),
      }),
    ),
    [...times(5, 401), 429],
  )
  const twice = await world.newPerson()
  assert.deepEqual(
    await statuses(6, (index) =>
      world.try(twice.email, wrongPassword, {
        headers: { ...lies(index), 'X-Forwarded-For': [`198.51.100.${index}`, address] },
      }),
    ),
    [...times(5, 401), 429],
  )
  // Asked directly, with no proxy of ours in front: only the socket counts.
  const node = await world.node('without a proxy', { TRUSTED_PROXY_HOPS: '0' })
  const direct = await world.newPerson()
  assert.deepEqual(
    await statuses(6, (index) =>
      world.try(direct.email, wrongPassword, { node, address: `198.51.100.${index}`, headers: lies(index) }),
    ),
    [...times(5, 401), 429],
  )
})

check('H-080', 'all ways to write an address have one count', async (world) => {
  const { email } = await world.newPerson()
  const spellings = [
    email,
    email.toUpperCase(),
    ` ${email}`,
    `${email} `,
    `\t${email}\n`,
    email.replace('example', 'EXAMPLE'),
  ]
  const address = someAddress()
  assert.deepEqual(await statuses(6, (index) => world.try(spellings[index], wrongPassword, { address })), [
    ...times(5, 401),
    429,
  ])
  // What only looks like the address is none, so it neither counts against the owner nor opens anything.
  const owner = await world.newPerson()
  await statuses(12, () => world.try(owner.email.replace('e', '\u0435'), wrongPassword))
  assert.equal((await world.try(owner.email)).status, 200)
})

/** Fifty at once, spread over the nodes: how many passwords were compared, and what was answered. */
async function burst(world: World, nodes: RunningServer[], address: string | undefined) {
  const { email } = await world.newPerson()
  let answers: Answer[] = []
  const compared = await world.comparisons(async () => {
    answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const node = nodes[index % nodes.length] ?? world.app
        return world.try(email, wrongPassword, { node, ...(address && { address }) })
      }),
    )
  }, nodes)
  const refused = answers.filter(({ status }) => status === 429).length
  assert.equal(answers.filter(({ status }) => status === 401).length, compared)
  assert.equal(refused + compared, 50)
  return compared
}

check(
  'H-081',
  'of 50 wrong passwords at once over two nodes no more than the limit are compared, with PostgreSQL and with Redis',
  async (world) => {
    const redis = await world.redis()
    const onPostgres = [world.app, await world.node('second')]
    const onRedis = [
      await world.node('redis one', { REDIS_URL: redis.url }),
      await world.node('redis two', { REDIS_URL: redis.url }),
    ]
    const found: string[] = []
    for (const [where, nodes] of [
      ['PostgreSQL', onPostgres],
      ['Redis', onRedis],
    ] as const) {
      // A connection to Redis is made with the first try.
      for (const node of nodes) await world.try(nobody(), wrongPassword, { node })
      for (let round = 0; round < 3; round++) {
        const [fromOne, fromMany] = [await burst(world, nodes, someAddress()), await burst(world, nodes, undefined)]
        assert.deepEqual([fromOne, fromMany], [5, 10], where)
        found.push(`${where}: ${fromOne} from one address, ${fromMany} from many`)
      }
    }
    return [...new Set(found)].join('; ')
  },
)

check('H-082', 'every count ends by itself, in PostgreSQL and in Redis, and names nobody', async (world) => {
  const server = await world.redis()
  const node = await world.node('redis for counts', { REDIS_URL: server.url })
  const people = await world.newPeople(3)
  for (const { email } of people)
    for (const where of [world.app, node])
      for (let tries = 0; tries < 6; tries++)
        await world.try(email, wrongPassword, { node: where, address: '198.51.100.20' })
  const rows = await world.query('select key, expire::float from rate_limits')
  assert.ok(rows.length > 5)
  for (const { key, expire } of rows) assert.ok(expire > Date.now() - 24 * 3600_000, key)
  const redis = new Redis(server.url)
  try {
    const keys = await redis.keys('*')
    assert.ok(keys.length > 5, String(keys))
    for (const key of keys) assert.ok((await redis.ttl(key)) > 0, `${key} has no end`)
    for (const { email } of people) assert.ok(!JSON.stringify([rows, keys]).includes(email))
  } finally {
    redis.disconnect()
  }
})

check('H-083', 'while Redis is away limits are kept in PostgreSQL, and nobody waits for it', async (world) => {
  const redis = await world.redis()
  const node = await world.node('redis that dies', { REDIS_URL: redis.url })
  await world.try(nobody(), wrongPassword, { node })
  await redis.kill()
  const waits: number[] = []
  const person = await world.newPerson()
  const seen = await statuses(12, async () => {
    const answer = await world.try(person.email, wrongPassword, { node })
    waits.push(answer.milliseconds)
    return answer
  })
  assert.deepEqual(seen, [...times(10, 401), ...times(2, 429)])
  for (const { email } of await world.newPeople(40)) {
    const answer = await world.try(email, password, { node })
    assert.equal(answer.status, 200)
    waits.push(answer.milliseconds)
  }
  const slowest = percentile(waits, 0.99)
  assertSoon(slowest < 1_000, `${slowest} ms`)
  // Many at once find no gap either.
  const { email } = await world.newPerson()
  const compared = await world.comparisons(
    () => Promise.all(Array.from({ length: 30 }, () => world.try(email, wrongPassword, { node }))),
    [node],
  )
  assert.ok(compared <= 10, `${compared} compared`)
  return `p99 of signing in ${slowest.toFixed(0)} ms; ${compared} of 30 at once were compared`
})

check(
  'H-084',
  'the fourth request for a new password in an hour is answered like the first, and sends nothing',
  async (world) => {
    const { email } = await world.newPerson()
    const said = new Set<string>()
    for (let times = 0; times < 5; times++) {
      const typed = times % 2 ? email.toUpperCase() : email
      const answer = await submit(world, 'askForReset', { email: typed }, { path: '/forgot' })
      said.add(`${answer.status} ${JSON.stringify(answer.value).toLowerCase()}`)
    }
    assert.equal(said.size, 1)
    assert.equal((await world.mailsTo(email)).length, 3)
  },
)
