import { Agent, get } from 'node:http'
import { attempt, countComparisons } from '../support/attempt.ts'
import { expect, someAddress, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'
import { type RunningServer, startServer } from '../support/server.ts'

test.describe.configure({ mode: 'serial' })
test.setTimeout(60_000)

let node: RunningServer
test.beforeAll(async () => {
  const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env
  const env = { DATABASE_URL, AUTH_SECRET, ALLOW_SEEDED_PEOPLE: '1', TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'debug' }
  node = await startServer('start', env)
  // With the first request that it sees, a node learns how long it shall keep connections; that one says Node's own time.
  await fetch(`${node.url}/api/health`)
})
test.afterAll(() => node.stop())

for (const redirect of [true, false]) {
  test(`every kind of failed sign-in is the same to the byte and costs one hash, with redirect: ${redirect}`, async ({
    password,
  }) => {
    const kinds = {
      'a wrong password': { email: await newPerson(), password: 'wrong' },
      'an unknown person': { email: `unknown-${crypto.randomUUID()}@example.com`, password },
      'a suspended person': { email: await newPerson({ isSuspended: true }), password },
      'a person without a password': { email: await newPerson({ hasPassword: false }), password },
      'a person who has not proved the address': { email: await newPerson({ isVerified: false }), password },
    }
    const seen = new Map<string, unknown>()
    const earlier = countComparisons(node.output())
    for (const [kind, person] of Object.entries(kinds)) {
      const id = crypto.randomUUID()
      const headers = { 'x-request-id': id }
      const response = await attempt(node.url, { ...person, redirect, address: someAddress(), headers })
      const sent = [...response.headers].filter(([name]) => name !== 'date')
      seen.set(
        kind,
        JSON.parse(JSON.stringify([response.status, sent, await response.text()]).replaceAll(id, 'the id')),
      )
      await expect.poll(() => countComparisons(node.output(), id), { message: kind }).toBeGreaterThan(0)
      expect(countComparisons(node.output(), id), kind).toBe(1)
    }
    const wrong = seen.get('a wrong password')
    expect(wrong).toEqual([redirect ? 302 : 401, expect.anything(), expect.anything()])
    for (const [kind, answer] of seen) expect(answer, kind).toEqual(wrong)
    expect(JSON.stringify(wrong)).not.toContain('set-cookie')
    expect(countComparisons(node.output()) - earlier).toBe(Object.keys(kinds).length)
  })
}

/** Milliseconds until GET /api/health is answered, over and over on one connection, while the work goes on. */
async function timeHealth(url: string, work: Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(`${url}/api/health`, { agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`health answered ${response.statusCode}`))
        response.resume().on('end', resolve)
      }).on('error', reject)
    })
  const times: number[] = []
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const start = performance.now()
    await ask()
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  agent.destroy()
  await over
  return times.toSorted((a, b) => a - b)
}

const at = (times: number[], part: number) => times[Math.floor(times.length * part)] ?? 0
/** Other work on the machine can only make it look worse; what the app itself does wrong shows in every round. */
const rounds = 6

test('while 20 people at a time sign in, rightly and wrongly, health answers within 100 ms in 99 of 100 cases', async ({
  password,
}) => {
  test.setTimeout(120_000)
  const people = await Promise.all(Array.from({ length: 20 }, () => newPerson()))
  let statuses: Record<number, number> = {}
  const crowd = async () => {
    statuses = {}
    const end = Date.now() + 5_000
    await Promise.all(
      people.map(async (email) => {
        // Wrong, then right, which forgets the wrong ones; each from another address: no limit ends it early.
        for (let tries = 0; Date.now() < end; tries++) {
          const given = tries % 2 === 0 ? 'wrong' : password
          const { status } = await attempt(node.url, { email, password: given, address: someAddress() })
          statuses[status] = (statuses[status] ?? 0) + 1
        }
      }),
    )
  }
  const measured: number[] = []
  for (let round = 0; round < rounds && !measured.some((p99) => p99 < 100); round++) {
    const times = await timeHealth(node.url, crowd())
    console.log('health in ms, with a crowd:', { p50: at(times, 0.5), p99: at(times, 0.99) }, 'sign-ins:', statuses)
    // Who waits too long for the hasher is told to come back.
    expect(Object.keys(statuses).filter((status) => status !== '503')).toEqual(['200', '401'])
    expect(times.length).toBeGreaterThan(100)
    measured.push(at(times, 0.99))
  }
  expect(Math.min(...measured)).toBeLessThan(100)
})
