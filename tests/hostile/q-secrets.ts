// Q. Secrets: in no log, no statement, no bundle; weak ones do not start, and one can replace another.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createServer } from '../../scripts/postgres.ts'
import { root } from '../../scripts/root.ts'
import { startCollector } from '../support/collector.ts'
import { runDb } from '../support/database.ts'
import { type RunningServer, runUntilExit } from '../support/server.ts'
import { guardedActions, verdict } from './actions.ts'
import { startBadProvider } from './bad-provider.ts'
import { check, hasModule } from './checks.ts'
import { call, Jar } from './client.ts'
import { comeBack, type ProviderId, start } from './oauth-journey.ts'
import { keepSecret } from './oracles.ts'
import { everyAddress, nobody, submit, type World } from './world.ts'

check(
  'H-259',
  'a password that is typed is in no line of the app, no statement of the database, no table, no trace and no figure',
  async (world) => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-statements-'))
    // The server may run as another person than the checks.
    chmodSync(folder, 0o755)
    const database = await createServer(join(folder, 'postgres'))
    await database.start()
    world.atEndOfGroup(async () => {
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    keepSecret(database.url)
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    await pool.query(`alter system set log_statement = 'all'`)
    await pool.query('alter system set log_parameter_max_length = -1')
    await pool.query('select pg_reload_conf()')
    runDb('migrate', database.url)
    const collector = await startCollector()
    world.atEndOfGroup(collector.stop)
    const env = { DATABASE_URL: database.url, LOG_LEVEL: 'debug', ...collector.env }
    const node = await world.node('statements are written down', env)

    const canary = () => `canary-${crypto.randomUUID()} 7`
    const [wrong, joining, asAddress] = [canary(), canary(), canary()]
    const email = nobody()
    await world.try(email, wrong, { node })
    // Into the wrong field, as it happens to everybody.
    await world.try(asAddress, wrong, { node })
    await world.try(`${asAddress}@example.com`, wrong, { node })
    await submit(world, 'signIn', { email, password: wrong }, { node })
    assert.ok(verdict(await submit(world, 'signUp', { email, name: 'Somebody', password: joining }, { node })))
    const { rows: users } = await pool.query(
      `insert into users (email, name, email_verified_at) values ($1, 'Somebody', now()) returning id`,
      [`known-${email}`],
    )
    await pool.query('insert into passwords (user_id, hash) values ($1, $2)', [users[0].id, world.hash])
    const jar = await world.signIn({ id: users[0].id, email: `known-${email}` }, { node })
    await submit(world, 'confirmIdentity', { password: wrong }, { node, jar })
    await submit(world, 'changePassword', { current: wrong, next: joining }, { node, jar })

    const figures = await collector.figures()
    // With its end it sends the traces that it has.
    await node.stop()
    assert.ok(collector.spans().length > 20, 'there are no traces')
    const statements = readFileSync(join(folder, 'postgres', 'log'), 'utf8')
    const { rows: tables } = await pool.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')`,
    )
    let rows = ''
    for (const { name } of tables)
      rows += (await pool.query(`select coalesce(string_agg(t::text, E'\\n'), '') as text from ${name} t`)).rows[0].text
    await pool.end()
    // The log holds what was bound, or its silence says nothing.
    assert.ok(statements.includes(email), 'the database did not write down what was bound')
    const places = {
      'the statements': statements,
      'the tables': rows,
      'the log': node.output(),
      traces: collector.text(),
      figures,
    }
    for (const [where, text] of Object.entries(places))
      for (const secret of [wrong, joining, asAddress, jar.token])
        assert.ok(!text.includes(secret), `${secret.slice(0, 10)}… is in ${where}`)
    return `${statements.split('\n').length} lines of statements, ${tables.length} tables`
  },
)

