// L. Who may do what: in the action itself, whatever the address, the headers and the ids that a caller makes up.
import assert from 'node:assert/strict'
import {
  type Acted,
  asForm,
  captured,
  everyAction,
  fieldsOf,
  guardedActions,
  guardedActionsOf,
  verdict,
} from './actions.ts'
import { check, checkModule, hasModule } from './checks.ts'
import { type Answer, type Call, call, Jar } from './client.ts'
import { everyAddress, image, password, someToken, submit, type World } from './world.ts'

/** Everybody who is nobody, each for a reason of their own. */
async function strangers(world: World): Promise<[who: string, how: Call][]> {
  const [suspended, deleted, idle, old, signedOut] = await Promise.all([0, 1, 2, 3, 4].map(() => world.newSession()))
  if (!suspended || !deleted || !idle || !old || !signedOut) assert.fail()
  await world.query('update users set suspended_at = now() where id = $1', [suspended.id])
  await world.query('delete from users where id = $1', [deleted.id])
  await world.query(`update sessions set last_seen_at = now() - interval '8 days' where user_id = $1`, [idle.id])
  await world.query(`update sessions set created_at = now() - interval '31 days' where user_id = $1`, [old.id])
  await world.get('/api/auth/signout', { method: 'POST', jar: signedOut.jar.copy() })
  return [
    ['nobody', {}],
    ['a made-up token', { jar: new Jar({ 'plinth.session': someToken() }) }],
    ['a made-up bearer', { headers: { Authorization: `Bearer ${someToken()}` } }],
    ['suspended', { jar: suspended.jar }],
    ['deleted', { jar: deleted.jar }],
    ['idle for too long', { jar: idle.jar }],
    ['too old', { headers: { Authorization: `Bearer ${old.token}` } }],
    ['signed out', { jar: signedOut.jar }],
  ]
}

const copied = ({ jar, ...how }: Call): Call => ({ ...how, ...(jar && { jar: jar.copy() }) })

check(
  'H-175',
  'every action of the build that is not made for everybody refuses all kinds of nobody, and does nothing',
  async (world) => {
    const victim = await world.newSession()
    const callers = await strangers(world)
    const before = await image(world)
    const actions = guardedActions()
    for (const name of ['updateProfile', 'changePassword', 'deleteAccount', 'endDevice', 'endOtherDevices'])
      assert.ok(actions.map((action) => action.name).includes(name), name)
    for (const { name } of actions)
      for (const [who, how] of callers)
        for (const input of [{}, captured(name, { ...victim, password })]) {
          const answer = await submit(world, name, input, copied(how))
          assert.equal(verdict(answer), 'unauthenticated', `${name} by ${who}`)
          assert.ok(!answer.setCookies.some((line) => /session=[\w-]/.test(line)), `${name} by ${who}`)
        }
    assert.equal(await image(world), before)
    return `${actions.length} actions, ${callers.length} kinds of nobody`
  },
)

/** What the database remembers, apart from the people: what a refusal must not add to either. */
const events = async (world: World): Promise<number> =>
  (await world.query('select count(*)::int as count from audit_events'))[0].count

checkModule('admin', 'H-176', 'who is no admin may call no action of the admins, and does nothing', async (world) => {
  const victim = await world.newSession({ role: 'editor' })
  const callers = await Promise.all((['viewer', 'editor'] as const).map((role) => world.newSession({ role })))
  const actions = guardedActionsOf('admin')
  for (const name of ['listUsers', 'updateUserRole', 'deleteUser', 'suspendUsers'])
    assert.ok(actions.map((action) => action.name).includes(name), name)
  const before = [await image(world), await events(world)]
  // Theirs to do to somebody else, to themselves, and to nobody: the answer is the same.
  for (const { name } of actions)
    for (const caller of callers)
      for (const input of [
        captured(name, { ...victim, password }),
        captured(name, { ...caller, password }),
        captured(name, { email: 'x', password }),
        {},
        null,
      ])
        for (const how of [{ jar: caller.jar }, { headers: { Authorization: `Bearer ${caller.token}` } }])
          assert.equal(verdict(await submit(world, name, input, how)), 'forbidden', name)
  assert.deepEqual([await image(world), await events(world)], before)
  return `${actions.length} actions`
})

