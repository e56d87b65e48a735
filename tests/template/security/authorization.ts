// Authorization: actions check permissions themselves, whatever path, headers and ids the caller sends.
import assert from 'node:assert/strict'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check, checkModule } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { type CallOptions, call, type HttpResponse, Jar } from '../../app/support/http-client.ts'
import {
  type ActionResponse,
  encodeReactForm,
  fieldsOf,
  guardedActions,
  guardedActionsOf,
  listActions,
  multipart,
  validInputOf,
  verdict,
} from '../../app/support/server-actions.ts'
import { everyPath, password, randomToken, snapshotState, type World } from '../../app/support/test-world.ts'

/** All kinds of unauthenticated callers. */
async function unauthenticatedCallers(world: World): Promise<[who: string, how: CallOptions][]> {
  const [suspended, deleted, idle, old, signedOut] = await Promise.all([0, 1, 2, 3, 4].map(() => world.newSession()))
  if (!suspended || !deleted || !idle || !old || !signedOut) assert.fail()
  await world.query('update users set suspended_at = now() where id = $1', [suspended.id])
  await world.query('delete from users where id = $1', [deleted.id])
  await world.query(`update sessions set last_seen_at = now() - interval '8 days' where user_id = $1`, [idle.id])
  await world.query(`update sessions set created_at = now() - interval '31 days' where user_id = $1`, [old.id])
  await world.get('/api/auth/signout', { method: 'POST', jar: signedOut.jar.copy() })
  return [
    ['no session', {}],
    ['unknown session token', { jar: new Jar({ [`${appSlug}.session`]: randomToken() }) }],
    ['unknown Bearer token', { headers: { Authorization: `Bearer ${randomToken()}` } }],
    ['suspended', { jar: suspended.jar }],
    ['deleted', { jar: deleted.jar }],
    ['idle session', { jar: idle.jar }],
    ['expired session', { headers: { Authorization: `Bearer ${old.token}` } }],
    ['signed out', { jar: signedOut.jar }],
  ]
}

const withCopiedJar = ({ jar, ...how }: CallOptions): CallOptions => ({ ...how, ...(jar && { jar: jar.copy() }) })

check(
  'H-175',
  'every non-public action rejects all kinds of unauthenticated callers and changes nothing',
  async (world) => {
    const victim = await world.newSession()
    const callers = await unauthenticatedCallers(world)
    const before = await snapshotState(world)
    const actions = guardedActions()
    for (const name of ['updateProfile', 'changePassword', 'deleteAccount', 'endSession', 'endOtherSessions'])
      assert.ok(actions.map((action) => action.name).includes(name), name)
    for (const { name } of actions)
      for (const [who, how] of callers)
        for (const input of [{}, validInputOf(name, { ...victim, password })]) {
          const response = await submitAction(world, name, input, withCopiedJar(how))
          assert.equal(verdict(response), 'unauthenticated', `${name} by ${who}`)
          assert.ok(!response.setCookies.some((line) => /session=[\w-]/.test(line)), `${name} by ${who}`)
        }
    assert.equal(await snapshotState(world), before)
    return `${actions.length} actions, ${callers.length} kinds of unauthenticated callers`
  },
  { full: 'takes long' },
)

/** The number of audit events: a rejected call must not add one. */
const countAuditEvents = async (world: World): Promise<number> =>
  (await world.query('select count(*)::int as count from audit_events'))[0].count

checkModule(
  'admin',
  'H-176',
  'non-admins can call no admin action, and nothing changes',
  async (world) => {
    const victim = await world.newSession({ role: 'editor' })
    const callers = await Promise.all((['viewer', 'editor'] as const).map((role) => world.newSession({ role })))
    const actions = guardedActionsOf('admin')
    for (const name of ['listUsers', 'updateUserRole', 'deleteUser', 'suspendUsers'])
      assert.ok(actions.map((action) => action.name).includes(name), name)
    const before = [await snapshotState(world), await countAuditEvents(world)]
    // Targeting another user, themselves, or no user: the result is always forbidden.
    for (const { name } of actions)
      for (const caller of callers)
        for (const input of [
          validInputOf(name, { ...victim, password }),
          validInputOf(name, { ...caller, password }),
          validInputOf(name, { email: 'x', password }),
          {},
          null,
        ])
          for (const how of [{ jar: caller.jar }, { headers: { Authorization: `Bearer ${caller.token}` } }])
            assert.equal(verdict(await submitAction(world, name, input, how)), 'forbidden', name)
    assert.deepEqual([await snapshotState(world), await countAuditEvents(world)], before)
    return `${actions.length} actions`
  },
  { full: 'takes long' },
)

