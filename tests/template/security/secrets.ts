// Secrets: in no log, SQL statement or bundle; weak ones prevent the start; one can replace another.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createServer } from '../../../scripts/postgres.ts'
import { root } from '../../../scripts/root.ts'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { startCollector } from '../../app/support/collector.ts'
import { runDb } from '../../app/support/database.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { call, Jar } from '../../app/support/http-client.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { type RunningServer, runUntilExit } from '../../app/support/server.ts'
import { guardedActions, verdict } from '../../app/support/server-actions.ts'
import { everyPath, unusedEmail, type World } from '../../app/support/test-world.ts'
import { startBadProvider } from './support/misbehaving-provider.ts'
import { callCallback, type ProviderId, startOAuth } from './support/oauth-flow.ts'

check(
  'H-259',
  'a typed password is in no log line, SQL statement, table, trace or metric',
  async (world) => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-statements-'))
    // PostgreSQL may run as another operating system user.
    chmodSync(folder, 0o755)
    const database = await createServer(join(folder, 'postgres'))
    await database.start()
    world.atEndOfGroup(async () => {
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    registerSecret(database.url)
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    await pool.query(`alter system set log_statement = 'all'`)
    await pool.query('alter system set log_parameter_max_length = -1')
    await pool.query('select pg_reload_conf()')
    runDb('migrate', database.url)
    const collector = await startCollector()
    world.atEndOfGroup(collector.stop)
    const env = { DATABASE_URL: database.url, LOG_LEVEL: 'debug', ...collector.env }
    const node = await world.node('logs SQL statements', env)

    const canary = () => `canary-${crypto.randomUUID()} 7`
    const [wrong, newPassword, typedAsEmail] = [canary(), canary(), canary()]
    const email = unusedEmail()
    await world.trySignIn(email, wrong, { node })
    // Typed into the wrong field, as happens.
    await world.trySignIn(typedAsEmail, wrong, { node })
    await world.trySignIn(`${typedAsEmail}@example.com`, wrong, { node })
    await submitAction(world, 'signIn', { email, password: wrong }, { node })
    assert.ok(
      verdict(await submitAction(world, 'signUp', { email, name: 'Test User', password: newPassword }, { node })),
    )
    const { rows: users } = await pool.query(
      `insert into users (email, name, email_verified_at) values ($1, 'Test User', now()) returning id`,
      [`known-${email}`],
    )
    await pool.query('insert into passwords (user_id, hash) values ($1, $2)', [users[0].id, world.hash])
    const jar = await world.signIn({ id: users[0].id, email: `known-${email}` }, { node })
    await submitAction(world, 'reauthenticate', { password: wrong }, { node, jar })
    await submitAction(world, 'changePassword', { current: wrong, next: newPassword }, { node, jar })

    const metrics = await collector.metrics()
    // Stopping the node flushes its traces.
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
    // The log contains bound parameters; otherwise the absence of a password would prove nothing.
    assert.ok(statements.includes(email), 'the database did not log bound parameters')
    const outputs = {
      'the statements': statements,
      'the tables': rows,
      'the log': node.output(),
      traces: collector.text(),
      figures: metrics,
    }
    for (const [location, text] of Object.entries(outputs))
      for (const secret of [wrong, newPassword, typedAsEmail, jar.token])
        assert.ok(!text.includes(secret), `${secret.slice(0, 10)}… is in ${location}`)
    return `${statements.split('\n').length} lines of statements, ${tables.length} tables`
  },
  { full: 'needs other servers' },
)

check(
  'H-260',
  'when a provider rejects our client secret, neither it nor a code or token is in the log',
  async (world) => {
    const provider = await startBadProvider()
    world.atEndOfGroup(provider.stop)
    registerSecret(provider.secret)
    const node = await world.node('rejected by its provider', provider.env)
    const sent: string[] = [provider.secret]
    for (const id of ['google', 'github'] as ProviderId[]) {
      const token = crypto.randomUUID() + crypto.randomUUID()
      sent.push(token)
      provider.setBehavior({
        token: (_, response) =>
          void response
            .writeHead(401, { 'content-type': 'application/json' })
            .end(JSON.stringify({ error: 'invalid_client', error_description: provider.secret, access_token: token })),
      })
      const jar = new Jar()
      const redirect = await fetch(await startOAuth(node, id, jar), { redirect: 'manual' })
      const callback = new URL(redirect.headers.get('location') ?? '')
      for (const name of ['code', 'state']) sent.push(callback.searchParams.get(name) ?? assert.fail(name))
      const result = await callCallback(node, callback, jar)
      assert.match(result.headers.location ?? '', /\/signin\?error=/)
      assert.equal(jar.token, '')
    }
    assert.match(node.output(), /OAuth sign-in failed/)
    for (const secret of sent) assert.ok(!node.output().includes(secret), `${secret.slice(0, 8)}… is in the log`)
  },
  { full: 'needs other servers' },
)

const completeEnv = (world: World) => ({
  AUTH_SECRET: world.env.AUTH_SECRET,
  AUTH_URL: 'https://app.example.com',
  DATABASE_URL: world.env.DATABASE_URL,
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'plinth@example.com',
  ALLOW_SEEDED_PEOPLE: '1',
})

check(
  'H-261',
  'without AUTH_SECRET the app does not start, and says how to make one',
  async (world) => {
    const { code, output, hasResponded } = await runUntilExit({ ...completeEnv(world), AUTH_SECRET: '' })
    assert.deepEqual([code, hasResponded], [1, false])
    assert.match(output, /AUTH_SECRET: is missing.*randomBytes/)
  },
  { full: 'needs other servers' },
)

check(
  'H-262',
  'with an AUTH_SECRET that can be guessed the app does not start',
  async (world) => {
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
      const { code, output, hasResponded } = await runUntilExit({ ...completeEnv(world), AUTH_SECRET: secret })
      assert.deepEqual([code, hasResponded], [1, false], secret)
      assert.match(output, /AUTH_SECRET: is (missing|shorter|too easy)/, secret)
      if (secret) assert.ok(!output.includes(secret), 'the output contains the secret')
    }
    return `${weak.length} secrets`
  },
  { full: 'needs other servers' },
)