const lists = ['/api/demo/admin/users', '/api/admin/users/export']

checkModule('admin', 'H-177', 'lists of people are 401, 403 and 200 for nobody, others and admins', async (world) => {
  const expected = { viewer: 403, editor: 403, admin: 200 }
  for (const path of lists)
    for (const method of ['GET', 'HEAD']) {
      assert.equal((await world.get(path, { method })).status, 401, path)
      for (const [role, status] of Object.entries(expected)) {
        const { jar, token } = await world.newSession({ role: role as keyof typeof expected })
        const headers = { Authorization: `Bearer ${token}` }
        for (const how of [{ jar }, { headers }]) {
          const answer = await world.get(path, { method, ...how })
          assert.equal(answer.status, status, `${method} ${path} as ${role}`)
          if (status !== 200) assert.doesNotMatch(answer.text, /@/)
          else if (method === 'GET') assert.match(answer.text, /@/)
        }
      }
    }
})

check('H-178', 'the landing page’s content is one for all, may be stored, and sets no cookie', async (world) => {
  const callers: Call[] = [{}]
  for (const role of ['viewer', 'editor', 'admin'] as const)
    callers.push({ jar: (await world.newSession({ role })).jar })
  const seen = new Set<string>()
  for (const how of callers) {
    const answer = await world.get('/api/demo/landing', copied(how))
    assert.deepEqual([answer.status, answer.setCookies], [200, []])
    assert.match(answer.headers['cache-control'] ?? '', /\bpublic\b/)
    seen.add(answer.text)
  }
  assert.equal(seen.size, 1)
})

type Ask = (how: { path?: string; headers?: Record<string, string> }) => Promise<Acted>

/** Decisions of each kind that these actions make: what must come of it, and the call. */
async function decisions(world: World): Promise<[expected: string, ask: Ask][]> {
  const person = await world.newSession()
  const stale = await world.newSession()
  await world.query(`update sessions set confirmed_at = now() - interval '61 minutes' where user_id = $1`, [stale.id])
  const by =
    (jar: Jar, name: string, input: object): Ask =>
    (how) =>
      submit(world, name, input, { ...how, jar: jar.copy() })
  return [
    ['ok', by(person.jar, 'updateProfile', { name: 'Anywhere' })],
    ['invalid_input', by(person.jar, 'deleteAccount', { confirmation: 'yes' })],
    ['not_found', by(person.jar, 'endDevice', { id: crypto.randomUUID() })],
    ['reauth_required', by(stale.jar, 'deleteAccount', { confirmation: stale.email })],
    ...guardedActions().map(({ name }): [string, Ask] => ['unauthenticated', by(new Jar(), name, {})]),
  ]
}

check(
  'H-179',
  'an action decides the same wherever it is posted to, and does nothing where it is not run',
  async (world) => {
    const asked = await decisions(world)
    for (const path of ['/', '/signin', '/dashboard', '/account/profile', '/admin', '/nonexistent', '/a/b/c?x=1'])
      for (const [expected, ask] of asked) assert.equal(verdict(await ask({ path })), expected, path)
    const before = await image(world)
    for (const path of ['/api/health', '/api/auth/session', '/api/nonexistent', '/robots.txt', '/icon.svg'])
      for (const [, ask] of asked) {
        const answer = await ask({ path })
        assert.equal(answer.value, undefined, path)
        assert.doesNotMatch(answer.headers['content-type'] ?? '', /x-component/, path)
      }
    assert.equal(await image(world), before)
  },
)