check(
  'H-260',
  'a provider that refuses our own secret leaves neither it, nor a code or token, in the log',
  async (world) => {
    const provider = await startBadProvider()
    world.atEndOfGroup(provider.stop)
    keepSecret(provider.secret)
    const node = await world.node('refused by its provider', provider.env)
    const sent: string[] = [provider.secret]
    for (const id of ['google', 'github'] as ProviderId[]) {
      const token = crypto.randomUUID() + crypto.randomUUID()
      sent.push(token)
      provider.behave({
        token: (_, response) =>
          void response
            .writeHead(401, { 'content-type': 'application/json' })
            .end(JSON.stringify({ error: 'invalid_client', error_description: provider.secret, access_token: token })),
      })
      const jar = new Jar()
      const led = await fetch(await start(node, id, jar), { redirect: 'manual' })
      const callback = new URL(led.headers.get('location') ?? '')
      for (const name of ['code', 'state']) sent.push(callback.searchParams.get(name) ?? assert.fail(name))
      const answer = await comeBack(node, callback, jar)
      assert.match(answer.headers.location ?? '', /\/signin\?error=/)
      assert.equal(jar.token, '')
    }
    assert.match(node.output(), /sign-in by provider failed/)
    for (const secret of sent) assert.ok(!node.output().includes(secret), `${secret.slice(0, 8)}… is in the log`)
  },
)

const complete = (world: World) => ({
  AUTH_SECRET: world.env.AUTH_SECRET,
  AUTH_URL: 'https://app.example.com',
  DATABASE_URL: world.env.DATABASE_URL,
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'plinth@example.com',
  ALLOW_SEEDED_PEOPLE: '1',
})

check('H-261', 'without AUTH_SECRET the app does not start, and says how to make one', async (world) => {
  const { code, output, answered } = await runUntilExit({ ...complete(world), AUTH_SECRET: '' })
  assert.deepEqual([code, answered], [1, false])
  assert.match(output, /AUTH_SECRET: is missing.*randomBytes/)
})

check('H-262', 'with an AUTH_SECRET that can be guessed the app does not start', async (world) => {
  const example = /^AUTH_SECRET=(.*)$/m.exec(readFileSync(join(root, '.env.example'), 'utf8'))?.[1] ?? assert.fail()
  const good = world.env.AUTH_SECRET
  const weak = [
    'changeme',
    example,
    good.slice(0, 31),
    '0123456789'.repeat(4),
    'please-change-me-in-production-now',
    `${good},changeme`,
  ]
  for (const secret of weak) {
    const { code, output, answered } = await runUntilExit({ ...complete(world), AUTH_SECRET: secret })
    assert.deepEqual([code, answered], [1, false], secret)
    assert.match(output, /AUTH_SECRET: is (missing|shorter|too easy)/, secret)
    if (secret) assert.ok(!output.includes(secret), 'it repeats the secret')
  }
  return `${weak.length} secrets`
})

check(
  'H-263',
  'one secret replaces another: what was made before stays good, what is made now is of the new',
  async (world) => {
    const [old, young] = [world.env.AUTH_SECRET, 'Zt5mQ8wLr2NxC7vB4kJh9gFd1sAp6yUe3iOo0']
    keepSecret(young)
    const provider = await startBadProvider()
    world.atEndOfGroup(provider.stop)
    const before = await world.node('the old secret', provider.env)
    const both = await world.node('both secrets', { ...provider.env, AUTH_SECRET: `${young},${old}` })
    const after = await world.node('the new secret', { ...provider.env, AUTH_SECRET: young })

    // Sessions are of the database, and do not depend on it.
    const { jar } = await world.newSession({ role: 'admin' })
    for (const node of [before, both, after]) assert.notEqual(await world.session(jar, node), null)

    // What Auth.js seals into cookies while somebody is at the provider.
    const travel = async (from: RunningServer, to: RunningServer) => {
      provider.behave({ claims: { email: nobody(), email_verified: true } })
      const cookies = new Jar()
      const led = await fetch(await start(from, 'google', cookies), { redirect: 'manual' })
      const answer = await comeBack(to, new URL(led.headers.get('location') ?? ''), cookies)
      return /error=/.test(answer.headers.location ?? '') ? 'refused' : 'in'
    }
    const journeys = [
      [before, both],
      [both, after],
      [both, before],
      [before, after],
    ] as const
    const ends: string[] = []
    for (const [from, to] of journeys) ends.push(await travel(from, to))
    assert.deepEqual(ends, ['in', 'in', 'refused', 'refused'])

    if (!hasModule('admin')) return
    // What the app itself seals: the place in a list.
    const path = '/api/demo/admin/users?limit=1'
    const cursorOf = async (node: RunningServer) => {
      const found = JSON.stringify((await call(node.url, path, { jar: jar.copy() })).json())
      return /"next\w*":"([\w-]+)"/i.exec(found)?.[1] ?? assert.fail(found.slice(0, 300))
    }
    const accepts = async (node: RunningServer, cursor: string) =>
      (await call(node.url, `${path}&cursor=${cursor}`, { jar: jar.copy() })).status
    const [ofOld, ofBoth] = [await cursorOf(before), await cursorOf(both)]
    assert.deepEqual(await Promise.all([both, after].map((node) => accepts(node, ofOld))), [200, 422])
    assert.deepEqual(await Promise.all([both, after, before].map((node) => accepts(node, ofBoth))), [200, 200, 422])
  },
)

