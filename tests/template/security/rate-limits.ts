// Rate limits.
import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check } from '../../app/support/checks.ts'
import { type HttpResponse, Jar } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import type { RunningServer } from '../../app/support/server.ts'
import { password, unusedEmail, type World, wrongPassword } from '../../app/support/test-world.ts'
import { percentile } from './support/statistics.ts'

const assertRateLimited = (response: HttpResponse, atMost: number) => {
  assert.deepEqual([response.status, response.json().code], [429, 'rate_limited'])
  const wait = Number(response.headers['retry-after'])
  assert.ok(wait >= 1 && wait <= atMost, `Retry-After: ${wait}`)
  assert.deepEqual(response.setCookies, [])
}

/** The statuses of `count` sequential requests. */
async function statuses(count: number, ask: (index: number) => Promise<HttpResponse>): Promise<number[]> {
  const seen: number[] = []
  for (let index = 0; index < count; index++) seen.push((await ask(index)).status)
  return seen
}
const times = (count: number, status: number) => Array<number>(count).fill(status)

/** Uses up the account's failure limit from ten IP addresses. */
async function exhaustAccountLimit(world: World, email: string): Promise<void> {
  assert.deepEqual(await statuses(10, () => world.trySignIn(email, wrongPassword)), times(10, 401))
}

check(
  'H-071',
  'the sixth wrong password from one IP in a minute gets 429 with Retry-After, without hashing',
  async (world) => {
    const { email } = await world.newUser()
    const ip = randomIp()
    assert.deepEqual(await statuses(5, () => world.trySignIn(email, wrongPassword, { ip })), times(5, 401))
    const compared = await world.countPasswordComparisons(async () =>
      assertRateLimited(await world.trySignIn(email, wrongPassword, { ip }), 60),
    )
    assert.equal(compared, 0)
    // Redirect mode shares the same counter.
    assertRateLimited(await world.get('/api/auth/signin', { body: { email, password }, ip }), 60)
  },
)

check('H-072', 'the eleventh failure within 15 minutes gets 429, even from eleven IPs', async (world) => {
  const { email } = await world.newUser()
  await exhaustAccountLimit(world, email)
  const compared = await world.countPasswordComparisons(async () =>
    assertRateLimited(await world.trySignIn(email, wrongPassword), 15 * 60),
  )
  assert.equal(compared, 0)
})

check('H-073', 'a trusted device can sign in while attackers exhaust the account’s limit', async (world) => {
  const user = await world.newUser()
  const jar = await world.signIn(user)
  await world.get('/api/auth/signout', { method: 'POST', jar })
  await exhaustAccountLimit(world, user.email)
  assertRateLimited(await world.trySignIn(user.email, wrongPassword), 15 * 60)
  assert.equal((await world.trySignIn(user.email, password, { jar })).status, 200)
})

check(
  'H-074',
  'while the account limit is exhausted, the correct password from an unknown browser gets 429 too',
  async (world) => {
    const user = await world.newUser()
    await exhaustAccountLimit(world, user.email)
    const otherUser = await world.newSession()
    const forged = new Jar({ [`${appSlug}.device`]: `${'A'.repeat(22)}.${'B'.repeat(43)}` })
    // Another user's trusted device cookie does not count.
    const borrowed = new Jar({ [`${appSlug}.device`]: otherUser.jar.get(`${appSlug}.device`) })
    const compared = await world.countPasswordComparisons(async () => {
      for (const jar of [new Jar(), forged, borrowed]) {
        const [right, wrong] = [
          await world.trySignIn(user.email, password, { jar }),
          await world.trySignIn(user.email, wrongPassword, { jar }),
        ]
        assertRateLimited(right, 15 * 60)
        assertRateLimited(wrong, 15 * 60)
        const comparable = ({ text }: HttpResponse) => text.replace(/urn:[\w-]+:request:[\w-]+/, '')
        assert.equal(comparable(right), comparable(wrong))
      }
    })
    assert.equal(compared, 0)
  },
)

