// Faults around a node: mail server, OAuth providers, clock, disk, file descriptors, memory.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { startProviders } from '../../../scripts/oauth.ts'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check } from '../../app/support/checks.ts'
import { FaultySmtpServer, type SmtpBehavior } from '../../app/support/faulty-smtp-server.ts'
import { call, Jar } from '../../app/support/http-client.ts'
import { type RunningServer, startServer } from '../../app/support/server.ts'
import type { World } from '../../app/support/test-world.ts'
import { callCallback, signInWithProvider, startOAuth } from '../security/support/oauth-flow.ts'
import { Load, type LoadTarget, waitUntil } from './support/load.ts'

const preload = (suite: string, name: string) =>
  `--import ${pathToFileURL(join(root, 'tests', 'template', suite, 'support', name)).href}`

const loadTarget = (world: World, { url }: RunningServer): LoadTarget => ({ url, query: world.query.bind(world) })

const formatSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

check(
  'H-312',
  'whatever the mail server does, the response is the same, and the email is sent exactly once',
  async (world) => {
    // A separate database, so that no other worker sends these emails.
    const DATABASE_URL = await world.migratedDatabase()
    const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 })
    pool.on('error', () => {})
    const smtpServer = await FaultySmtpServer.create()
    const node = await world.node('email', { DATABASE_URL, SMTP_URL: `smtp://127.0.0.1:${smtpServer.port}` })
    const jobs = async () => (await pool.query("select id, state from jobs.job where name = 'mail.reset'")).rows
    const requests: { email: string; mood: string; took: number }[] = []
    try {
      const requestReset = async (mood: string) => {
        const email = `${mood}@example.com`
        await pool.query(`insert into users (email, name, email_verified_at) values ($1, 'Test User', now())`, [email])
        // No user has this email: the same response, and no email. It sets the time limit for the other request.
        const plain = await submitAction(world, 'askForReset', { email: `no-${email}` }, { path: '/forgot', node })
        const response = await submitAction(world, 'askForReset', { email }, { path: '/forgot', node })
        assert.deepEqual([plain.status, response.status], [200, 200])
        const limit = 1_000 + 3 * plain.milliseconds
        assertFast(response.milliseconds < limit, `${mood}: response after ${formatSeconds(response.milliseconds)}`)
        requests.push({ email, mood, took: response.milliseconds })
        return email
      }
      const failedOnce = (count: number) =>
        waitUntil(
          'every email was tried',
          async () => (await jobs()).filter(({ state }) => state === 'retry').length >= count,
          40_000,
        )
      // An email that the server rejects permanently is not retried.
      await smtpServer.listen()
      smtpServer.setBehavior('never')
      const refused = await requestReset('never')
      await waitUntil('it is given up', async () => (await jobs()).every(({ state }) => state === 'completed'), 40_000)
      requests.pop()
      await smtpServer.stop()
      await requestReset('refused')
      await failedOnce(1)
      await smtpServer.listen()
      for (const mood of ['silent', 'later'] satisfies SmtpBehavior[]) {
        smtpServer.setBehavior(mood)
        await requestReset(mood)
        await failedOnce(requests.length)
      }
      smtpServer.setBehavior('slow')
      await requestReset('slow')
      // The next retries are seconds to a minute away, so they are made due now.
      await pool.query("update jobs.job set start_after = now() where state = 'retry'")
      await waitUntil('all emails', async () => (await jobs()).every(({ state }) => state === 'completed'), 60_000)
      assert.ok(!smtpServer.messages.some((text) => text.includes(refused)), 'a permanently rejected email was sent')
      for (const { email } of requests) {
        const got = smtpServer.messages.filter((text) => text.includes(email))
        assert.equal(got.length, 1, `${got.length} emails to ${email}`)
      }
      const ids = smtpServer.messages.map((text) => /^Message-ID: <([^@]+)@/im.exec(text)?.[1])
      // Requests for unknown emails are jobs too, but send no email.
      const known = new Set((await jobs()).map(({ id }) => id))
      assert.ok(ids.length === requests.length && ids.every((id) => known.has(id)), `the emails have the ids ${ids}`)
      return requests.map(({ mood, took }) => `${mood}: response in ${Math.round(took)} ms`).join(', ')
    } finally {
      await smtpServer.stop()
      await pool.end()
    }
  },
  { slowReason: 'takes minutes' },
)