check('H-180', 'what the router of a browser sends along changes no decision', async (world) => {
  const asked = await decisions(world)
  const tree = encodeURIComponent(JSON.stringify(['', { children: ['admin', {}] }, null, 'refetch']))
  const ways: Record<string, string>[] = [
    { 'Next-Router-Prefetch': '1' },
    { 'Next-Router-State-Tree': tree },
    { 'Next-Url': '/admin' },
    { Purpose: 'prefetch', 'Sec-Purpose': 'prefetch' },
    { 'X-Middleware-Subrequest': Array(5).fill('src/proxy').join(':') },
  ]
  for (const headers of ways)
    for (const [expected, ask] of asked)
      assert.equal(verdict(await ask({ headers, path: '/account/profile' })), expected, JSON.stringify(headers))
  // Next says this to itself, when it hands an action on to a page that has it. Any other does not run it.
  for (const [expected, ask] of asked) {
    assert.equal(verdict(await ask({ headers: { 'X-Action-Forwarded': '1' } })), expected)
    const elsewhere = await ask({ headers: { 'X-Action-Forwarded': '1' }, path: '/forgot' })
    const isNotRun = elsewhere.value === undefined && elsewhere.status >= 400
    assert.ok(isNotRun || verdict(elsewhere) === expected, verdict(elsewhere))
  }
  for (const path of ['/account/profile?_rsc=1', '/signin?_rsc=', '/?_rsc=x&_rsc=y'])
    for (const [expected, ask] of asked) assert.equal(verdict(await ask({ path })), expected, path)
  // To whom this header says that only a page is wanted, Next gives the page and runs nothing.
  const before = await image(world)
  for (const headers of [
    { RSC: '1' },
    { RSC: '1', 'Next-Router-Prefetch': '1' },
    { RSC: '1', 'Next-Router-Segment-Prefetch': '/_tree' },
  ] as Record<string, string>[])
    for (const [, ask] of asked) {
      let answer = await ask({ headers, path: '/account/profile' })
      if (answer.status === 307) answer = await ask({ headers, path: answer.headers.location ?? '' })
      assert.equal(answer.value, undefined, JSON.stringify(headers))
    }
  assert.equal(await image(world), before)
})

check('H-181', 'every action of the build says in its source who may call it', async () => {
  const actions = everyAction()
  const names = actions.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length, `two actions share a name: ${names}`)
  const open = actions.filter(({ isPublic }) => isPublic).length
  assert.ok(open > 0 && open < actions.length)
  return `${actions.length} actions, ${open} of them for everybody`
})

checkModule('admin', 'H-183', 'nobody makes themselves an admin', async (world) => {
  for (const role of ['viewer', 'editor'] as const) {
    const { id, jar } = await world.newSession({ role })
    for (const input of [
      { userId: id, role: 'admin' },
      { userId: id.toUpperCase(), role: 'admin' },
      { userId: id, role: 'admin', actor: { id, role: 'admin' }, actorId: id },
    ])
      assert.equal(verdict(await submit(world, 'updateUserRole', input, { jar })), 'forbidden')
    const form = await asForm([
      ['userId', id],
      ['role', 'admin'],
    ])
    assert.equal(verdict(await submit(world, 'updateUserRole', null, { jar, ...form })), 'forbidden')
    assert.equal((await world.session(jar)).user.role, role)
  }
})

const strange = (id: string, email: string) => ({
  id,
  userId: id,
  user_id: id,
  user: { id },
  actorId: id,
  target: id,
  email,
})

check('H-184', 'a name is changed for the caller, whoever else is named', async (world) => {
  const [person, other] = [await world.newSession(), await world.newPerson()]
  const answer = await submit(
    world,
    'updateProfile',
    { name: 'Only me', ...strange(other.id, other.email) },
    { jar: person.jar },
  )
  assert.equal(verdict(answer), 'ok')
  const names = await world.query('select id, name from users where id = any($1)', [[person.id, other.id]])
  assert.equal(names.find(({ id }) => id === person.id).name, 'Only me')
  assert.equal(names.find(({ id }) => id === other.id).name, 'Somebody')
})

check('H-185', 'nobody else’s account is deleted, whoever is named', async (world) => {
  const [person, other] = [await world.newSession(), await world.newSession()]
  const ask = (confirmation: string) =>
    submit(world, 'deleteAccount', { confirmation, ...strange(other.id, other.email) }, { jar: person.jar })
  assert.equal(verdict(await ask(other.email)), 'invalid_input')
  assert.equal((await world.session(person.jar)).user.id, person.id)
  assert.equal(verdict(await ask(person.email)), 'to /signed-out')
  assert.equal(await world.session(person.token), null)
  assert.equal((await world.session(other.jar)).user.id, other.id)
  assert.equal((await world.try(other.email)).status, 200)
})