check(
  'H-075',
  'after 100 failures in a row the password works only on trusted devices, the user is told, and a reset unlocks it',
  async (world) => {
    const user = await world.newUser()
    const { email, id } = user
    const known = await world.signIn(user)
    await world.get('/api/auth/signout', { method: 'POST', jar: known })
    // Set directly, because the rate limits prevent 98 failures within the test.
    await world.query('update passwords set failures = 98 where user_id = $1', [id])
    assert.equal((await world.trySignIn(email, wrongPassword)).status, 401)
    assert.deepEqual(await world.emailsTo(email), [])
    assert.equal((await world.trySignIn(email, wrongPassword)).status, 401)
    const subjects = (await world.emailsTo(email)).map(({ subject }) => subject)
    assert.deepEqual(subjects, ['Someone is trying to guess your password'])
    const [right, wrong] = [await world.trySignIn(email), await world.trySignIn(email, wrongPassword)]
    const comparable = ({ status, text }: HttpResponse) => `${status} ${text.replace(/urn:[\w-]+:request:[\w-]+/, '')}`
    assert.equal(comparable(right), comparable(wrong))
    assert.equal((await world.trySignIn(email, password, { jar: known.copy() })).status, 200)

    await world.query('update passwords set failures = 100 where user_id = $1', [id])
    const chosen = 'a password that nobody tried'
    registerSecret(chosen)
    await world.resetPassword(email, chosen)
    assert.equal((await world.trySignIn(email, chosen)).status, 200)
  },
  { full: 'takes long' },
)

check('H-076', 'a successful sign-in resets the failure count', async (world) => {
  const { email } = await world.newUser()
  const ip = randomIp()
  assert.deepEqual(await statuses(4, () => world.trySignIn(email, wrongPassword, { ip })), times(4, 401))
  assert.equal((await world.trySignIn(email, password, { ip })).status, 200)
  assert.deepEqual(await statuses(6, () => world.trySignIn(email, wrongPassword, { ip })), [...times(5, 401), 429])
  // The limit across all IPs is reset too: nine failures, a success, and ten more failures.
  const other = await world.newUser()
  assert.deepEqual(await statuses(9, () => world.trySignIn(other.email, wrongPassword)), times(9, 401))
  assert.equal((await world.trySignIn(other.email)).status, 200)
  assert.deepEqual(await statuses(11, () => world.trySignIn(other.email, wrongPassword)), [...times(10, 401), 429])
})

check(
  'H-077',
  'password spraying on 200 accounts from one IP stops after 60 attempts',
  async (world) => {
    const ip = randomIp()
    const users = await world.newUsers(100)
    const emails = users.flatMap(({ email }) => [email, unusedEmail()])
    let responses: HttpResponse[] = []
    const compared = await world.countPasswordComparisons(async () => {
      // Ten at a time, or most would time out in the hash queue.
      for (let start = 0; start < emails.length; start += 10)
        responses = [
          ...responses,
          ...(await Promise.all(
            emails.slice(start, start + 10).map((email) => world.trySignIn(email, wrongPassword, { ip })),
          )),
        ]
    })
    assert.deepEqual(
      responses.map(({ status }) => status),
      [...times(60, 401), ...times(140, 429)],
    )
    assert.equal(compared, 60)
  },
  { full: 'samples races' },
)

