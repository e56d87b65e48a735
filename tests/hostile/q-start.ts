// Q. Errors, the start of the app, and what is not there to be found.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/root.ts'
import { startCollector } from '../support/collector.ts'
import { runUntilExit } from '../support/server.ts'
import { verdict } from './actions.ts'
import { apart } from './apart.ts'
import { check } from './checks.ts'
import { call } from './client.ts'
import { submit } from './world.ts'

check('H-267', 'a fault inside a route, an action or a page tells a number, and the log the rest', async (world) => {
  const place = await apart(world)
  const { jar } = await place.add('admin')
  const [node] = place.nodes
  // Every guarded door asks for the session first: now that fails as no code expects it.
  await place.pool.query('alter table sessions rename to sessions_away')
  try {
    const route = await call(node.url, '/api/auth/session', { jar: jar.copy(), may500: true })
    assert.deepEqual([route.status, route.json().code], [500, 'internal'])
    const id = /([\w-]+)$/.exec(route.json().instance)?.[1] ?? assert.fail()
    const acted = await submit(world, 'updateProfile', { name: 'x' }, { node, jar: jar.copy() })
    assert.equal(verdict(acted), 'internal')
    const page = await call(node.url, '/dashboard', { jar: jar.copy(), may500: true })
    assert.equal(page.status, 500)
    for (const { text } of [route, acted, page]) assert.doesNotMatch(text, /sessions|relation|42P01|Failed query/)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const lines = node.output().split('\n')
    for (const part of [id, 'action failed', 'page failed'])
      assert.ok(
        lines.some((line) => line.includes(part) && line.includes('"stack"')),
        `${part} is not in the log`,
      )
  } finally {
    await place.pool.query('alter table sessions_away rename to sessions')
  }
})

check(
  'H-268',
  'after an exception that nobody caught a node says so and ends as a failure; a lost promise ends nothing',
  async (world) => {
    const preload = pathToFileURL(join(root, 'tests', 'hostile', 'crash.mjs')).href
    const node = await world.node('with bugs', { NODE_OPTIONS: `--import ${preload}` })
    const within = async (what: string, isSo: () => boolean | Promise<boolean>) => {
      for (const end = Date.now() + 20_000; !(await isSo()); await new Promise((resolve) => setTimeout(resolve, 50)))
        assert.ok(Date.now() < end, what)
    }
    process.kill(node.pid, 'SIGUSR2')
    await within('the promise is not in the log', () => node.output().includes('a promise that nobody waits for'))
    assert.equal((await call(node.url, '/api/health')).status, 200)
    process.kill(node.pid, 'SIGWINCH')
    await within('the exception is not in the log', () => /an exception that nobody caught/.test(node.output()))
    await within('it goes on', () =>
      call(node.url, '/api/health').then(
        () => false,
        () => true,
      ),
    )
    // The others never noticed.
    assert.equal((await world.get('/api/health/ready')).status, 200)
  },
)

check(
  'H-269',
  'production does not start with the people of development, unless that is said, and then it says so',
  async (world) => {
    const env = { ...world.env, AUTH_URL: 'https://app.example.com', ALLOW_SEEDED_PEOPLE: '' }
    const { code, output, answered } = await runUntilExit(env)
    assert.deepEqual([code, answered], [1, false])
    assert.match(output, /people of development are in this database/)
    assert.match(world.app.output(), /the people of development can sign in here/)
    // Nobody there, and it starts without a word.
    const { nodes } = await apart(world)
    assert.doesNotMatch(nodes[0].output(), /people of development/)
  },
)

check('H-270', 'neither source maps nor anything else of the build is served', async (world) => {
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

check('H-271', 'what Next has for development is not there', async (world) => {
  const paths = [
    '/_next/mcp',
    '/_next/webpack-hmr',
    '/_next/hmr',
    '/__nextjs_original-stack-frames',
    '/__nextjs_source-map',
    '/__nextjs_launch-editor',
    '/__nextjs_error_feedback',
    '/__nextjs_devtools_config',
    '/dev/inbox',
    '/dev/ui',
  ]
  for (const path of paths)
    for (const method of ['GET', 'POST']) {
      const { status } = await world.get(path, { method })
      assert.ok([404, 405].includes(status), `${method} ${path}: ${status}`)
    }
})

check('H-272', 'there are no figures to be read from outside, and in those that there are is nobody', async (world) => {
  const collector = await startCollector()
  world.atEndOfGroup(collector.stop)
  const node = await world.node('with figures', collector.env)
  const person = await world.newPerson()
  await world.signIn(person, { node })
  for (let count = 0; count < 50; count++) await call(node.url, `/${crypto.randomUUID()}?email=${person.email}`)
  const figures = await collector.figures()
  assert.match(figures, /plinth_audit_entries_total\{plinth_kind="session.started"\} 1/)
  assert.doesNotMatch(figures, /@|[0-9a-f]{8}-[0-9a-f]{4}-/)
  assert.ok(figures.split('\n').length < 1_000, 'each caller makes more of them')
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
})