const userLists = ['/api/demo/admin/users', '/api/admin/users/export']

checkModule('admin', 'H-177', 'user lists get 401 without a session and 403 for non-admins', async (world) => {
  const expected = { viewer: 403, editor: 403, admin: 200 }
  for (const path of userLists)
    for (const method of ['GET', 'HEAD']) {
      assert.equal((await world.get(path, { method })).status, 401, path)
      for (const [role, status] of Object.entries(expected)) {
        const { jar, token } = await world.newSession({ role: role as keyof typeof expected })
        const headers = { Authorization: `Bearer ${token}` }
        for (const how of [{ jar }, { headers }]) {
          const response = await world.get(path, { method, ...how })
          assert.equal(response.status, status, `${method} ${path} as ${role}`)
          if (status !== 200) assert.doesNotMatch(response.text, /@/)
          else if (method === 'GET') assert.match(response.text, /@/)
        }
      }
    }
})

check('H-178', 'the landing content is the same for every caller, cacheable, and sets no cookie', async (world) => {
  const callers: CallOptions[] = [{}]
  for (const role of ['viewer', 'editor', 'admin'] as const)
    callers.push({ jar: (await world.newSession({ role })).jar })
  const seen = new Set<string>()
  for (const how of callers) {
    const response = await world.get('/api/demo/landing', withCopiedJar(how))
    assert.deepEqual([response.status, response.setCookies], [200, []])
    assert.match(response.headers['cache-control'] ?? '', /\bpublic\b/)
    seen.add(response.text)
  }
  assert.equal(seen.size, 1)
})

type Ask = (how: { path?: string; headers?: Record<string, string> }) => Promise<ActionResponse>

/** One call for each kind of access decision, with the expected result. */
async function decisions(world: World): Promise<[expected: string, ask: Ask][]> {
  const user = await world.newSession()
  const stale = await world.newSession()
  await world.setReauthenticatedAgo(stale.id, '61 minutes')
  const by =
    (jar: Jar, name: string, input: object): Ask =>
    (how) =>
      submitAction(world, name, input, { ...how, jar: jar.copy() })
  return [
    ['ok', by(user.jar, 'updateProfile', { name: 'Anywhere' })],
    ['invalid_input', by(user.jar, 'deleteAccount', { typedEmail: 'yes' })],
    ['not_found', by(user.jar, 'endSession', { id: crypto.randomUUID() })],
    ['reauth_required', by(stale.jar, 'deleteAccount', { typedEmail: stale.email })],
    ...guardedActions().map(({ name }): [string, Ask] => ['unauthenticated', by(new Jar(), name, {})]),
  ]
}

check(
  'H-179',
  'an action makes the same decision on every page path, and does not run on non-page paths',
  async (world) => {
    const asked = await decisions(world)
    for (const path of ['/', '/signin', '/dashboard', '/account/profile', '/admin', '/nonexistent', '/a/b/c?x=1'])
      for (const [expected, ask] of asked) assert.equal(verdict(await ask({ path })), expected, path)
    const before = await snapshotState(world)
    for (const path of ['/api/health', '/api/auth/session', '/api/nonexistent', '/robots.txt', '/icon'])
      for (const [, ask] of asked) {
        const response = await ask({ path })
        assert.equal(response.value, undefined, path)
        assert.doesNotMatch(response.headers['content-type'] ?? '', /x-component/, path)
      }
    assert.equal(await snapshotState(world), before)
  },
  { full: 'takes long' },
)