check('H-078', 'all addresses of one IPv6 /64 network count as one client', async (world) => {
  const network = `2001:db8:${Math.floor(Math.random() * 65536).toString(16)}:1`
  const { email } = await world.newUser()
  const ipInside = (index: number) =>
    [`${network}::${index + 1}`, `${network}:ffff:ffff:ffff:${index}`, `${network}:0:0:${index}:1`.toUpperCase()][
      index % 3
    ] ?? ''
  assert.deepEqual(await statuses(6, (index) => world.trySignIn(email, wrongPassword, { ip: ipInside(index) })), [
    ...times(5, 401),
    429,
  ])
  // Another /64 network is another client.
  assert.equal((await world.trySignIn(email, wrongPassword, { ip: `${network.replace(/1$/, '2')}::1` })).status, 401)
  // An IPv4-mapped IPv6 address counts as its IPv4 address.
  const plain = await world.newUser()
  assert.deepEqual(
    await statuses(6, (index) =>
      world.trySignIn(plain.email, wrongPassword, { ip: index % 2 ? '198.51.100.9' : '::ffff:198.51.100.9' }),
    ),
    [...times(5, 401), 429],
  )
})

check(
  'H-079',
  'headers with a forged client IP do not evade the limits',
  async (world) => {
    const forgedHeaders = (index: number) => ({
      Forwarded: `for=198.51.100.${index}`,
      'X-Real-IP': `198.51.100.${index}`,
      'CF-Connecting-IP': `198.51.100.${index}`,
      'True-Client-IP': `198.51.100.${index}`,
      'X-Client-IP': `198.51.100.${index}`,
      'X-Plinth-Socket-Address': `198.51.100.${index}`,
    })
    // Behind one trusted proxy only the last X-Forwarded-For entry counts, because the proxy wrote it.
    const ip = randomIp()
    const behind = await world.newUser()
    assert.deepEqual(
      await statuses(6, (index) =>
        world.trySignIn(behind.email, wrongPassword, {
          ip: `198.51.100.${index}, 10.0.0.${index}, ${ip}`,
          headers: forgedHeaders(index),
        }),
      ),
      [...times(5, 401), 429],
    )
    const twice = await world.newUser()
    assert.deepEqual(
      await statuses(6, (index) =>
        world.trySignIn(twice.email, wrongPassword, {
          headers: { ...forgedHeaders(index), 'X-Forwarded-For': [`198.51.100.${index}`, ip] },
        }),
      ),
      [...times(5, 401), 429],
    )
    // Without a trusted proxy only the IP of the socket counts.
    const node = await world.node('without a proxy', { TRUSTED_PROXY_HOPS: '0' })
    const direct = await world.newUser()
    assert.deepEqual(
      await statuses(6, (index) =>
        world.trySignIn(direct.email, wrongPassword, {
          node,
          ip: `198.51.100.${index}`,
          headers: forgedHeaders(index),
        }),
      ),
      [...times(5, 401), 429],
    )
  },
  { full: 'needs other servers' },
)

check('H-080', 'all spellings of an email share one counter', async (world) => {
  const { email } = await world.newUser()
  const spellings = [
    email,
    email.toUpperCase(),
    ` ${email}`,
    `${email} `,
    `\t${email}\n`,
    email.replace('example', 'EXAMPLE'),
  ]
  const ip = randomIp()
  assert.deepEqual(await statuses(6, (index) => world.trySignIn(spellings[index], wrongPassword, { ip })), [
    ...times(5, 401),
    429,
  ])
  // A look-alike email is a different email, so it does not count against the owner.
  const owner = await world.newUser()
  await statuses(12, () => world.trySignIn(owner.email.replace('e', '\u0435'), wrongPassword))
  assert.equal((await world.trySignIn(owner.email)).status, 200)
})

/** Sends 50 concurrent sign-ins spread over the nodes and returns how many passwords were compared. */
async function burst(world: World, nodes: RunningServer[], ip: string | undefined) {
  const { email } = await world.newUser()
  let responses: HttpResponse[] = []
  const compared = await world.countPasswordComparisons(async () => {
    responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const node = nodes[index % nodes.length] ?? world.app
        return world.trySignIn(email, wrongPassword, { node, ...(ip && { ip }) })
      }),
    )
  }, nodes)
  const rejected = responses.filter(({ status }) => status === 429).length
  const statuses = responses.map(({ status }) => status).sort()
  assert.equal(responses.filter(({ status }) => status === 401).length, compared, String(statuses))
  assert.equal(rejected + compared, 50, String(statuses))
  return compared
}

