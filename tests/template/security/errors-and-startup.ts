// Errors, startup, and what must not be reachable in production.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../../scripts/root.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { startCollector } from '../../app/support/collector.ts'
import { completeOutput } from '../../app/support/complete-output.ts'
import { call } from '../../app/support/http-client.ts'
import { runUntilExit } from '../../app/support/server.ts'
import { verdict } from '../../app/support/server-actions.ts'
import { isolatedApp } from './support/isolated-app.ts'

check(
  'H-267',
  'an error in a route, an action or a page returns an id, and the log has the details',
  async (world) => {
    const isolated = await isolatedApp(world)
    const { jar } = await isolated.addUser('admin')
    const [node] = isolated.nodes
    // Everything guarded reads the session first, so this makes all of it fail unexpectedly.
    await isolated.pool.query('alter table sessions rename to sessions_away')
    try {
      const route = await call(node.url, '/api/auth/session', { jar: jar.copy(), allow500: true })
      assert.deepEqual([route.status, route.json().code], [500, 'internal'])
      const id = /([\w-]+)$/.exec(route.json().instance)?.[1] ?? assert.fail()
      const acted = await submitAction(world, 'updateProfile', { name: 'x' }, { node, jar: jar.copy() })
      assert.equal(verdict(acted), 'internal')
      const page = await call(node.url, '/dashboard', { jar: jar.copy(), allow500: true })
      assert.equal(page.status, 500)
      for (const { text } of [route, acted, page]) assert.doesNotMatch(text, /sessions|relation|42P01|Failed query/)
      const lines = (await completeOutput(node)).split('\n')
      for (const part of [id, 'action failed', 'page failed'])
        assert.ok(
          lines.some((line) => line.includes(part) && line.includes('"stack"')),
          `${part} is not in the log`,
        )
    } finally {
      await isolated.pool.query('alter table sessions_away rename to sessions')
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-268',
  'after an uncaught exception a node logs it and exits with an error; an unhandled rejection is only logged',
  async (world) => {
    const preload = pathToFileURL(join(import.meta.dirname, 'support', 'crash-on-signal.mjs')).href
    const node = await world.node('with bugs', { NODE_OPTIONS: `--import ${preload}` })
    const waitUntil = async (what: string, condition: () => boolean | Promise<boolean>) => {
      for (
        const end = Date.now() + 20_000;
        !(await condition());
        await new Promise((resolve) => setTimeout(resolve, 50))
      )
        assert.ok(Date.now() < end, what)
    }
    process.kill(node.pid, 'SIGUSR2')
    await waitUntil('the rejection is not in the log', () =>
      node.output().includes('an unhandled rejection on request'),
    )
    assert.equal((await call(node.url, '/api/health')).status, 200)
    process.kill(node.pid, 'SIGWINCH')
    await waitUntil('the exception is not in the log', () => /uncaught exception/.test(node.output()))
    await waitUntil('the node still runs', () =>
      call(node.url, '/api/health').then(
        () => false,
        () => true,
      ),
    )
    // Other nodes are not affected.
    assert.equal((await world.get('/api/health/ready')).status, 200)
  },
  { full: 'needs other servers' },
)

check(
  'H-269',
  'production does not start with seeded users unless that is allowed, and then logs a warning',
  async (world) => {
    const env = { ...world.env, AUTH_URL: 'https://app.example.com', ALLOW_SEEDED_PEOPLE: '' }
    const { code, output, hasResponded } = await runUntilExit(env)
    assert.deepEqual([code, hasResponded], [1, false])
    assert.match(output, /seeded users of development are in this database/)
    assert.match(world.app.output(), /seeded users can sign in/)
    // Without seeded users it starts without the warning.
    const { nodes } = await isolatedApp(world)
    assert.doesNotMatch(nodes[0].output(), /seeded users/)
  },
  { full: 'needs other servers' },
)

check('H-270', 'neither source maps nor build files are served', async (world) => {
  const scripts = globSync('.next/static/**/*.{js,css}', { cwd: root })
  assert.ok(scripts.length > 10)
  for (const file of scripts) {
    assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /sourceMappingURL=/, file)
    const { status } = await world.get(`/${file.replace('.next', '_next')}.map`)
    assert.equal(status, 404, file)
  }
  const built = ['BUILD_ID', 'server/server-reference-manifest.json', 'server/middleware.js', 'routes-manifest.json']
  for (const path of [
    ...built.flatMap((file) => [`/_next/${file}`, `/.next/${file}`, `/_next/static/../${file}`]),
    '/server.js',
    '/package.json',
  ])
    assert.equal((await world.get(path)).status, 404, path)
  return `${scripts.length} files`
})

check('H-271', 'Next’s development endpoints do not exist', async (world) => {
  const paths = [
    '/_next/mcp',
    '/_next/webpack-hmr',
    '/_next/hmr',
    '/__nextjs_original-stack-frames',
    '/__nextjs_source-map',
    '/__nextjs_launch-editor',
    '/__nextjs_error_feedback',
    '/__nextjs_devtools_config',
    '/dev/emails',
    '/dev/inbox',
    '/dev/inbox/unread',
    '/dev/routes',
    '/dev/sign-in',
    '/dev/ui',
    '/dev/welcome',
  ]
  for (const path of paths)
    for (const method of ['GET', 'POST']) {
      const { status } = await world.get(path, { method })
      assert.ok([404, 405].includes(status), `${method} ${path}: ${status}`)
    }
})

check(
  'H-272',
  'metrics are not public, and contain no user data',
  async (world) => {
    const collector = await startCollector()
    world.atEndOfGroup(collector.stop)
    const node = await world.node('with figures', collector.env)
    const user = await world.newUser()
    await world.signIn(user, { node })
    for (let count = 0; count < 50; count++) await call(node.url, `/${crypto.randomUUID()}?email=${user.email}`)
    const metrics = await collector.metrics()
    assert.match(metrics, /plinth_audit_entries_total\{plinth_kind="session.started"\} 1/)
    assert.doesNotMatch(metrics, /@|[0-9a-f]{8}-[0-9a-f]{4}-/)
    assert.ok(metrics.split('\n').length < 1_000, 'every caller adds time series')
    for (const path of [
      '/metrics',
      '/api/metrics',
      '/_metrics',
      '/stats',
      '/debug',
      '/debug/pprof',
      '/actuator/prometheus',
      '/api/health/metrics',
    ])
      for (const place of [world.app, node]) assert.ok([401, 404].includes((await call(place.url, path)).status), path)
  },
  { full: 'needs other servers' },
)