check(
  'H-313',
  'a provider that cannot be resolved or does not respond costs only its own sign-ins five seconds',
  async (world) => {
    const silent = createServer()
    const port = await findFreePort()
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve))
    const client = { AUTH_GOOGLE_ID: 'a', AUTH_GOOGLE_SECRET: 'b', AUTH_GITHUB_ID: 'a', AUTH_GITHUB_SECRET: 'b' }
    const quiet = `http://localhost:${port}`
    try {
      const [unknown, hanging] = await Promise.all([
        world.node('unknown provider', {
          ...client,
          AUTH_GOOGLE_ISSUER: 'http://nobody.invalid',
          AUTH_GITHUB_URL: quiet,
        }),
        world.node('silent provider', { ...client, AUTH_GOOGLE_ISSUER: quiet, AUTH_GITHUB_URL: quiet }),
      ])
      const times: string[] = []
      const expectErrorRedirect = async (
        what: string,
        asking: Promise<Awaited<ReturnType<typeof call>>>,
        node: RunningServer,
      ) => {
        const response = await asking
        assert.equal(response.status, 302, `${what}: ${response.text}`)
        assert.match(response.headers.location ?? '', /\/signin\?.*error=/, what)
        // A timeout of five seconds, and what a busy machine needs for the rest.
        assertFast(response.milliseconds < 8_000, `${what}: ${formatSeconds(response.milliseconds)}`)
        times.push(`${what} ${formatSeconds(response.milliseconds)}`)
        return node
      }
      const startSignIn = async (node: RunningServer) => {
        const jar = new Jar()
        const { csrfToken } = (await call(node.url, '/api/auth/csrf', { jar })).json()
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
        return call(node.url, '/api/auth/signin/google', { body: `csrfToken=${csrfToken}`, jar, headers })
      }
      const callCallbackOf = async (node: RunningServer) => {
        const jar = new Jar()
        const state = (await startOAuth(node, 'github', jar)).searchParams.get('state') ?? ''
        const back = new URL(`${node.url}/api/auth/callback/github?code=anything&state=${encodeURIComponent(state)}`)
        return callCallback(node, back, jar)
      }
      const waiting = Promise.all([
        expectErrorRedirect('unknown host', startSignIn(unknown), unknown),
        expectErrorRedirect('no response', startSignIn(hanging), hanging),
        expectErrorRedirect('no response in the callback', callCallbackOf(hanging), hanging),
      ])
      // Everything else keeps working meanwhile.
      const testUser = await world.newUser()
      const jar = await world.signIn(testUser, { node: hanging })
      assert.equal((await world.getSession(jar, unknown)).user.email, testUser.email)
      await waiting
      return times.join(', ')
    } finally {
      silent.close()
    }
  },
)

check('H-314', 'node clocks that are an hour off, or jump, neither end sessions nor extend them', async (world) => {
  const hour = 60 * 60 * 1000
  const clock = (shift: number, jump = shift) => ({
    NODE_OPTIONS: preload('security', 'shifted-clock.mjs'),
    CLOCK_SHIFT: String(shift),
    CLOCK_JUMP: String(jump),
  })
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()]
  const clocks = [clock(hour), clock(-hour), clock(0, hour)]
  const providers = await Promise.all(ports.map((port) => startProviders(`http://localhost:${port}`)))
  const nodes = await Promise.all(
    ports.map((port, index) =>
      startServer('start', { ...world.env, ...providers[index]?.env, ...clocks[index] }, { port }),
    ),
  )
  try {
    for (const node of nodes) world.watchOutput(node)
    const [, , jumping] = nodes as [RunningServer, RunningServer, RunningServer]
    const users = await Promise.all(
      nodes.map(async (node) => {
        const testUser = await world.newUser()
        return { testUser, jar: await world.signIn(testUser, { node }) }
      }),
    )
    const assertSignedInEverywhere = async () => {
      for (const { testUser, jar } of users) {
        const seen = await Promise.all([world.app, ...nodes].map((node) => world.getSession(jar, node)))
        for (const session of seen) assert.equal(session?.user.email, testUser.email)
        assert.equal(new Set(seen.map(({ expires }) => expires)).size, 1)
      }
    }
    await assertSignedInEverywhere()
    const load = await Load.during(loadTarget(world, jumping), { inFlight: 4, perSecond: 40 }, async (load) => {
      await load.waitForCount(60)
      jumping.signal('SIGUSR2')
      await load.waitForCount(140)
    })
    await load.assertAllGood()
    await assertSignedInEverywhere()
    // An id_token contains times: a node with a wrong clock may reject it, with an error but never with 500.
    const outcomes = await Promise.all(
      nodes.map(async (node) => {
        const { result } = await signInWithProvider(node, 'google', `clock-${crypto.randomUUID()}@example.com`)
        assert.equal(result.status, 302)
        return result.headers.location?.includes('error=') ? 'rejected' : 'signed in'
      }),
    )
    return `Google sign-in at +1 h, -1 h and after a jump of +1 h: ${outcomes.join(', ')}`
  } finally {
    await Promise.all([...nodes.map((node) => node.stop()), ...providers.map((provider) => provider.stop())])
  }
})

