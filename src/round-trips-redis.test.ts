import { call, fromBrowser, testRoundTrips } from '../tests/app/support/round-trip-table'

// The import above must come first: it prepares the app's requests and its connections.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POST as postSignIn } from '@/app/api/auth/signin/route'
import { createUser } from '@/core/auth/user/create'
import { connectRedis, redis } from '@/core/limits/redis'
import { findFreePort } from '../scripts/ports.ts'
import { startRelay } from '../tests/app/support/count-round-trips'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
test.runIf(process.env.REQUIRE_REDIS)('redis-server is installed if REQUIRE_REDIS is set', () => {
  expect(hasRedis).toBe(true)
})

describe.runIf(hasRedis)('with Redis', () => {
  let server: ChildProcess
  beforeAll(async () => {
    const port = String(await findFreePort())
    server = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
    process.env.REDIS_URL = await startRelay(`redis://127.0.0.1:${port}`)
    const deadline = Date.now() + 10_000
    while (redis()?.status !== 'ready' && Date.now() < deadline) await connectRedis()
  })
  afterAll(() => {
    redis()?.disconnect()
    server.kill('SIGKILL')
  })

  testRoundTrips('core with Redis', {
    'sign in': async () => {
      const email = `${crypto.randomUUID()}@example.com`
      const password = 'a long walk by the sea'
      await createUser({ email, name: 'Ada', role: 'viewer', password })
      return () => call(postSignIn, fromBrowser, { email, password, redirect: false })
    },
  })
})