check('H-186', 'nobody else’s password is changed, nor are their devices ended, whoever is named', async (world) => {
  const [person, other] = [await world.newSession(), await world.newSession()]
  const { next } = captured('changePassword', { ...person, password }) as { next: string }
  const answer = await submit(
    world,
    'changePassword',
    { current: password, next, ...strange(other.id, other.email) },
    { jar: person.jar },
  )
  assert.equal(verdict(answer), 'ok')
  assert.equal((await world.try(other.email)).status, 200)
  assert.equal((await world.try(other.email, next)).status, 401)
  const ended = await submit(world, 'endOtherDevices', strange(other.id, other.email), { jar: person.jar })
  assert.equal(verdict(ended), 'to /account/devices')
  const [{ id }] = await world.query('select id from sessions where user_id = $1 limit 1', [other.id])
  const foreign = await submit(world, 'endDevice', { id, userId: other.id }, { jar: person.jar })
  assert.equal(verdict(foreign), 'not_found')
  assert.equal((await world.session(other.jar)).user.id, other.id)
})

check('H-187', 'an id that is none is refused, whatever it is', async (world) => {
  const { jar, id: own } = await world.newSession()
  const other = await world.newSession()
  const [{ id: theirs }] = await world.query('select id from sessions where user_id = $1', [other.id])
  const before = await image(world)
  const ids: [unknown, expected: string][] = [
    [theirs, 'not_found'],
    [theirs.toUpperCase(), 'not_found'],
    [crypto.randomUUID(), 'not_found'],
    ['00000000-0000-0000-0000-000000000000', 'not_found'],
    // Of the person, not of a device.
    [own, 'not_found'],
    ...[
      `{${theirs}}`,
      theirs.replaceAll('-', ''),
      ` ${theirs}`,
      `${theirs}\0`,
      `${theirs}' or '1'='1`,
      '',
      '../',
      '0',
      '-1',
      'NaN',
      '%00',
      0,
      -1,
      1e21,
      true,
      null,
      [],
      [theirs],
      {},
      { id: theirs },
      'x'.repeat(60_000),
    ].map((id): [unknown, string] => [id, 'invalid_input']),
  ]
  for (const [id, expected] of ids)
    assert.equal(verdict(await submit(world, 'endDevice', { id }, { jar })), expected, JSON.stringify(id)?.slice(0, 80))
  for (const id of ['$NaN', '$-Infinity', '$undefined', '$D2020-01-01', '$n1']) {
    const answer = await submit(world, 'endDevice', null, { jar, body: JSON.stringify([{ id }]) })
    assert.equal(verdict(answer), 'invalid_input', id)
  }
  // Past the limit of a body Next itself gives up, before anything is read.
  const endless = await submit(world, 'endDevice', { id: 'x'.repeat(1e6) }, { jar, may500: true })
  assert.equal(endless.value, undefined)
  assert.equal(await image(world), before)
})

checkModule('admin', 'H-188', 'who is no admin any more may not delete people from an old tab', async (world) => {
  const other = await world.node('second')
  const [first, second] = [await world.newSession({ role: 'admin' }), await world.newSession({ role: 'admin' })]
  const victim = await world.newPerson()
  const input = { userId: victim.id, confirmation: victim.email }
  // The tab was open, and everything in it worked.
  assert.equal((await world.get(`/admin/users/${victim.id}`, { jar: first.jar })).status, 200)
  const demoted = await submit(world, 'updateUserRole', { userId: first.id, role: 'viewer' }, { jar: second.jar })
  assert.equal(verdict(demoted), 'ok')
  for (const node of [world.app, other])
    assert.equal(verdict(await submit(world, 'deleteUser', input, { jar: first.jar.copy(), node })), 'forbidden')
  assert.equal((await world.get('/api/demo/admin/users', { jar: first.jar })).status, 403)
  assert.equal((await world.get(`/admin/users/${victim.id}`, { jar: first.jar })).status, 404)
  assert.equal((await world.try(victim.email)).status, 200)
  // It was the role alone: the other one can.
  assert.match(verdict(await submit(world, 'deleteUser', input, { jar: second.jar })), /^to \/admin\/users/)
})

