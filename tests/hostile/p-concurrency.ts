// P. What must hold however the requests of several people fall together.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, request } from 'node:http'
import { captured, everyAction, verdict } from './actions.ts'
import { apart } from './apart.ts'
import { assertSoon, check, checkModule, hasModule } from './checks.ts'
import { type Answer, call, Jar, someAddress } from './client.ts'
import { signInAt } from './oauth-journey.ts'
import { answersJudged, keepSecret } from './oracles.ts'
import { everyAddress, nobody, type Person, password, someToken, submit, type World } from './world.ts'

const chosen = 'an entirely different horse 3'
keepSecret(chosen)

const sha256 = (text: string) => createHash('sha256').update(text).digest()
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const together = <T>(times: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

checkModule('admin', 'H-242', 'of ten who delete somebody at once one does', async (world) => {
  const other = await world.node('second')
  const admins = [await world.newSession({ role: 'admin' }), await world.newSession({ role: 'admin' })]
  for (let round = 0; round < 5; round++) {
    const victim = await world.newSession()
    const input = { userId: victim.id, confirmation: victim.email }
    const verdicts = await together(10, async (index) => {
      const { jar } = admins[index % 2] ?? assert.fail()
      return verdict(
        await submit(world, 'deleteUser', input, { jar: jar.copy(), node: index % 4 > 1 ? other : world.app }),
      )
    })
    assert.deepEqual(
      verdicts.toSorted(),
      [...Array(9).fill('not_found'), 'to /admin/users?done=deleted'],
      `round ${round}`,
    )
    const events = await world.query(`select id from audit_events where kind = 'person.deleted' and target_id = $1`, [
      victim.id,
    ])
    assert.equal(events.length, 1)
    assert.equal((await world.mailsTo(victim.email)).length, 1)
    for (const node of [world.app, other]) assert.equal(await world.session(victim.token, node), null)
  }
})

/** Fifty sign-ins of one person at once: how many got in, and how long the slowest waited. */
async function crowd(world: World): Promise<{ entered: number; slowest: number }> {
  const other = await world.node('second')
  const person = await world.newPerson()
  const answers = await together(50, (index) =>
    world.try(person.email, password, { node: index % 2 ? other : world.app }),
  )
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  assert.equal(count(200) + count(429) + count(503), 50, String(answers.map(({ status }) => status)))
  const entered = count(200)
  assert.ok(entered >= 1)
  const tokens = answers.flatMap(({ setCookies }) => /plinth\.session=([\w-]{43})/.exec(setCookies.join())?.[1] ?? [])
  assert.equal(new Set(tokens).size, entered)
  // Every success forgets the tries before it, so many may come through; of their sessions twenty stay.
  const alive = (await Promise.all(tokens.map((token) => world.session(token)))).filter((session) => session !== null)
  for (const { user } of alive) assert.equal(user.id, person.id)
  const rows = await world.query('select id from sessions where user_id = $1', [person.id])
  assert.deepEqual([rows.length, alive.length], [Math.min(entered, 20), Math.min(entered, 20)])
  return { entered, slowest: Math.max(...answers.map(({ milliseconds }) => milliseconds)) }
}

check(
  'H-243',
  'fifty sign-ins of one person at once: a session for each that comes through, twenty at most',
  async (world) => {
    // Others may use this machine, too: of three crowds one must be quick, and all must be right.
    const crowds = [await crowd(world), await crowd(world), await crowd(world)]
    const slowest = Math.min(...crowds.map((one) => one.slowest))
    assertSoon(slowest < 5_000, `${slowest} ms`)
    return `${crowds.map(({ entered }) => entered)} signed in, the slowest after ${slowest.toFixed(0)} ms`
  },
)

check('H-244', 'of twenty sign-ups with one address that are confirmed at once one becomes a person', async (world) => {
  const other = await world.node('second')
  const email = nobody()
  // Asked for at once, in all spellings: past the limit nothing is noted.
  const asked = await together(20, (index) => {
    const typed = index % 2 ? email.toUpperCase() : ` ${email}`
    return submit(
      world,
      'signUp',
      { name: `Number ${index}`, email: typed, password },
      { node: index % 3 ? other : world.app },
    )
  })
  const kinds = asked.map(verdict)
  assert.deepEqual(
    kinds.filter((kind) => kind !== 'ok' && kind !== 'rate_limited'),
    [],
  )
  assert.equal(kinds.filter((kind) => kind === 'ok').length, 3)
  // As if over several days.
  await world.query(
    `insert into signups (email, name, password_hash) select $1, 'Number ' || n, $2 from generate_series(20, 36) n`,
    [email, world.hash],
  )
  const signups = await world.query('select id from signups where email = $1', [email])
  assert.equal(signups.length, 20)
  const tokens = signups.map(() => someToken())
  for (const [index, { id }] of signups.entries())
    await world.query(
      `insert into tokens (hash, purpose, signup_id, expires_at) values ($1, 'signup', $2, now() + interval '1 hour')`,
      [sha256(tokens[index] ?? ''), id],
    )
  const confirmed = await together(20, async (index) =>
    verdict(
      await submit(
        world,
        'confirmAddress',
        { token: tokens[index], password },
        { node: index % 2 ? other : world.app },
      ),
    ),
  )
  assert.equal(confirmed.filter((kind) => kind === 'to /dashboard').length, 1, String(confirmed))
  for (const kind of confirmed) assert.match(kind, /^(to \/dashboard|conflict|not_found|unavailable)$/)
  assert.equal((await world.query('select id from users where lower(email) = $1', [email])).length, 1)
  assert.deepEqual(await world.query('select id from signups where email = $1', [email]), [])
})

check('H-245', 'signing in while the account is deleted leaves no session, whichever comes first', async (world) => {
  const other = await world.node('second')
  const people = await world.newPeople(20)
  let entered = 0
  for (const [round, person] of people.entries()) {
    const jar = await world.enter(person)
    const [signedIn, deleted] = await Promise.all([
      world.try(person.email, password, { node: other }),
      wait(round * 3).then(() => submit(world, 'deleteAccount', { confirmation: person.email }, { jar })),
    ])
    assert.equal(verdict(deleted), 'to /signed-out')
    assert.ok([200, 401].includes(signedIn.status), String(signedIn.status))
    if (signedIn.status === 200) entered++
    const token = /plinth\.session=([\w-]{43})/.exec(signedIn.setCookies.join())?.[1]
    if (token) for (const node of [world.app, other]) assert.equal(await world.session(token, node), null)
    assert.deepEqual(await world.query('select id from sessions where user_id = $1', [person.id]), [])
  }
  return `${entered} of ${people.length} were in for a moment`
})

check('H-246', 'no session that the old password began outlives its change, 50 times of 50', async (world) => {
  const other = await world.node('second')
  const people = await world.newPeople(50)
  let entered = 0
  for (const [round, person] of people.entries()) {
    const jar = await world.enter(person)
    // The change takes two hashes, the sign-in one: the later it starts, the nearer they end.
    const [changed, ...signedIn] = await Promise.all([
      submit(world, 'changePassword', { current: password, next: chosen }, { jar }),
      ...[0, 1].map(async (half): Promise<Answer> => {
        await wait((round % 25) * 2 + half * 10)
        return world.try(person.email, password, { node: half ? other : world.app })
      }),
    ])
    assert.equal(verdict(changed), 'ok', `round ${round}`)
    for (const answer of signedIn) {
      assert.ok([200, 401].includes(answer.status), `round ${round}: ${answer.status}`)
      if (answer.status === 200) entered++
      const token = /plinth\.session=([\w-]{43})/.exec(answer.setCookies.join())?.[1]
      if (token)
        for (const node of [world.app, other]) assert.equal(await world.session(token, node), null, `round ${round}`)
    }
    const rows = await world.query('select token_hash from sessions where user_id = $1', [person.id])
    assert.deepEqual(rows, [{ token_hash: sha256(jar.token) }], `round ${round}`)
    assert.equal((await world.session(jar, other)).user.id, person.id)
  }
  return `${entered} of 100 sign-ins with the old password were in time, and are over`
})

check('H-247', 'of two changes of address the one whose link was used counts, and the other is dead', async (world) => {
  const other = await world.node('second')
  for (let round = 0; round < 5; round++) {
    const { jar, id } = await world.newSession()
    const wanted = [nobody(), nobody()]
    await together(2, async (index) =>
      assert.equal(verdict(await submit(world, 'changeEmail', { email: wanted[index] }, { jar: jar.copy() })), 'ok'),
    )
    // Each mail holds the link for the very address that it was sent to.
    const links: { address: string; token: string }[] = []
    for (const address of wanted)
      for (const { text } of await world.mailsTo(address))
        links.push({ address, token: /token=([\w-]{43})/.exec(text)?.[1] ?? assert.fail() })
    assert.ok(links.length > 0)
    for (const { address, token } of links) {
      const [row] = await world.query('select email from tokens where hash = $1', [sha256(token)])
      assert.equal(row.email, address)
    }
    // One that was asked for before is as good, until one is used.
    const tokens = wanted.map(() => someToken())
    for (const [index, token] of tokens.entries())
      await world.query(
        `insert into tokens (hash, purpose, user_id, email, expires_at) values ($1, 'account.email', $2, $3, now() + interval '1 hour')`,
        [sha256(token), id, wanted[index]],
      )
    const verdicts = await together(2, async (index) =>
      verdict(await submit(world, 'confirmEmail', { token: tokens[index] }, { node: index ? other : world.app })),
    )
    assert.deepEqual([...verdicts].sort(), ['not_found', 'ok'], `round ${round}`)
    const [{ email }] = await world.query('select email from users where id = $1', [id])
    assert.equal(email, wanted[verdicts.indexOf('ok')])
    for (const { token } of links) assert.equal(verdict(await submit(world, 'confirmEmail', { token })), 'not_found')
  }
})

checkModule(
  'admin',
  'H-248',
  'a decision that falls together with a change of role is made for one of the two, and wholly',
  async (world) => {
    const other = await world.node('second')
    const chief = await world.newSession({ role: 'admin' })
    const acting = await world.newSession({ role: 'admin' })
    const victim = await world.newPerson()
    const counts = { before: 0, after: 0 }
    const changes = async () =>
      (await world.query(`select id from audit_events where kind = 'role.changed' and target_id = $1`, [victim.id]))
        .length
    for (let round = 0; round < 40; round++) {
      await world.query(`update users set role = 'admin' where id = $1`, [acting.id])
      await world.query(`update users set role = 'viewer' where id = $1`, [victim.id])
      const written = await changes()
      const by = { jar: acting.jar.copy(), node: other }
      const [demoted, changed, list, page] = await Promise.all([
        wait(round % 10).then(() =>
          submit(world, 'updateUserRole', { userId: acting.id, role: 'viewer' }, { jar: chief.jar.copy() }),
        ),
        wait(round % 7).then(() => submit(world, 'updateUserRole', { userId: victim.id, role: 'editor' }, by)),
        wait(round % 5).then(() => call(other.url, '/api/demo/admin/users?limit=1', { jar: acting.jar.copy() })),
        wait(round % 3).then(() => call(other.url, `/admin/users/${victim.id}`, { jar: acting.jar.copy() })),
      ])
      assert.equal(verdict(demoted), 'ok')
      const [{ role }] = await world.query('select role from users where id = $1', [victim.id])
      if (verdict(changed) === 'ok') {
        assert.deepEqual([role, await changes()], ['editor', written + 1], `round ${round}`)
        counts.before++
      } else {
        assert.deepEqual([verdict(changed), role, await changes()], ['forbidden', 'viewer', written], `round ${round}`)
        counts.after++
      }
      const isListed = list.status === 200 && list.json().users.length === 1
      assert.ok(isListed || (list.status === 403 && list.json().code === 'forbidden'), `round ${round}: ${list.status}`)
      assert.equal(page.text.includes(victim.email), page.status === 200, `round ${round}`)
      assert.ok([200, 404].includes(page.status), `round ${round}: ${page.status}`)
      // Afterwards there is one answer.
      assert.equal((await call(other.url, '/api/demo/admin/users', { jar: acting.jar.copy() })).status, 403)
    }
    return `${counts.before} were still an admin’s, ${counts.after} no more`
  },
)

check('H-249', 'ten first sign-ins of one identity at once make one person', async (world) => {
  for (const provider of ['google', 'github'] as const) {
    const email = nobody()
    const journeys = await together(10, () => signInAt(world.app, provider, email))
    const people = await world.query('select id from users where email = $1', [email])
    assert.equal(people.length, 1, provider)
    const accounts = await world.query('select user_id from accounts where user_id = $1', [people[0].id])
    assert.equal(accounts.length, 1, provider)
    for (const { jar } of journeys.filter((journey) => journey.jar.token))
      assert.equal((await world.session(jar)).user.id, people[0].id)
    assert.ok(journeys.some(({ jar }) => jar.token))
  }
})

check(
  'H-250',
  'twenty requests of one browser at once are all of one person, also when the session is renewed',
  async (world) => {
    const other = await world.node('second')
    const { jar, id } = await world.newSession()
    await world.query(`update sessions set last_seen_at = now() - interval '1 hour' where user_id = $1`, [id])
    const sessions = await together(20, (index) => world.session(jar, index % 2 ? other : world.app))
    for (const session of sessions) assert.equal(session.user.id, id)
    // While it gets another token, a request has the old one or the new one, and is never signed out by the app.
    const [confirmed, ...answers] = await Promise.all([
      submit(world, 'confirmIdentity', { password }, { jar: jar.copy() }),
      ...Array.from({ length: 20 }, () => world.get('/api/auth/session', { jar: jar.copy() })),
    ])
    assert.equal(verdict(confirmed), 'to /dashboard')
    for (const answer of answers) assert.deepEqual([answer.status, answer.setCookies], [200, []])
    const renewed = new Jar()
    renewed.take(confirmed.setCookies)
    assert.equal((await world.session(renewed)).user.id, id)
    assert.equal((await world.query('select id from sessions where user_id = $1', [id])).length, 1)
  },
)

check('H-251', 'of two names at once one is stored, whole', async (world) => {
  const other = await world.node('second')
  const { jar, id } = await world.newSession()
  const [before] = await world.query(`select to_jsonb(users) - 'name' - 'updated_at' as row from users where id = $1`, [
    id,
  ])
  for (let round = 0; round < 20; round++) {
    const names = ['A', 'B'].map((letter) => `${letter}${round} `.repeat(20).trim())
    const answers = await together(2, (index) =>
      submit(
        world,
        'updateProfile',
        { name: names[index], email: nobody() },
        { jar: jar.copy(), node: index ? other : world.app },
      ),
    )
    assert.deepEqual(answers.map(verdict), ['ok', 'ok'])
    const [row] = await world.query(
      `select name, to_jsonb(users) - 'name' - 'updated_at' as row from users where id = $1`,
      [id],
    )
    assert.ok(names.includes(row.name), row.name)
    assert.deepEqual(row.row, before.row)
  }
})

check('H-252', 'what the database ends because two collided is done again, once, and nobody notices', async (world) => {
  // A sequence is not undone with its transaction: the first two tries fail, whatever they did before.
  await world.query(`
    create sequence hostile_tries;
    create function hostile_collide() returns trigger language plpgsql as $$ begin
      if nextval('hostile_tries') <= 2 then raise exception 'collision' using errcode = tg_argv[0]; end if;
      return coalesce(new, old);
    end $$`)
  try {
    const steps: [
      table: string,
      event: string,
      kind: string,
      run: (person: Person & { jar: Jar }) => Promise<string>,
    ][] = [
      ['sessions', 'insert', 'session.started', async ({ email }) => `status ${(await world.try(email)).status}`],
      [
        'passwords',
        'update',
        'password.changed',
        async ({ jar }) => verdict(await submit(world, 'changePassword', { current: password, next: chosen }, { jar })),
      ],
      [
        'users',
        'delete',
        'person.deleted',
        async ({ jar, email }) => verdict(await submit(world, 'deleteAccount', { confirmation: email }, { jar })),
      ],
    ]
    for (const code of ['40P01', '40001'])
      for (const [table, event, kind, run] of steps) {
        const person = await world.newPerson()
        const jar = await world.enter(person)
        await world.query(`
          alter sequence hostile_tries restart;
          create trigger hostile_collide after ${event} on ${table} for each row execute function hostile_collide('${code}')`)
        const said = await run({ ...person, jar })
        await world.query(`drop trigger hostile_collide on ${table}`)
        assert.match(said, /^(status 200|ok|to \/signed-out)$/, `${kind} after ${code}`)
        const events = await world.query('select id from audit_events where kind = $1 and target_id = $2', [
          kind,
          person.id,
        ])
        assert.equal(events.length, 1, kind)
      }
  } finally {
    await world.query('drop function hostile_collide cascade; drop sequence hostile_tries')
  }
})

/** Sends the action, and hangs up before it is answered. */
async function hangUp(world: World, name: string, input: object, jar: Jar): Promise<void> {
  const action = everyAction().find((one) => one.name === name)
  const { port, host, origin } = new URL(world.app.url)
  const body = JSON.stringify([input])
  const headers = {
    Host: host,
    Cookie: String(jar),
    Origin: origin,
    'X-Forwarded-For': someAddress(),
    'Sec-Fetch-Site': 'same-origin',
    'Next-Action': action?.id,
    'Content-Type': 'text/plain;charset=UTF-8',
    Accept: 'text/x-component',
    'Content-Length': Buffer.byteLength(body),
  }
  const asked = request({ host: '127.0.0.1', port, method: 'POST', path: action?.page, headers, agent: false })
  asked.on('error', () => {})
  asked.end(body)
  await wait(15)
  asked.destroy()
}

check('H-253', 'an action that is sent again because its answer was lost has its effect once', async (world) => {
  const count = async (kind: string, id: string) =>
    (await world.query('select id from audit_events where kind = $1 and target_id = $2', [kind, id])).length
  for (let round = 0; round < 3; round++) {
    const changer = await world.newSession()
    const input = { current: password, next: chosen }
    await hangUp(world, 'changePassword', input, changer.jar.copy())
    const again = verdict(await submit(world, 'changePassword', input, { jar: changer.jar }))
    // Either it was done, and the token of before is worth nothing, or it is done now.
    assert.match(again, /^(unauthenticated|ok|conflict|invalid_credentials)$/)
    await wait(150)
    assert.equal(await count('password.changed', changer.id), 1)
    assert.equal((await world.try(changer.email, chosen)).status, 200)
    assert.equal((await world.mailsTo(changer.email)).length, 1)

    const leaver = await world.newSession()
    await hangUp(world, 'deleteAccount', { confirmation: leaver.email }, leaver.jar.copy())
    const gone = verdict(await submit(world, 'deleteAccount', { confirmation: leaver.email }, { jar: leaver.jar }))
    assert.match(gone, /^(unauthenticated|to \/signed-out|not_found)$/)
    await wait(50)
    assert.equal(await count('person.deleted', leaver.id), 1)
    assert.equal((await world.mailsTo(leaver.email)).length, 1)
  }
})

check('H-255', 'at no moment is there no admin, while three of them leave again and again', async (world) => {
  const place = await apart(world)
  await place.pool.query('truncate users cascade')
  const admins = [await place.add('admin'), await place.add('admin'), await place.add('admin')]
  let isOver = false
  let fewest = Number.POSITIVE_INFINITY
  let samples = 0
  const watching = (async () => {
    while (!isOver) {
      fewest = Math.min(fewest, await place.countAdmins())
      samples++
      await wait(2)
    }
  })()
  for (let round = 0; round < 10; round++) {
    const verdicts = await together(admins.length, async (index) => {
      const { email, jar } = admins[index] ?? assert.fail()
      const node = place.nodes[index % 2 === 0 ? 0 : 1]
      return verdict(await submit(world, 'deleteAccount', { confirmation: email }, { jar: jar.copy(), node }))
    })
    for (const one of verdicts) assert.match(one, /^(last_admin|to \/signed-out|unauthenticated)$/)
    for (const index of admins.keys()) if (verdicts[index] !== 'last_admin') admins[index] = await place.add('admin')
  }
  isOver = true
  await watching
  assert.ok(fewest >= 1, `${fewest} admins at some moment`)
  assert.ok(samples > 50, `looked ${samples} times`)
  return `looked ${samples} times, never fewer than ${fewest}`
})

checkModule(
  'admin',
  'H-256',
  'nobody who is suspended has a session, also when they sign in meanwhile',
  async (world) => {
    const other = await world.node('second')
    const { jar } = await world.newSession({ role: 'admin' })
    const people = await world.newPeople(40)
    let entered = 0
    for (const [round, person] of people.entries()) {
      const before = await world.enter(person)
      const [signedIn, suspended] = await Promise.all([
        world.try(person.email, password, { node: other }),
        wait(round * 3).then(() =>
          submit(world, 'suspendUsers', { ids: [person.id] }, { jar: jar.copy(), path: `/admin/users/${person.id}` }),
        ),
      ])
      assert.deepEqual(suspended.value, { ok: true, data: { count: 1 } })
      assert.ok([200, 401].includes(signedIn.status), String(signedIn.status))
      if (signedIn.status === 200) entered++
      const rows = await world.query('select id from sessions where user_id = $1', [person.id])
      assert.deepEqual(rows, [], `round ${round}: signing in answered ${signedIn.status}`)
      assert.equal((await world.try(person.email)).status, 401)
      // What began before does not come back with the person.
      const restored = await submit(world, 'restoreUser', { userId: person.id }, { jar: jar.copy() })
      assert.equal(verdict(restored), 'ok')
      const token = /plinth\.session=([\w-]{43})/.exec(signedIn.setCookies.join())?.[1]
      for (const node of [world.app, other])
        for (const old of [before.token, ...(token ? [token] : [])]) assert.equal(await world.session(old, node), null)
    }
    assert.ok(entered > 0 && entered < people.length, `${entered} of ${people.length}: they never fell together`)
    return `${entered} of ${people.length} were in for a moment`
  },
)
check('H-257', 'no answer ever holds a hash: every one is looked at, and one that did would be seen', async (world) => {
  const before = answersJudged()
  const { jar, token } = await world.newSession({ role: 'admin' })
  for (const path of everyAddress()) await world.get(path, { jar: jar.copy() })
  assert.ok(answersJudged() >= before + everyAddress().length)
  // A server that does what ours never may.
  const hash = sha256(token)
  for (const leak of [
    world.hash,
    hash.toString('hex'),
    hash.toString('base64'),
    hash.toString('base64url'),
    'password_hash',
  ]) {
    const server = createServer((_, response) => response.end(`{"x":"${leak}"}`))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await assert.rejects(call(`http://127.0.0.1:${port}`, '/'), /G1/, leak.slice(0, 12))
    server.closeAllConnections()
    server.close()
  }
  return `${answersJudged()} answers so far`
})

check('H-258', 'every change that matters is written down once, and no answer repeats a password', async (world) => {
  const { jar, id, email } = await world.newSession()
  const other = await world.signIn({ id, email })
  const [{ id: device }] = await world.query('select id from sessions where token_hash = $1', [sha256(other.token)])
  await world.query('delete from rate_limits')
  const wrong = captured('confirmIdentity', { email, password: `${password}!` })
  const steps: [name: string, input: object, expected: string][] = [
    ['updateProfile', { name: 'Another' }, 'ok'],
    ['endDevice', { id: device }, 'to /account/devices'],
    ['endDevice', { id: device }, 'not_found'],
    ['endOtherDevices', {}, 'to /account/devices'],
    ['confirmIdentity', wrong, 'invalid_credentials'],
    ['confirmIdentity', { password }, 'to /dashboard'],
    ['changePassword', { current: `${password}!`, next: chosen }, 'invalid_credentials'],
    ['changePassword', { current: password, next: 'short' }, 'invalid_input'],
    ['changePassword', { current: password, next: chosen }, 'ok'],
    ['deleteAccount', { confirmation: 'no' }, 'invalid_input'],
    ['deleteAccount', { confirmation: email }, 'to /signed-out'],
  ]
  for (const [name, input, expected] of steps) {
    const answer = await submit(world, name, input, { jar })
    assert.equal(verdict(answer), expected, name)
    for (const text of [password, chosen]) assert.ok(!answer.text.includes(text), name)
  }
  const events = await world.query('select kind from audit_events where actor_id = $1 order by id', [id])
  assert.deepEqual(
    events.map(({ kind }) => kind),
    [
      'session.started',
      'session.started',
      'session.revoked',
      'confirmation.failed',
      'session.confirmed',
      'confirmation.failed',
      'password.changed',
      'person.deleted',
    ],
  )
  if (hasModule('admin')) await adminsAreWrittenDown(world)
})

async function adminsAreWrittenDown(world: World): Promise<void> {
  const { jar, id } = await world.newSession({ role: 'admin' })
  const [person, second] = [await world.newSession(), await world.newSession()]
  const userId = person.id
  const ids = [userId, second.id]
  const steps: [name: string, input: object, expected: string, kinds: string[]][] = [
    ['listUsers', {}, 'ok', ['users.listed']],
    ['listUsers', { limit: 0 }, 'invalid_input', []],
    ['updateUserRole', { userId, role: 'editor' }, 'ok', ['role.changed']],
    ['updateUserRole', { userId, role: 'editor' }, 'ok', []],
    ['updateUserRole', { userId, role: 'none' }, 'invalid_input', []],
    ['endUserSessions', { userId }, 'ok', ['session.revoked']],
    ['endUserSessions', { userId }, 'not_found', []],
    ['sendUserReset', { userId }, 'ok', ['password.reset_sent']],
    // There is no second factor to lift, but a session that ends.
    ['liftUserChallenge', { userId: second.id }, 'ok', ['session.revoked']],
    ['liftUserChallenge', { userId: second.id }, 'ok', []],
    ['suspendUsers', { ids }, 'ok', ['person.suspended', 'person.suspended']],
    ['suspendUsers', { ids }, 'ok', []],
    ['restoreUser', { userId }, 'ok', ['person.restored']],
    ['restoreUser', { userId }, 'not_found', []],
    ['deleteUser', { userId, confirmation: 'no' }, 'invalid_input', []],
    // Whoever is led to the list looks at it.
    [
      'deleteUser',
      { userId, confirmation: person.email },
      'to /admin/users?done=deleted',
      ['person.deleted', 'users.listed'],
    ],
    ['deleteUser', { userId, confirmation: person.email }, 'not_found', []],
  ]
  for (const [name, input, expected, kinds] of steps) {
    const [{ last }] = await world.query('select coalesce(max(id), 0) as last from audit_events')
    // A page that is shown in answer would write down who looks at the list.
    const answer = await submit(world, name, input, { jar, path: `/admin/users/${id}` })
    assert.equal(verdict(answer), expected, name)
    const events = await world.query('select kind from audit_events where actor_id = $1 and id > $2 order by id', [
      id,
      last,
    ])
    assert.deepEqual(
      events.map(({ kind }) => kind),
      kinds,
      `${name} ${JSON.stringify(input)}`,
    )
  }
}