check(
  'H-180',
  'router headers from the browser change no access decision',
  async (world) => {
    const asked = await decisions(world)
    const tree = encodeURIComponent(JSON.stringify(['', { children: ['admin', {}] }, null, 'refetch']))
    const headerSets: Record<string, string>[] = [
      { 'Next-Router-Prefetch': '1' },
      { 'Next-Router-State-Tree': tree },
      { 'Next-Url': '/admin' },
      { Purpose: 'prefetch', 'Sec-Purpose': 'prefetch' },
      { 'X-Middleware-Subrequest': Array(5).fill('src/proxy').join(':') },
    ]
    for (const headers of headerSets)
      for (const [expected, ask] of asked)
        assert.equal(verdict(await ask({ headers, path: '/account/profile' })), expected, JSON.stringify(headers))
    // Next sets this header when it forwards an action to the page that has it. Other pages do not run the action.
    for (const [expected, ask] of asked) {
      assert.equal(verdict(await ask({ headers: { 'X-Action-Forwarded': '1' } })), expected)
      const elsewhere = await ask({ headers: { 'X-Action-Forwarded': '1' }, path: '/forgot' })
      const isNotRun = elsewhere.value === undefined && elsewhere.status >= 400
      assert.ok(isNotRun || verdict(elsewhere) === expected, verdict(elsewhere))
    }
    for (const path of ['/account/profile?_rsc=1', '/signin?_rsc=', '/?_rsc=x&_rsc=y'])
      for (const [expected, ask] of asked) assert.equal(verdict(await ask({ path })), expected, path)
    // With the RSC header Next only renders the page and does not run the action.
    const before = await snapshotState(world)
    for (const headers of [
      { RSC: '1' },
      { RSC: '1', 'Next-Router-Prefetch': '1' },
      { RSC: '1', 'Next-Router-Segment-Prefetch': '/_tree' },
    ] as Record<string, string>[])
      for (const [, ask] of asked) {
        let response = await ask({ headers, path: '/account/profile' })
        if (response.status === 307) response = await ask({ headers, path: response.headers.location ?? '' })
        assert.equal(response.value, undefined, JSON.stringify(headers))
      }
    assert.equal(await snapshotState(world), before)
  },
  { full: 'takes long' },
)

check('H-181', 'every action of the build declares in its source who may call it', async () => {
  const actions = listActions()
  const names = actions.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length, `two actions share a name: ${names}`)
  const open = actions.filter(({ isPublic }) => isPublic).length
  assert.ok(open > 0 && open < actions.length)
  return `${actions.length} actions, ${open} of them public`
})

checkModule('admin', 'H-183', 'a user cannot make themselves an admin', async (world) => {
  for (const role of ['viewer', 'editor'] as const) {
    const { id, jar } = await world.newSession({ role })
    for (const input of [
      { userId: id, role: 'admin' },
      { userId: id.toUpperCase(), role: 'admin' },
      { userId: id, role: 'admin', actor: { id, role: 'admin' }, actorId: id },
    ])
      assert.equal(verdict(await submitAction(world, 'updateUserRole', input, { jar })), 'forbidden')
    const form = await encodeReactForm([
      ['userId', id],
      ['role', 'admin'],
    ])
    assert.equal(verdict(await submitAction(world, 'updateUserRole', null, { jar, ...form })), 'forbidden')
    assert.equal((await world.getSession(jar)).user.role, role)
  }
})

const otherUserFields = (id: string, email: string) => ({
  id,
  userId: id,
  user_id: id,
  user: { id },
  actorId: id,
  target: id,
  email,
})

check('H-184', 'updateProfile changes only the caller’s name, whatever user id is sent', async (world) => {
  const [user, other] = [await world.newSession(), await world.newUser()]
  const response = await submitAction(
    world,
    'updateProfile',
    { name: 'Only me', ...otherUserFields(other.id, other.email) },
    { jar: user.jar },
  )
  assert.equal(verdict(response), 'ok')
  const names = await world.query('select id, name from users where id = any($1)', [[user.id, other.id]])
  assert.equal(names.find(({ id }) => id === user.id).name, 'Only me')
  assert.equal(names.find(({ id }) => id === other.id).name, 'Test User')
})

check('H-185', 'deleteAccount deletes only the caller’s account, whatever user id is sent', async (world) => {
  const [user, other] = [await world.newSession(), await world.newSession()]
  const ask = (typedEmail: string) =>
    submitAction(world, 'deleteAccount', { typedEmail, ...otherUserFields(other.id, other.email) }, { jar: user.jar })
  assert.equal(verdict(await ask(other.email)), 'invalid_input')
  assert.equal((await world.getSession(user.jar)).user.id, user.id)
  assert.equal(verdict(await ask(user.email)), 'to /signed-out')
  assert.equal(await world.getSession(user.token), null)
  assert.equal((await world.getSession(other.jar)).user.id, other.id)
  assert.equal((await world.trySignIn(other.email)).status, 200)
})