checkModule('admin', 'H-189', 'who is made an admin is one at the next request', async (world) => {
  const other = await world.node('second')
  const admin = await world.newSession({ role: 'admin' })
  const { id, jar } = await world.newSession()
  const asks = async () => {
    const statuses: number[] = []
    for (const node of [world.app, other])
      for (const path of ['/admin/users', '/api/demo/admin/users'])
        statuses.push((await call(node.url, path, { jar: jar.copy() })).status)
    return statuses
  }
  assert.deepEqual(await asks(), [404, 403, 404, 403])
  const promoted = await submit(world, 'updateUserRole', { userId: id, role: 'admin' }, { jar: admin.jar })
  assert.equal(verdict(promoted), 'ok')
  assert.deepEqual(await asks(), [200, 200, 200, 200])
  assert.equal((await world.session(jar, other)).user.role, 'admin')
})

checkModule('admin', 'H-190', 'a role that there is not is refused', async (world) => {
  const { jar } = await world.newSession({ role: 'admin' })
  const person = await world.newPerson()
  const before = await image(world)
  const roles: unknown[] = [
    ...['superadmin', 'ADMIN', 'Admin', ' admin', 'admin ', 'admin\0', 'аdmin', 'admin,viewer', '', 'null', '*'],
    ...[null, undefined, true, 0, 1, {}, [], ['admin'], { admin: true }, { toString: 'admin' }],
  ]
  for (const role of roles) {
    const answer = await submit(world, 'updateUserRole', { userId: person.id, role }, { jar })
    assert.equal(verdict(answer), 'invalid_input', JSON.stringify(role))
    assert.deepEqual(Object.keys(fieldsOf(answer)), ['role'], JSON.stringify(role))
  }
  const form = await asForm([
    ['userId', person.id],
    ['role', 'viewer'],
    ['role', 'admin'],
  ])
  assert.equal(verdict(await submit(world, 'updateUserRole', null, { jar, ...form })), 'invalid_input')
  assert.equal(await image(world), before)
  // Nor does the database take one.
  await assert.rejects(
    world.query(`update users set role = 'superadmin' where id = $1`, [person.id]),
    /check constraint/,
  )
})

checkModule('admin', 'H-191', 'what admins may do to themselves', async (world) => {
  const [self, other] = [await world.newSession({ role: 'admin' }), await world.newSession()]
  const { id, email, jar } = self
  const before = await image(world)
  assert.equal(verdict(await submit(world, 'deleteUser', { userId: id, confirmation: email }, { jar })), 'forbidden')
  for (const ids of [[id], [other.id, id], id]) {
    const answer = await submit(world, 'suspendUsers', { ids }, { jar })
    assert.equal(verdict(answer), 'invalid_input')
    assert.deepEqual(Object.keys(fieldsOf(answer)), ['ids'])
  }
  // The same id in another spelling is the same person.
  const upper = id.toUpperCase()
  assert.notEqual(upper, id)
  const asked = [
    await submit(world, 'deleteUser', { userId: upper, confirmation: email }, { jar }),
    await submit(world, 'suspendUsers', { ids: [upper] }, { jar }),
  ]
  assert.deepEqual(asked.map(verdict), ['forbidden', 'invalid_input'])
  assert.equal(await image(world), before)

  // Their own role: while there is another admin, and as something that wants them to show who they are.
  const step = () => submit(world, 'updateUserRole', { userId: id, role: 'editor' }, { jar })
  await world.query(`update sessions set confirmed_at = now() - interval '61 minutes' where user_id = $1`, [id])
  assert.equal(verdict(await step()), 'reauth_required')
  await world.query(`update sessions set confirmed_at = now() - interval '59 minutes' where user_id = $1`, [id])
  assert.equal(verdict(await step()), 'ok')
  assert.equal((await world.session(jar)).user.role, 'editor')
  const back = await submit(world, 'updateUserRole', { userId: id, role: 'admin' }, { jar })
  assert.equal(verdict(back), 'forbidden')
})