check(
  'H-263',
  'secret rotation: values made with the old secret stay valid, new ones use the new secret',
  async (world) => {
    const [old, newSecret] = [world.env.AUTH_SECRET, 'Zt5mQ8wLr2NxC7vB4kJh9gFd1sAp6yUe3iOo0']
    registerSecret(newSecret)
    const provider = await startBadProvider()
    world.atEndOfGroup(provider.stop)
    const before = await world.node('the old secret', provider.env)
    const both = await world.node('both secrets', { ...provider.env, AUTH_SECRET: `${newSecret},${old}` })
    const after = await world.node('the new secret', { ...provider.env, AUTH_SECRET: newSecret })

    // Sessions are in the database and do not depend on the secret.
    const { jar } = await world.newSession({ role: 'admin' })
    for (const node of [before, both, after]) assert.notEqual(await world.getSession(jar, node), null)

    // The cookies that Auth.js encrypts during the OAuth flow.
    const signInAcross = async (from: RunningServer, to: RunningServer) => {
      provider.setBehavior({ claims: { email: unusedEmail(), email_verified: true } })
      const cookies = new Jar()
      const redirect = await fetch(await startOAuth(from, 'google', cookies), { redirect: 'manual' })
      const result = await callCallback(to, new URL(redirect.headers.get('location') ?? ''), cookies)
      return /error=/.test(result.headers.location ?? '') ? 'rejected' : 'in'
    }
    const nodePairs = [
      [before, both],
      [both, after],
      [both, before],
      [before, after],
    ] as const
    const results: string[] = []
    for (const [from, to] of nodePairs) results.push(await signInAcross(from, to))
    assert.deepEqual(results, ['in', 'in', 'rejected', 'rejected'])

    if (!hasModule('admin')) return
    // The cursors that the app itself encrypts.
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
  { full: 'needs other servers' },
)

check(
  'H-264',
  'no .env file is in git or in the build, and no setting’s name or value is in the browser bundle',
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
  'with a misconfigured provider nobody is authenticated, and everything guarded stays closed',
  async (world) => {
    const dead = { AUTH_GOOGLE_ID: 'x', AUTH_GOOGLE_SECRET: 'x', AUTH_GITHUB_ID: 'x', AUTH_GITHUB_SECRET: 'x' }
    // Nothing listens at this URL.
    const url = 'http://127.0.0.1:9'
    const node = await world.node('wrong provider', { ...dead, AUTH_GOOGLE_ISSUER: url, AUTH_GITHUB_URL: url })
    const { csrfToken } = (await call(node.url, '/api/auth/csrf')).json()
    for (const how of [{}, { jar: new Jar({ [`${appSlug}.csrf`]: `${csrfToken}|x`, [`${appSlug}.session`]: 'x' }) }]) {
      assert.equal((await call(node.url, '/api/auth/session', how)).json(), null)
      for (const { name } of guardedActions())
        assert.equal(verdict(await submitAction(world, name, {}, { node, ...how })), 'unauthenticated', name)
      for (const path of everyPath().filter((one) => /^\/(dashboard|account|admin|content)/.test(one))) {
        let result = await call(node.url, path, how)
        // Pages that moved redirect everyone, with 308, to pages that are guarded.
        if (result.status === 308) result = await call(node.url, result.headers.location ?? '', how)
        assert.match(result.headers.location ?? '', /^\/signin/, path)
      }
    }
    for (const id of ['google', 'github']) {
      const result = await call(node.url, `/api/auth/callback/${id}?code=x&state=x`)
      assert.match(result.headers.location ?? '', /\/signin\?error=/)
    }
    // Password sign-in works, whatever the providers do.
    assert.notEqual((await world.signIn(await world.newUser(), { node })).token, '')
  },
  { full: 'needs other servers' },
)