check(
  'H-264',
  'no file of settings is in git or in the build, and no name or value of one is in what browsers get',
  async (world) => {
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
    assert.deepEqual(
      tracked.filter((file) => /(^|\/)\.env/.test(file)),
      ['.env.example'],
    )
    const settings = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^([A-Z_\d]+)=(.*)$/gm)]
    const secretOnes = settings.filter(([, name = '']) => /SECRET|PASSWORD$|_KEY$|_URL$/.test(name))
    assert.ok(secretOnes.length > 3)
    for (const [, name, value] of secretOnes) assert.equal(value, '', name)
    assert.deepEqual(globSync('.next/**/.env*', { cwd: root }), [])
    const shipped = globSync('.next/static/**/*.{js,css,json,html}', { cwd: root })
    assert.ok(shipped.length > 10)
    const names = settings.map(([, name = '']) => name).filter((name) => name.includes('_'))
    for (const file of shipped) {
      const text = readFileSync(join(root, file), 'utf8')
      for (const part of [...names, world.env.AUTH_SECRET, world.env.DATABASE_URL, 'process.env.'])
        assert.ok(!text.includes(part), `${file} holds ${part}`)
    }
    return `${tracked.length} files in git, ${shipped.length} for browsers, ${names.length} names`
  },
)

check(
  'H-265',
  'with a provider that is set up wrongly nobody becomes somebody, and every door stays closed',
  async (world) => {
    const dead = { AUTH_GOOGLE_ID: 'x', AUTH_GOOGLE_SECRET: 'x', AUTH_GITHUB_ID: 'x', AUTH_GITHUB_SECRET: 'x' }
    // Neither an issuer nor an endpoint answers there.
    const url = 'http://127.0.0.1:9'
    const node = await world.node('wrong provider', { ...dead, AUTH_GOOGLE_ISSUER: url, AUTH_GITHUB_URL: url })
    const { csrfToken } = (await call(node.url, '/api/auth/csrf')).json()
    for (const how of [{}, { jar: new Jar({ 'plinth.csrf': `${csrfToken}|x`, 'plinth.session': 'x' }) }]) {
      assert.equal((await call(node.url, '/api/auth/session', how)).json(), null)
      for (const { name } of guardedActions())
        assert.equal(verdict(await submit(world, name, {}, { node, ...how })), 'unauthenticated', name)
      for (const path of everyAddress().filter((one) => /^\/(dashboard|account|admin|content)/.test(one))) {
        const answer = await call(node.url, path, how)
        assert.match(answer.headers.location ?? '', /^\/signin/, path)
      }
    }
    for (const id of ['google', 'github']) {
      const answer = await call(node.url, `/api/auth/callback/${id}?code=x&state=x`)
      assert.match(answer.headers.location ?? '', /\/signin\?error=/)
    }
    // A password is enough, whatever the providers do.
    assert.notEqual((await world.signIn(await world.newPerson(), { node })).token, '')
  },
)