check('H-192', 'what cannot be undone wants somebody who has shown within the hour that it is them', async (world) => {
  const { jar, id, email } = await world.newSession()
  const aged = (minutes: number) =>
    world.query(`update sessions set confirmed_at = now() - make_interval(mins => $2) where user_id = $1`, [
      id,
      minutes,
    ])
  const ask = (confirmation = email) => submit(world, 'deleteAccount', { confirmation }, { jar })
  for (const minutes of [61, 24 * 60, 7 * 24 * 60]) {
    await aged(minutes)
    const before = await image(world)
    assert.equal(verdict(await ask()), 'reauth_required', String(minutes))
    assert.equal(verdict(await ask('anything')), 'reauth_required', String(minutes))
    assert.equal(await image(world), before)
  }
  // Neither looking around nor a wrong password makes it fresh again.
  await world.get('/account/profile', { jar })
  assert.equal(
    verdict(await submit(world, 'confirmIdentity', { password: `${password}!` }, { jar })),
    'invalid_credentials',
  )
  assert.equal(verdict(await ask()), 'reauth_required')
  const { token } = jar
  assert.equal(verdict(await submit(world, 'confirmIdentity', { password }, { jar })), 'to /dashboard')
  assert.notEqual(jar.token, token)
  assert.equal(await world.session(token), null)
  await aged(59)
  assert.equal(verdict(await ask()), 'to /signed-out')
  assert.deepEqual(await world.query('select id from users where id = $1', [id]), [])
  if (hasModule('admin')) await adminsConfirm(world)
})

/** What opens doors, closes them for others, or cannot be undone. */
const sensitive = ['updateUserRole', 'deleteUser', 'suspendUsers', 'restoreUser', 'liftUserChallenge']

async function adminsConfirm(world: World): Promise<void> {
  const admin = await world.newSession({ role: 'admin' })
  const victim = await world.newPerson()
  const ask = (name: string) => submit(world, name, captured(name, { ...victim, password }), { jar: admin.jar })
  for (const minutes of [61, 11 * 60]) {
    await world.query(`update sessions set confirmed_at = now() - make_interval(mins => $2) where user_id = $1`, [
      admin.id,
      minutes,
    ])
    const before = await image(world)
    for (const name of sensitive) {
      assert.equal(verdict(await ask(name)), 'reauth_required', name)
      assert.equal(verdict(await submit(world, name, {}, { jar: admin.jar })), 'reauth_required', name)
    }
    const file = await world.get('/api/admin/users/export', { jar: admin.jar })
    assert.deepEqual([file.status, file.json().code], [403, 'reauth_required'])
    assert.equal(await image(world), before)
  }
  await world.query(`update sessions set confirmed_at = now() - interval '59 minutes' where user_id = $1`, [admin.id])
  assert.equal(verdict(await ask('updateUserRole')), 'ok')
  assert.match(verdict(await ask('deleteUser')), /^to \/admin\/users/)
}

checkModule('admin', 'H-193', 'an admin who acts on somebody who is gone is told so', async (world) => {
  const { jar, id } = await world.newSession({ role: 'admin' })
  const deleted = await world.newSession()
  await world.query('delete from users where id = $1', [deleted.id])
  const before = [await image(world), await events(world)]
  for (const userId of [deleted.id, crypto.randomUUID()]) {
    const gone = { id: userId, email: deleted.email, password }
    for (const name of ['updateUserRole', 'deleteUser', 'restoreUser', 'endUserSessions', 'sendUserReset'])
      assert.equal(verdict(await submit(world, name, captured(name, gone), { jar })), 'not_found', name)
    assert.equal(verdict(await submit(world, 'liftUserChallenge', { userId }, { jar })), 'not_found')
    // Of several some may be there: it tells how many.
    const none = await submit(world, 'suspendUsers', { ids: [userId] }, { jar, path: `/admin/users/${id}` })
    assert.deepEqual(none.value, { ok: true, data: { count: 0 } })
    assert.equal((await world.get(`/admin/users/${userId}`, { jar })).status, 404)
  }
  assert.deepEqual([await image(world), await events(world)], before)

  // Somebody who is suspended is there: their role can change, but there is nothing to end and nobody to write to.
  const suspended = await world.newPerson({ isSuspended: true })
  const ask = async (name: string) =>
    verdict(await submit(world, name, captured(name, { ...suspended, password }), { jar }))
  assert.deepEqual([await ask('endUserSessions'), await ask('sendUserReset')], ['not_found', 'not_found'])
  assert.deepEqual(await world.mailsTo(suspended.email), [])
  assert.deepEqual([await ask('updateUserRole'), await ask('restoreUser')], ['ok', 'ok'])
  assert.equal(await ask('restoreUser'), 'not_found')
  assert.equal((await world.try(suspended.email)).status, 200)
})

