// npm run test:observe: traces, metrics and logs of the production build, as a collector and Prometheus receive them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { root } from '../../../scripts/root.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { type Collector, type Span, startCollector } from '../../app/support/collector.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { call } from '../../app/support/http-client.ts'
import type { RunningServer } from '../../app/support/server.ts'
import { password, World, wrongPassword } from '../../app/support/test-world.ts'

let world: World
let collector: Collector
let node: RunningServer
let metrics = ''
let spans: Span[] = []

const deploy = (...path: string[]) => readFileSync(join(root, 'deploy', ...path), 'utf8')

/** Produces the traces, metrics and logs that the tests check, with a few requests of each kind. */
before(async () => {
  world = await World.start()
  collector = await startCollector()
  const redis = await world.redis()
  // An own database and worker, because otherwise the worker of the other node could take the jobs.
  const DATABASE_URL = await world.migratedDatabase()
  const env = { ...collector.env, DATABASE_URL, REDIS_URL: redis.url, WORKER: 'inside' }
  node = await world.node('observed', env)
  const [email, signingUp] = [`seen-${crypto.randomUUID()}@example.com`, `joins-${crypto.randomUUID()}@example.com`]
  await submitAction(world, 'signUp', { email: signingUp, name: 'Test User', password }, { node, path: '/signup' })
  await world.trySignIn(email, wrongPassword, { node })
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  await client.query(
    `with made as (insert into users (email, name, email_verified_at) values ($1, 'Test User', now()) returning id)
     insert into passwords (user_id, hash) select id, $2 from made`,
    [email, world.hash],
  )
  await client.end()
  await submitAction(world, 'signIn', { email, password }, { node, path: '/signin' })
  for (const path of [
    '/',
    '/signin',
    '/api/health',
    '/api/posts',
    '/reset?token=a-token-from-an-email',
    '/nowhere/at/all',
  ])
    await call(node.url, path, { headers: { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-00` } })
  for (let count = 0; count < 30; count++) await call(node.url, `/nowhere/${crypto.randomUUID()}`)
  await call(node.url, '/api/account/avatars/00000000-0000-4000-8000-000000000000')
  const deadline = Date.now() + 120_000
  const isEmailCounted = () => /plinth_job_duration_count\{[^}]*"mail\.signup"/i.test(metrics)
  for (; !isEmailCounted() && Date.now() < deadline; await setTimeout(200)) metrics = await collector.metrics()
  await node.stop()
  spans = collector.spans()
})

after(async () => {
  await world.stop()
  await collector.stop()
})

const named = (name: string | RegExp) =>
  spans.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)))

const only = (name: string | RegExp) => {
  const [found] = named(name)
  assert.ok(found, `no span ${name} among ${[...new Set(spans.map((span) => span.name))].join(', ')}`)
  return found
}

test('a trace contains the route, the action, its SQL statements, the job and the email', () => {
  const action = only('action signUp')
  const ofTrace = spans.filter(({ traceId }) => traceId === action.traceId)
  assert.ok(
    ofTrace.some(({ name }) => name === 'POST /signup'),
    ofTrace.map(({ name }) => name).join(', '),
  )
  const statement = ofTrace.find(({ name }) => name === 'insert signups')
  assert.match(String(statement?.attributes['db.query.text']), /insert into "signups".*\$1/s)
  const queued = ofTrace.find(({ name }) => name.startsWith('enqueue mail.'))
  assert.ok(queued)

  const job = only(queued.name.replace('enqueue', 'job'))
  assert.equal(job.links[0]?.traceId, action.traceId)
  const delivery = spans.find(({ name, traceId }) => traceId === job.traceId && name.startsWith('send '))
  assert.ok(delivery, 'the email is not in the trace of its job')
})

test('an action that redirects counts as successful', () => {
  assert.equal(only('action signIn').attributes['error.type'], undefined)
  assert.match(metrics, /plinth_action_duration_count\{plinth_action="signIn",plinth_outcome="ok"\} 1/)
})

test('a traceparent header sets the trace id, but cannot disable sampling', () => {
  assert.ok(spans.some(({ traceId, name }) => traceId === 'ab'.repeat(16) && name === 'GET /signin'))
})

test('traces and metrics contain no password, email, token or SQL parameter', () => {
  for (const text of [collector.text(), metrics])
    for (const secret of [password, wrongPassword, 'a-token-from-an-email', '@example.com', 'argon2'])
      assert.ok(!text.includes(secret), secret)
})

test('log lines have the trace id of their span', () => {
  const line = node
    .output()
    .split('\n')
    .find((text) => text.includes('password compared'))
  const { traceId, requestId } = JSON.parse(line ?? '{}')
  assert.ok(requestId)
  assert.ok(
    spans.some((span) => span.traceId === traceId),
    `no span of trace ${traceId}`,
  )
})

test('the number of metric labels is bounded, whatever paths are requested', () => {
  const routes = new Set([...metrics.matchAll(/http_route="([^"]*)"/g)].map(([, route]) => route))
  assert.ok(routes.has('/api/health') && routes.has('/signin') && routes.has('none'), [...routes].join(', '))
  if (hasModule('account')) assert.ok(routes.has('/api/account/avatars/[id]'), [...routes].join(', '))
  assert.ok(![...routes].some((route) => route?.startsWith('/nowhere')))
  const lines = metrics.split('\n').filter((line) => line.startsWith('http_server_request_duration_count'))
  assert.ok(lines.length <= 12, lines.join('\n'))
  assert.doesNotMatch(metrics, /[0-9a-f]{8}-[0-9a-f]{4}-/)
})

/** All metric names in a PromQL text. */
const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/\b((?:http|db|nodejs|process|plinth)_[a-z0-9_]+)(?=[{)[ >]|$)/g)]
      .map(([, name = '']) => name)
      .filter(
        (name) =>
          !/^(http|db|plinth)_(route|response_status_code|operation_name|client_connection_state|action|kind|code|job|state|outcome)$/.test(
            name,
          ),
      ),
  )

test('every metric of the dashboard and the alerts is exported', () => {
  const expressions = [...deploy('grafana', 'dashboard.json').matchAll(/"(?:expr|query)": "((?:[^"\\]|\\.)*)"/g)]
    .map(([, text]) => text)
    .concat([...deploy('prometheus', 'alerts.yaml').matchAll(/expr: (.*)/g)].map(([, text]) => text))
    .join('\n')
  const named = namesIn(expressions)
  assert.ok(named.size > 12, [...named].join(', '))
  const given = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
  const isGiven = (name: string) => given.has(name) || given.has(name.replace(/_(bucket|count|sum)$/, ''))
  // Not exported before the first rejection by the hash queue, which did not happen here.
  const rareMetrics = ['plinth_hash_waiting']
  assert.deepEqual(
    [...named].filter((name) => !isGiven(name) && !rareMetrics.includes(name)),
    [],
  )
})

test('the alert rules pass promtool', {
  skip: spawnSync('promtool', ['--version']).error && !process.env.CI,
}, () => {
  const folder = join(root, 'deploy', 'prometheus')
  for (const args of [
    ['check', 'config', '--syntax-only', 'prometheus.yaml'],
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, `${args.join(' ')}\n${stdout}${stderr}`)
  }
})

test('the metrics port listens on loopback only by default, and the app port does not serve /metrics', async () => {
  const { METRICS_PORT } = collector.env
  const again = await world.node('again', { METRICS_PORT })
  assert.equal((await call(again.url, '/metrics')).status, 404)
  assert.match(await collector.metrics(), /http_server_active_requests/)
  const others = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal))
  for (const { address, family } of others.filter((one) => !one.address.startsWith('fe80')))
    await assert.rejects(
      fetch(`http://${family === 'IPv6' ? `[${address}]` : address}:${METRICS_PORT}/metrics`, {
        signal: AbortSignal.timeout(10_000),
      }),
      address,
    )
})