check('H-315', 'a node with a full disk still works', async (world) => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-full-'))
  const cache = join(root, '.next', 'cache')
  mkdirSync(cache, { recursive: true })
  // Mounts that only this process sees and that end with it. The file uses all the space.
  const full = (path: string) =>
    `mount -t tmpfs -o size=16k tmpfs "${path}"; head -c 1000000 /dev/zero > "${path}/all" 2> /dev/null`
  const script = `${full(folder)}; ${full(cache)}; exec "$@"`
  const node = await startServer(
    'start',
    { ...world.env, TMPDIR: folder },
    { commandPrefix: ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, 'sh'] },
  )
  try {
    world.watchOutput(node)
    for (const path of [folder, cache]) {
      const { type, bavail } = statfsSync(`/proc/${node.pid}/root${path}`)
      assert.deepEqual([type, bavail], [0x01021994, 0], `${path} is not full`)
    }
    const load = await Load.runUntilCount(loadTarget(world, node), 200, { inFlight: 4 })
    await load.assertAllGood()
    await world.signIn(await world.newUser(), { node })
    assert.doesNotMatch(node.output(), /ENOSPC/)
    return load.summary()
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

check('H-317', 'a node at its file descriptor limit rejects connections, and works again afterwards', async (world) => {
  const node = await startServer('start', world.env)
  world.watchOutput(node)
  const openFileCount = () => readdirSync(`/proc/${node.pid}/fd`).length
  const { port } = new URL(node.url)
  const jar = await world.signIn(await world.newUser(), { node })
  try {
    const room = 40
    const limit = openFileCount() + room
    execFileSync('prlimit', ['--pid', String(node.pid), `--nofile=${limit}:${limit}`])
    const sockets = Array.from({ length: 120 }, () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`GET /api/health HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
      return socket
    })
    const answered = new Set<unknown>()
    for (const socket of sockets)
      socket.on('data', (chunk) => String(chunk).startsWith('HTTP/1.1 200') && answered.add(socket))
    await sleep(3_000)
    const reached = openFileCount()
    for (const socket of sockets) socket.destroy()
    assert.ok(reached >= limit - 2, `it has ${reached} of ${limit} files open: the limit was not reached`)
    assert.ok(answered.size > 0 && answered.size < 120, `${answered.size} of 120 got a response`)
    await waitUntil('it accepts connections again', async () =>
      call(node.url, '/api/health', { timeout: 2_000 }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
    assert.notEqual(await world.getSession(jar, node), null)
    const load = await Load.runUntilCount(loadTarget(world, node), 100, { inFlight: 4 })
    await load.assertAllGood()
    return `${answered.size} of 120 got a response with room for ${room}; afterwards ${load.summary()}`
  } finally {
    await node.stop()
  }
})

check(
  'H-318',
  'under load the heap of a node with 256 MB does not grow',
  async (world) => {
    const seconds = Number(process.env.FAULTS_MINUTES ?? 1) * 60
    const node = await startServer('start', {
      ...world.env,
      NODE_OPTIONS: `--max-old-space-size=256 ${preload('faults', 'heap-on-signal.mjs')}`,
    })
    try {
      world.watchOutput(node)
      const heapReadings = () =>
        [...node.output().matchAll(/^holds (\d+) bytes$/gm)].map(([, bytes]) => Number(bytes) / 2 ** 20)
      const measure = async () => {
        const count = heapReadings().length
        node.signal('SIGUSR2')
        await waitUntil('the heap size is printed', () => heapReadings().length > count)
        return heapReadings().at(-1) ?? 0
      }
      let [before, after] = [0, 0]
      const load = await Load.during(loadTarget(world, node), { inFlight: 8 }, async () => {
        await sleep(seconds * 250)
        before = await measure()
        await sleep(seconds * 750)
        after = await measure()
      })
      await load.assertAllGood()
      // Ten percent, and what happens to be in use at that moment.
      assert.ok(after <= before * 1.1 + 8, `${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after`)
      return `${before.toFixed(1)} MB after a quarter of the time, ${after.toFixed(1)} MB at the end; ${load.summary()}`
    } finally {
      await node.stop()
    }
  },
  { slowReason: 'takes minutes' },
)