checkModule('admin', 'H-194', 'who is no admin sees nothing of the admin pages in any form', async (world) => {
  const victim = await world.newPerson()
  const mark = `Unmistakable ${crypto.randomUUID()}`
  await world.query('update users set name = $2 where id = $1', [victim.id, mark])
  const pages = [
    '/admin',
    '/admin/users',
    `/admin/users?search=${encodeURIComponent(victim.email)}`,
    `/admin/users/${victim.id}`,
    '/admin/permissions',
  ]
  const tree = (...segments: string[]) =>
    encodeURIComponent(
      JSON.stringify(['', segments.reduceRight<unknown>((children, name) => ({ children: [name, children] }), {})]),
    )
  const ways: Record<string, string>[] = [
    {},
    { RSC: '1' },
    { RSC: '1', 'Next-Router-Prefetch': '1' },
    { RSC: '1', 'Next-Router-Prefetch': '2' },
    { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_tree' },
    { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/admin/users/__PAGE__' },
    // As if the layout, which asks first, were there already.
    { RSC: '1', 'Next-Router-State-Tree': tree('(admin)', 'admin', 'users', '__PAGE__'), 'Next-Url': '/admin/users' },
    { Purpose: 'prefetch', 'Sec-Purpose': 'prefetch' },
    { 'X-Middleware-Subrequest': Array(5).fill('src/proxy').join(':'), 'X-Nextjs-Data': '1' },
  ]
  /** Next leads those who want a part of a page to an address of its own. */
  const open = async (path: string, how: Call): Promise<Answer> => {
    const answer = await world.get(path, copied(how))
    const { location = '' } = answer.headers
    return answer.status === 307 && location.includes('_rsc') ? world.get(location, copied(how)) : answer
  }
  const admin = await world.newSession({ role: 'admin' })
  for (const headers of ways.slice(0, 2)) {
    const { text } = await open(`/admin/users/${victim.id}`, { jar: admin.jar, headers })
    assert.ok(text.includes(mark) && text.includes(victim.email), 'an admin sees nothing either, so nothing is shown')
  }
  const callers: [who: string, how: Call, status: number, said: RegExp][] = [
    ['nobody', {}, 307, /NEXT_REDIRECT;\w+;\/signin\?callbackUrl=%2Fadmin/],
  ]
  for (const role of ['viewer', 'editor'] as const)
    callers.push([role, { jar: (await world.newSession({ role })).jar }, 404, /NEXT_HTTP_ERROR_FALLBACK;404/])
  for (const path of pages)
    for (const headers of ways)
      for (const [who, how, status, said] of callers) {
        const answer = await open(path, { ...how, headers })
        const what = `${path} ${JSON.stringify(headers)} by ${who}: ${answer.status} ${answer.headers.location} ${answer.text.slice(0, 400)}`
        // To the router of a browser Next says within an answer of 200 what it is; for a part of the page it may say nothing.
        const isInside = headers.RSC !== undefined && answer.status === 200
        if (isInside && Object.keys(headers).length === 1) assert.match(answer.text, said, what)
        if (!isInside) assert.equal(answer.status, status, what)
        if (answer.status === 307) assert.match(answer.headers.location ?? '', /^\/signin\?callbackUrl=%2Fadmin/, what)
        for (const text of [mark, 'users.change_role', ...(path.includes('search=') ? [] : [victim.email])])
          assert.ok(!answer.text.includes(text), what)
      }
  return `${pages.length} pages, ${ways.length} ways, ${callers.length} callers`
})

check('H-196', 'Range, Accept-Language and headers that rename the method have no effect', async (world) => {
  const { jar, id } = await world.newSession()
  const before = await image(world)
  const ways: Record<string, string>[] = [
    { Range: 'bytes=0-10' },
    { 'Accept-Language': '../../etc/passwd, *;q=999999' },
    { 'Accept-Language': 'x'.repeat(4_000) },
    { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE', 'X-HTTP-Method': 'DELETE' },
  ]
  for (const path of everyAddress()) {
    const usual = await world.get(path, { jar: jar.copy() })
    for (const headers of ways) {
      const answer = await world.get(path, { jar: jar.copy(), headers })
      assert.deepEqual(
        [answer.status, answer.headers.location, answer.headers['content-type']],
        [usual.status, usual.headers.location, usual.headers['content-type']],
        `${path} ${Object.keys(headers)}`,
      )
      assert.ok(!answer.setCookies.some((line) => line.startsWith('plinth.session=')), path)
    }
  }
  assert.equal((await world.session(jar)).user.id, id)
  assert.equal(await image(world), before)
})

checkModule('admin', 'H-197', 'another site cannot have the list of people fetched', async (world) => {
  const { jar, id } = await world.newSession({ role: 'admin' })
  const before = await events(world)
  const ways: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'script' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ]
  for (const path of lists)
    for (const headers of ways) {
      const answer = await world.get(path, { jar: jar.copy(), headers })
      assert.deepEqual([answer.status, answer.json().code], [403, 'cross_site'], `${path} ${JSON.stringify(headers)}`)
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    }
  // It writes down who looked: nothing of that happened.
  assert.equal(await events(world), before)
  const own = await world.get(lists[0] ?? '', { jar, headers: { 'Sec-Fetch-Site': 'same-origin' } })
  assert.equal(own.status, 200)
  const [{ kind }] = await world.query('select kind from audit_events where actor_id = $1 order by id desc limit 1', [
    id,
  ])
  assert.equal(kind, 'users.listed')
})

check('H-198', 'a refusal names neither a role nor anybody but the caller', async (world) => {
  const [person, other] = [await world.newSession(), await world.newSession({ role: 'editor' })]
  const [{ id: device }] = await world.query('select id from sessions where user_id = $1', [other.id])
  const closed = await world.node('closed to new people', { AUTH_SIGNUP: 'closed' })
  const signUp = { email: other.email, name: 'x', password }
  const refusals: [expected: string, answer: Acted][] = [
    ['unauthenticated', await submit(world, 'deleteAccount', { confirmation: other.email })],
    ['not_found', await submit(world, 'endDevice', { id: device }, { jar: person.jar })],
    ['invalid_input', await submit(world, 'deleteAccount', { confirmation: other.email }, { jar: person.jar })],
    [
      'invalid_credentials',
      await submit(world, 'changePassword', { current: 'x', next: 'y', email: other.email }, { jar: person.jar }),
    ],
    ['forbidden', await submit(world, 'signUp', signUp, { node: closed })],
  ]
  await world.query(`update sessions set confirmed_at = now() - interval '2 hours' where user_id = $1`, [person.id])
  refusals.push([
    'reauth_required',
    await submit(world, 'deleteAccount', { confirmation: other.email }, { jar: person.jar }),
  ])
  for (const [expected, answer] of refusals) {
    assert.equal(verdict(answer), expected)
    const said = JSON.stringify(answer.value)
    for (const part of [other.id, other.email, device, 'viewer', 'editor', 'admin', 'allow', 'role'])
      assert.ok(!said.includes(part), `${expected}: ${said}`)
  }
  // Nor does it tell whether what was named exists.
  const [theirs, none] = [
    await submit(world, 'endDevice', { id: device }, { jar: person.jar }),
    await submit(world, 'endDevice', { id: crypto.randomUUID() }, { jar: person.jar }),
  ]
  assert.deepEqual(theirs.value, none.value)
  if (!hasModule('admin')) return
  for (const { name } of guardedActionsOf('admin')) {
    const said = new Set<string>()
    for (const target of [other, { email: other.email }, person]) {
      const answer = await submit(world, name, captured(name, { ...target, password }), { jar: person.jar })
      assert.equal(verdict(answer), 'forbidden', name)
      said.add(JSON.stringify(answer.value))
    }
    assert.equal(said.size, 1, name)
    assert.doesNotMatch([...said].join(), /viewer|editor|admin|role|users\.|@/i, name)
  }
})