check('H-186', 'a user cannot change another user’s password or end their sessions (IDOR)', async (world) => {
  const [user, other] = [await world.newSession(), await world.newSession()]
  const { next } = validInputOf('changePassword', { ...user, password }) as { next: string }
  const response = await submitAction(
    world,
    'changePassword',
    { current: password, next, ...otherUserFields(other.id, other.email) },
    { jar: user.jar },
  )
  assert.equal(verdict(response), 'ok')
  assert.equal((await world.trySignIn(other.email)).status, 200)
  assert.equal((await world.trySignIn(other.email, next)).status, 401)
  const ended = await submitAction(world, 'endOtherSessions', otherUserFields(other.id, other.email), { jar: user.jar })
  assert.equal(verdict(ended), 'to /account/sessions')
  const [{ id }] = await world.query('select id from sessions where user_id = $1 limit 1', [other.id])
  const foreign = await submitAction(world, 'endSession', { id, userId: other.id }, { jar: user.jar })
  assert.equal(verdict(foreign), 'not_found')
  assert.equal((await world.getSession(other.jar)).user.id, other.id)
})

check('H-187', 'malformed and foreign ids are rejected', async (world) => {
  const { jar, id: own } = await world.newSession()
  const other = await world.newSession()
  const [{ id: theirs }] = await world.query('select id from sessions where user_id = $1', [other.id])
  const before = await snapshotState(world)
  const ids: [unknown, expected: string][] = [
    [theirs, 'not_found'],
    [theirs.toUpperCase(), 'not_found'],
    [crypto.randomUUID(), 'not_found'],
    ['00000000-0000-0000-0000-000000000000', 'not_found'],
    // A user id is not a session id.
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
    assert.equal(
      verdict(await submitAction(world, 'endSession', { id }, { jar })),
      expected,
      JSON.stringify(id)?.slice(0, 80),
    )
  for (const id of ['$NaN', '$-Infinity', '$undefined', '$D2020-01-01', '$n1']) {
    const response = await submitAction(world, 'endSession', null, { jar, body: JSON.stringify([{ id }]) })
    assert.equal(verdict(response), 'invalid_input', id)
  }
  // Above Next's own body size limit the action never runs.
  const endless = await submitAction(world, 'endSession', { id: 'x'.repeat(1e6) }, { jar, allow500: true })
  assert.equal(endless.value, undefined)
  assert.equal(await snapshotState(world), before)
})

checkModule(
  'admin',
  'H-188',
  'a demoted admin can no longer delete users from an open tab',
  async (world) => {
    const other = await world.node('second')
    const [first, second] = [await world.newSession({ role: 'admin' }), await world.newSession({ role: 'admin' })]
    const victim = await world.newUser()
    const input = { userId: victim.id, typedEmail: victim.email }
    // The page loads while the role is still admin.
    assert.equal((await world.get(`/admin/users/${victim.id}`, { jar: first.jar })).status, 200)
    const demoted = await submitAction(
      world,
      'updateUserRole',
      { userId: first.id, role: 'viewer' },
      { jar: second.jar },
    )
    assert.equal(verdict(demoted), 'ok')
    for (const node of [world.app, other])
      assert.equal(
        verdict(await submitAction(world, 'deleteUser', input, { jar: first.jar.copy(), node })),
        'forbidden',
      )
    assert.equal((await world.get('/api/demo/admin/users', { jar: first.jar })).status, 403)
    assert.equal((await world.get(`/admin/users/${victim.id}`, { jar: first.jar })).status, 404)
    assert.equal((await world.trySignIn(victim.email)).status, 200)
    // The same call works for the other admin, so only the role made the difference.
    assert.match(verdict(await submitAction(world, 'deleteUser', input, { jar: second.jar })), /^to \/admin\/users/)
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-189',
  'a promoted user has admin rights on the next request',
  async (world) => {
    const other = await world.node('second')
    const admin = await world.newSession({ role: 'admin' })
    const { id, jar } = await world.newSession()
    const statusesNow = async () => {
      const statuses: number[] = []
      for (const node of [world.app, other])
        for (const path of ['/admin/users', '/api/demo/admin/users'])
          statuses.push((await call(node.url, path, { jar: jar.copy() })).status)
      return statuses
    }
    assert.deepEqual(await statusesNow(), [404, 403, 404, 403])
    const promoted = await submitAction(world, 'updateUserRole', { userId: id, role: 'admin' }, { jar: admin.jar })
    assert.equal(verdict(promoted), 'ok')
    assert.deepEqual(await statusesNow(), [200, 200, 200, 200])
    assert.equal((await world.getSession(jar, other)).user.role, 'admin')
  },
  { full: 'needs other servers' },
)

checkModule('admin', 'H-190', 'an unknown role is rejected', async (world) => {
  const { jar } = await world.newSession({ role: 'admin' })
  const user = await world.newUser()
  const before = await snapshotState(world)
  const roles: unknown[] = [
    ...['superadmin', 'ADMIN', 'Admin', ' admin', 'admin ', 'admin\0', 'аdmin', 'admin,viewer', '', 'null', '*'],
    ...[null, undefined, true, 0, 1, {}, [], ['admin'], { admin: true }, { toString: 'admin' }],
  ]
  for (const role of roles) {
    const response = await submitAction(world, 'updateUserRole', { userId: user.id, role }, { jar })
    assert.equal(verdict(response), 'invalid_input', JSON.stringify(role))
    assert.deepEqual(Object.keys(fieldsOf(response)), ['role'], JSON.stringify(role))
  }
  const form = await encodeReactForm([
    ['userId', user.id],
    ['role', 'viewer'],
    ['role', 'admin'],
  ])
  assert.equal(verdict(await submitAction(world, 'updateUserRole', null, { jar, ...form })), 'invalid_input')
  assert.equal(await snapshotState(world), before)
  // The database rejects it as well.
  await assert.rejects(world.query(`update users set role = 'superadmin' where id = $1`, [user.id]), /check constraint/)
})

checkModule('admin', 'H-191', 'admins cannot delete or suspend themselves, only demote', async (world) => {
  const [self, other] = [await world.newSession({ role: 'admin' }), await world.newSession()]
  const { id, email, jar } = self
  const before = await snapshotState(world)
  assert.equal(
    verdict(await submitAction(world, 'deleteUser', { userId: id, typedEmail: email }, { jar })),
    'forbidden',
  )
  for (const ids of [[id], [other.id, id], id]) {
    for (const name of ['suspendUsers', 'updateUserRoles', 'signOutUsers']) {
      const response = await submitAction(world, name, { ids, role: 'viewer' }, { jar })
      assert.equal(verdict(response), 'invalid_input', name)
      assert.deepEqual(Object.keys(fieldsOf(response)), ['ids'], name)
    }
  }
  // An upper-case id is the same user.
  const upper = id.toUpperCase()
  assert.notEqual(upper, id)
  const asked = [
    await submitAction(world, 'deleteUser', { userId: upper, typedEmail: email }, { jar }),
    await submitAction(world, 'suspendUsers', { ids: [upper] }, { jar }),
    await submitAction(world, 'updateUserRoles', { ids: [upper], role: 'viewer' }, { jar }),
  ]
  assert.deepEqual(asked.map(verdict), ['forbidden', 'invalid_input', 'invalid_input'])
  assert.equal(await snapshotState(world), before)

  // Admins may change their own role while another admin exists, after reauthentication.
  const demoteSelf = () => submitAction(world, 'updateUserRole', { userId: id, role: 'editor' }, { jar })
  await world.setReauthenticatedAgo(id, '61 minutes')
  assert.equal(verdict(await demoteSelf()), 'reauth_required')
  await world.setReauthenticatedAgo(id, '59 minutes')
  assert.equal(verdict(await demoteSelf()), 'ok')
  assert.equal((await world.getSession(jar)).user.role, 'editor')
  const promotion = await submitAction(world, 'updateUserRole', { userId: id, role: 'admin' }, { jar })
  assert.equal(verdict(promotion), 'forbidden')
})

check(
  'H-192',
  'sensitive actions require reauthentication within the last hour',
  async (world) => {
    const { jar, id, email } = await world.newSession()
    const setReauthenticatedAgo = (minutes: number) => world.setReauthenticatedAgo(id, `${minutes} minutes`)
    const ask = (typedEmail = email) => submitAction(world, 'deleteAccount', { typedEmail }, { jar })
    for (const minutes of [61, 24 * 60, 7 * 24 * 60]) {
      await setReauthenticatedAgo(minutes)
      const before = await snapshotState(world)
      assert.equal(verdict(await ask()), 'reauth_required', String(minutes))
      assert.equal(verdict(await ask('anything')), 'reauth_required', String(minutes))
      assert.equal(await snapshotState(world), before)
    }
    // Neither page views nor a wrong password count as reauthentication.
    await world.get('/account/profile', { jar })
    assert.equal(
      verdict(await submitAction(world, 'reauthenticate', { password: `${password}!` }, { jar })),
      'invalid_credentials',
    )
    assert.equal(verdict(await ask()), 'reauth_required')
    const { token } = jar
    assert.equal(verdict(await submitAction(world, 'reauthenticate', { password }, { jar })), 'to /dashboard')
    assert.notEqual(jar.token, token)
    assert.equal(await world.getSession(token), null)
    await setReauthenticatedAgo(59)
    assert.equal(verdict(await ask()), 'to /signed-out')
    assert.deepEqual(await world.query('select id from users where id = $1', [id]), [])
    if (hasModule('admin')) await assertAdminsReauthenticate(world)
  },
  { full: 'needs other servers' },
)

/** Actions that grant or remove access, or cannot be undone. */
const sensitive = [
  'updateUserRole',
  'updateUserRoles',
  'undoRoleChange',
  'deleteUser',
  'suspendUsers',
  'undoSuspension',
  'restoreUser',
  'signOutUsers',
  'removeUserSecondFactor',
  'startUserImport',
]

async function assertAdminsReauthenticate(world: World): Promise<void> {
  const admin = await world.newSession({ role: 'admin' })
  const victim = await world.newUser()
  const ask = (name: string) =>
    submitAction(world, name, validInputOf(name, { ...victim, password }), { jar: admin.jar })
  for (const minutes of [61, 11 * 60]) {
    await world.setReauthenticatedAgo(admin.id, `${minutes} minutes`)
    const before = await snapshotState(world)
    for (const name of sensitive) {
      assert.equal(verdict(await ask(name)), 'reauth_required', name)
      assert.equal(verdict(await submitAction(world, name, {}, { jar: admin.jar })), 'reauth_required', name)
    }
    const file = await world.get('/api/admin/users/export', { jar: admin.jar })
    assert.deepEqual([file.status, file.json().code], [403, 'reauth_required'])
    const upload = await call(world.app.url, '/api/admin/users/import', {
      method: 'POST',
      jar: admin.jar,
      ...(await multipart([['file', new Blob(['email\nada@example.com\n'])]])),
    })
    assert.deepEqual([upload.status, upload.json().code], [403, 'reauth_required'])
    assert.equal(await snapshotState(world), before)
  }
  await world.setReauthenticatedAgo(admin.id, '59 minutes')
  assert.equal(verdict(await ask('updateUserRole')), 'ok')
  assert.match(verdict(await ask('deleteUser')), /^to \/admin\/users/)
}

checkModule('admin', 'H-193', 'admin actions on a deleted or unknown user return not_found', async (world) => {
  const { jar, id } = await world.newSession({ role: 'admin' })
  const deleted = await world.newSession()
  await world.query('delete from users where id = $1', [deleted.id])
  const before = [await snapshotState(world), await countAuditEvents(world)]
  for (const userId of [deleted.id, crypto.randomUUID()]) {
    const deletedUser = { id: userId, email: deleted.email, password }
    for (const name of ['updateUserRole', 'deleteUser', 'restoreUser', 'endUserSessions', 'sendUserReset'])
      assert.equal(
        verdict(await submitAction(world, name, validInputOf(name, deletedUser), { jar })),
        'not_found',
        name,
      )
    assert.equal(verdict(await submitAction(world, 'removeUserSecondFactor', { userId }, { jar })), 'not_found')
    // These take several ids and return how many users they changed.
    for (const name of ['suspendUsers', 'updateUserRoles', 'signOutUsers']) {
      const none = await submitAction(
        world,
        name,
        { ids: [userId], role: 'editor' },
        { jar, path: `/admin/users/${id}` },
      )
      assert.deepEqual(none.value, { ok: true, data: { count: 0 } }, name)
    }
    assert.equal((await world.get(`/admin/users/${userId}`, { jar })).status, 404)
  }
  assert.deepEqual([await snapshotState(world), await countAuditEvents(world)], before)

  // A suspended user's role can change, but there are no sessions to end and no reset email is sent.
  const suspended = await world.newUser({ isSuspended: true })
  const ask = async (name: string) =>
    verdict(await submitAction(world, name, validInputOf(name, { ...suspended, password }), { jar }))
  assert.deepEqual([await ask('endUserSessions'), await ask('sendUserReset')], ['not_found', 'not_found'])
  assert.deepEqual(await world.emailsTo(suspended.email), [])
  assert.deepEqual([await ask('updateUserRole'), await ask('restoreUser')], ['ok', 'ok'])
  assert.equal(await ask('restoreUser'), 'not_found')
  assert.equal((await world.trySignIn(suspended.email)).status, 200)
})

checkModule(
  'admin',
  'H-194',
  'non-admins get no admin page content, not even as RSC payload',
  async (world) => {
    const victim = await world.newUser()
    const marker = `Unmistakable ${crypto.randomUUID()}`
    await world.query('update users set name = $2 where id = $1', [victim.id, marker])
    const pages = [
      '/admin',
      '/admin/users',
      `/admin/users?search=${encodeURIComponent(victim.email)}`,
      `/admin/users/${victim.id}`,
      // Rendered as dialogs as well, for a router that comes from a page of the module (Next-Url).
      ...['role', 'suspend', 'delete'].map((act) => `/admin/users/${victim.id}/${act}`),
      `/admin/users/suspend?ids=${victim.id}`,
      '/admin/users/import',
      '/admin/permissions',
    ]
    const tree = (...segments: string[]) =>
      encodeURIComponent(
        JSON.stringify(['', segments.reduceRight<unknown>((children, name) => ({ children: [name, children] }), {})]),
      )
    const headerSets: Record<string, string>[] = [
      {},
      { RSC: '1' },
      { RSC: '1', 'Next-Router-Prefetch': '1' },
      { RSC: '1', 'Next-Router-Prefetch': '2' },
      { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_tree' },
      { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/admin/users/__PAGE__' },
      // Claims that the layout, which checks access first, is already loaded.
      { RSC: '1', 'Next-Router-State-Tree': tree('(admin)', 'admin', 'users', '__PAGE__'), 'Next-Url': '/admin/users' },
      { Purpose: 'prefetch', 'Sec-Purpose': 'prefetch' },
      { 'X-Middleware-Subrequest': Array(5).fill('src/proxy').join(':'), 'X-Nextjs-Data': '1' },
    ]
    /** Next redirects RSC requests to a URL with `_rsc`: follows that redirect. */
    const open = async (path: string, how: CallOptions): Promise<HttpResponse> => {
      const response = await world.get(path, withCopiedJar(how))
      const { location = '' } = response.headers
      return response.status === 307 && location.includes('_rsc') ? world.get(location, withCopiedJar(how)) : response
    }
    const admin = await world.newSession({ role: 'admin' })
    for (const headers of headerSets.slice(0, 2)) {
      const { text } = await open(`/admin/users/${victim.id}`, { jar: admin.jar, headers })
      assert.ok(text.includes(marker) && text.includes(victim.email), 'even admins do not see the name: check is void')
    }
    const callers: [who: string, how: CallOptions, status: number, said: RegExp][] = [
      ['no session', {}, 307, /NEXT_REDIRECT;\w+;\/signin\?callbackUrl=%2Fadmin/],
    ]
    for (const role of ['viewer', 'editor'] as const)
      callers.push([role, { jar: (await world.newSession({ role })).jar }, 404, /NEXT_HTTP_ERROR_FALLBACK;404/])
    for (const path of pages)
      for (const headers of headerSets)
        for (const [who, how, status, expectedText] of callers) {
          const response = await open(path, { ...how, headers })
          const what = `${path} ${JSON.stringify(headers)} by ${who}: ${response.status} ${response.headers.location} ${response.text.slice(0, 400)}`
          // For RSC requests Next puts the error into a 200 response, and for a segment prefetch it may omit it.
          const isRscError = headers.RSC !== undefined && response.status === 200
          if (isRscError && Object.keys(headers).length === 1) assert.match(response.text, expectedText, what)
          if (!isRscError) assert.equal(response.status, status, what)
          if (response.status === 307)
            assert.match(response.headers.location ?? '', /^\/signin\?callbackUrl=%2Fadmin/, what)
          for (const text of [marker, 'users.change_role', ...(path.includes('search=') ? [] : [victim.email])])
            assert.ok(!response.text.includes(text), what)
        }
    return `${pages.length} pages, ${headerSets.length} header sets, ${callers.length} callers`
  },
  { full: 'takes long' },
)

check(
  'H-196',
  'Range, Accept-Language and method override headers have no effect',
  async (world) => {
    const { jar, id } = await world.newSession()
    const before = await snapshotState(world)
    const headerSets: Record<string, string>[] = [
      { Range: 'bytes=0-10' },
      { 'Accept-Language': '../../etc/passwd, *;q=999999' },
      { 'Accept-Language': 'x'.repeat(4_000) },
      { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE', 'X-HTTP-Method': 'DELETE' },
    ]
    for (const path of everyPath()) {
      const usual = await world.get(path, { jar: jar.copy() })
      for (const headers of headerSets) {
        const response = await world.get(path, { jar: jar.copy(), headers })
        assert.deepEqual(
          [response.status, response.headers.location, response.headers['content-type']],
          [usual.status, usual.headers.location, usual.headers['content-type']],
          `${path} ${Object.keys(headers)}`,
        )
        assert.ok(!response.setCookies.some((line) => line.startsWith(`${appSlug}.session=`)), path)
      }
    }
    assert.equal((await world.getSession(jar)).user.id, id)
    assert.equal(await snapshotState(world), before)
  },
  { full: 'takes long' },
)

checkModule('admin', 'H-197', 'another site cannot fetch the user list with an admin’s cookie', async (world) => {
  const { jar, id } = await world.newSession({ role: 'admin' })
  const before = await countAuditEvents(world)
  const headerSets: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'script' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ]
  for (const path of [...userLists, '/api/search?q=a'])
    for (const headers of headerSets) {
      const response = await world.get(path, { jar: jar.copy(), headers })
      assert.deepEqual(
        [response.status, response.json().code],
        [403, 'cross_site'],
        `${path} ${JSON.stringify(headers)}`,
      )
      assert.equal(response.headers['access-control-allow-origin'], undefined)
    }
  // Listing users records an audit event; none was recorded.
  assert.equal(await countAuditEvents(world), before)
  const own = await world.get(userLists[0] ?? '', { jar, headers: { 'Sec-Fetch-Site': 'same-origin' } })
  assert.equal(own.status, 200)
  const [{ kind }] = await world.query('select kind from audit_events where actor_id = $1 order by id desc limit 1', [
    id,
  ])
  assert.equal(kind, 'users.listed')
})

check(
  'H-198',
  'an error reveals neither a role nor another user',
  async (world) => {
    const [user, other] = [await world.newSession(), await world.newSession({ role: 'editor' })]
    const [{ id: sessionId }] = await world.query('select id from sessions where user_id = $1', [other.id])
    const closed = await world.node('sign-up closed', { AUTH_SIGNUP: 'closed' })
    const signUp = { email: other.email, name: 'x', password }
    const errors: [expected: string, response: ActionResponse][] = [
      ['unauthenticated', await submitAction(world, 'deleteAccount', { typedEmail: other.email })],
      ['not_found', await submitAction(world, 'endSession', { id: sessionId }, { jar: user.jar })],
      ['invalid_input', await submitAction(world, 'deleteAccount', { typedEmail: other.email }, { jar: user.jar })],
      [
        'invalid_credentials',
        await submitAction(world, 'changePassword', { current: 'x', next: 'y', email: other.email }, { jar: user.jar }),
      ],
      ['forbidden', await submitAction(world, 'signUp', signUp, { node: closed })],
    ]
    await world.setReauthenticatedAgo(user.id, '2 hours')
    errors.push([
      'reauth_required',
      await submitAction(world, 'deleteAccount', { typedEmail: other.email }, { jar: user.jar }),
    ])
    for (const [expected, response] of errors) {
      assert.equal(verdict(response), expected)
      const message = JSON.stringify(response.value)
      for (const part of [other.id, other.email, sessionId, 'viewer', 'editor', 'admin', 'allow', 'role'])
        assert.ok(!message.includes(part), `${expected}: ${message}`)
    }
    // It does not reveal whether the target exists either.
    const [theirs, none] = [
      await submitAction(world, 'endSession', { id: sessionId }, { jar: user.jar }),
      await submitAction(world, 'endSession', { id: crypto.randomUUID() }, { jar: user.jar }),
    ]
    assert.deepEqual(theirs.value, none.value)
    if (!hasModule('admin')) return
    for (const { name } of guardedActionsOf('admin')) {
      const messages = new Set<string>()
      for (const target of [other, { email: other.email }, user]) {
        const response = await submitAction(world, name, validInputOf(name, { ...target, password }), { jar: user.jar })
        assert.equal(verdict(response), 'forbidden', name)
        messages.add(JSON.stringify(response.value))
      }
      assert.equal(messages.size, 1, name)
      assert.doesNotMatch([...messages].join(), /viewer|editor|admin|role|users\.|@/i, name)
    }
  },
  { full: 'needs other servers' },
)