check(
  'H-081',
  'of 50 concurrent wrong passwords over two nodes only the limit is compared, with PostgreSQL and with Redis',
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
      // The first request opens the connection to Redis.
      for (const node of nodes) await world.trySignIn(unusedEmail(), wrongPassword, { node })
      for (let round = 0; round < 3; round++) {
        const [fromOne, fromMany] = [await burst(world, nodes, randomIp()), await burst(world, nodes, undefined)]
        assert.deepEqual([fromOne, fromMany], [5, 10], where)
        found.push(`${where}: ${fromOne} from one IP, ${fromMany} from many`)
      }
    }
    return [...new Set(found)].join('; ')
  },
  { full: 'samples races' },
)

check(
  'H-082',
  'every counter expires, in PostgreSQL and in Redis, and contains no email',
  async (world) => {
    const server = await world.redis()
    const node = await world.node('redis for counts', { REDIS_URL: server.url })
    const users = await world.newUsers(3)
    for (const { email } of users)
      for (const where of [world.app, node])
        for (let tries = 0; tries < 6; tries++)
          await world.trySignIn(email, wrongPassword, { node: where, ip: '198.51.100.20' })
    const rows = await world.query('select key, expire::float from rate_limits')
    assert.ok(rows.length > 5)
    for (const { key, expire } of rows) assert.ok(expire > Date.now() - 24 * 3600_000, key)
    const redis = new Redis(server.url)
    try {
      const keys = await redis.keys('*')
      assert.ok(keys.length > 5, String(keys))
      for (const key of keys) assert.ok((await redis.ttl(key)) > 0, `${key} has no TTL`)
      for (const { email } of users) assert.ok(!JSON.stringify([rows, keys]).includes(email))
    } finally {
      redis.disconnect()
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-083',
  'while Redis is down, limits fall back to PostgreSQL without delay',
  async (world) => {
    const redis = await world.redis()
    const node = await world.node('redis that dies', { REDIS_URL: redis.url })
    await world.trySignIn(unusedEmail(), wrongPassword, { node })
    await redis.kill()
    const waits: number[] = []
    const user = await world.newUser()
    const seen = await statuses(12, async () => {
      const response = await world.trySignIn(user.email, wrongPassword, { node })
      waits.push(response.milliseconds)
      return response
    })
    assert.deepEqual(seen, [...times(10, 401), ...times(2, 429)])
    for (const { email } of await world.newUsers(40)) {
      const response = await world.trySignIn(email, password, { node })
      assert.equal(response.status, 200)
      waits.push(response.milliseconds)
    }
    const slowest = percentile(waits, 0.99)
    assertFast(slowest < 1_000, `${slowest} ms`)
    // Concurrent requests find no gap either.
    const { email } = await world.newUser()
    const compared = await world.countPasswordComparisons(
      () => Promise.all(Array.from({ length: 30 }, () => world.trySignIn(email, wrongPassword, { node }))),
      [node],
    )
    assert.ok(compared <= 10, `${compared} compared`)
    return `p99 of sign-in ${slowest.toFixed(0)} ms; ${compared} of 30 concurrent passwords compared`
  },
  { full: 'measures time or memory' },
)

check(
  'H-084',
  'the fourth password reset request from one IP within an hour gets the same response but sends no email',
  async (world) => {
    const { email } = await world.newUser()
    const ip = randomIp()
    const results = new Set<string>()
    for (let times = 0; times < 5; times++) {
      const typed = times % 2 ? email.toUpperCase() : email
      const response = await submitAction(world, 'askForReset', { email: typed }, { path: '/forgot', ip })
      results.add(`${response.status} ${JSON.stringify(response.value).toLowerCase()}`)
    }
    assert.equal(results.size, 1)
    assert.equal((await world.emailsTo(email)).length, 3)
  },
  { full: 'takes long' },
)
