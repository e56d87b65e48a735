// Lost rights: a user who lost a right can no longer use it, and what they prepared or scheduled is canceled.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Secret, TOTP } from 'otpauth'
import type { PoolClient } from 'pg'
import sharp from 'sharp'
import { root } from '../../../scripts/root.ts'
import { findEntryPoints } from '../../app/matrix/entry-points.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check, checkModule, skip } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { Jar } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { guardedActionsOf, listActions, multipart, verdict } from '../../app/support/server-actions.ts'
import { password, type TestUser, type World } from '../../app/support/test-world.ts'
import { insertEmailChange, insertToken } from './support/insert-token.ts'
import { callCallback, giveConsent, signInWithProvider, startOAuth } from './support/oauth-flow.ts'
import { addPasskey, newPasskey } from './support/passkey.ts'

type Role = 'viewer' | 'editor' | 'admin'
type SignedInUser = TestUser & { jar: Jar }

/** A check that needs several modules. */
function checkModules(modules: string[], ...[number, title, run, options]: Parameters<typeof check>): void {
  const missing = modules.find((name) => !hasModule(name))
  if (missing) skip(number, title, `there is no module ${missing}`)
  else check(number, title, run, options)
}

async function newUser(world: World, role: Role): Promise<SignedInUser> {
  const user = await world.newUser({ role, hash: null })
  return { ...user, jar: await world.insertSession(user) }
}

/** Posted to a page that renders little, so that only the action costs time. */
const send = (world: World, { jar }: SignedInUser, name: string, input: object, node = world.app) =>
  submitAction(world, name, input, { jar: jar.copy(), node, path: '/signed-out' })
const verdictOf = async (...given: Parameters<typeof send>) => verdict(await send(...given))

const demote = (world: World, admin: SignedInUser, { id }: TestUser, node = world.app) =>
  verdictOf(world, admin, 'updateUserRole', { userId: id, role: 'viewer' }, node)
const suspend = (world: World, admin: SignedInUser, { id }: TestUser) =>
  verdictOf(world, admin, 'suspendUsers', { ids: [id] })

/** The two ways to lose the right to write. */
const lossKinds: Record<string, typeof suspend> = { suspended: suspend, demoted: (...given) => demote(...given) }

async function newPost(world: World, author: SignedInUser): Promise<string> {
  const created = await verdictOf(world, author, 'createPost', { title: 'A title' })
  return /^to \/content\/([\w-]+)/.exec(created)?.[1] ?? assert.fail(created)
}

const text = (id: string, more: object = {}) => ({
  ...{ id, version: 1, title: 'A title', slug: `w-${id}`, summary: '', tags: '', body: 'Some text' },
  ...more,
})

/** Sends a request except for its last bytes; the returned function sends the rest. */
function sendSlowly(
  world: World,
  method: string,
  path: string,
  { jar }: SignedInUser,
  headers: object,
  body: Buffer,
  heldBack = 1,
) {
  const { port, host } = new URL(world.app.url)
  const outgoing = request({
    ...{ host: '127.0.0.1', port, method, path },
    headers: {
      Host: host,
      'X-Forwarded-For': randomIp(),
      Cookie: String(jar),
      Origin: world.app.url,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Length': String(body.length),
      ...headers,
    },
  })
  const result = new Promise<{ status: number; text: string }>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
    })
  })
  outgoing.write(body.subarray(0, -heldBack))
  return () => {
    outgoing.end(body.subarray(-heldBack))
    return result
  }
}

interface Upload {
  role: Role
  /** The request, and a query for what it writes: nothing may change. */
  prepare(world: World, by: SignedInUser): Promise<{ path: string; headers: object; body: Buffer; written: string }>
  /** How many bytes arrive too late: those without which the body is incomplete. */
  heldBack?: number
}

async function newImage(world: World, { id }: TestUser): Promise<string> {
  const [image] = await world.query(
    `insert into content_images (owner_id, name, alt, width, height, variants)
     values ($1, 'a.png', 'An image', 1, 1, '{}') returning id`,
    [id],
  )
  return image.id
}

const pngOf = async () => ({
  headers: { 'Content-Type': 'image/png' },
  body: await sharp({ create: { width: 32, height: 32, channels: 3, background: 'red' } })
    .png()
    .toBuffer(),
})
const formOf = async (name: string, file: Buffer) => {
  const parts: Parameters<typeof multipart>[0] = [
    ['alt', 'An image'],
    [name, new Blob([new Uint8Array(file)])],
  ]
  const { headers, body } = await multipart(parts)
  return { headers, body: Buffer.from(body as Buffer) }
}
const imagesOf = ({ id }: TestUser) => `select id, file_id from content_images where owner_id = '${id}'`

/** Every handler that takes a file, by its method and path. */
const uploads: Record<string, Upload> = {
  'PUT /api/content/posts/[id]/cover': {
    role: 'editor',
    prepare: async (world, by) => {
      const id = await newPost(world, by)
      const written = `select id from content_covers where post_id = '${id}'`
      return { path: `/api/content/posts/${id}/cover`, ...(await pngOf()), written }
    },
  },
  'POST /api/content/images': {
    role: 'editor',
    prepare: async (_, by) => ({
      ...{ path: '/api/content/images?name=a.png&alt=An+image', written: imagesOf(by) },
      ...(await pngOf()),
    }),
  },
  'PUT /api/content/images/[id]': {
    role: 'editor',
    prepare: async (world, by) => {
      const path = `/api/content/images/${await newImage(world, by)}`
      return { path, ...(await pngOf()), written: imagesOf(by) }
    },
  },
  'POST /api/content/images/form': {
    role: 'editor',
    prepare: async (_, by) => ({
      ...{ path: '/api/content/images/form', written: imagesOf(by) },
      ...(await formOf('image', (await pngOf()).body)),
    }),
  },
  'POST /api/admin/users/import': {
    role: 'admin',
    // The end of the last row: the file ends where the delimiter of the form begins.
    heldBack: 100,
    prepare: async (_, { id }) => ({
      ...{ path: '/api/admin/users/import', written: `select id from admin_imports where created_by = '${id}'` },
      ...(await formOf('file', Buffer.from('email,name\nnew@example.com,New\n'))),
    }),
  },
}

checkModules(
  ['admin', 'content'],
  'H-364',
  'a user who is suspended or demoted before the last byte arrives writes nothing',
  async (world) => {
    const admin = await newUser(world, 'admin')
    const action = listActions().find(({ name }) => name === 'createPost') ?? assert.fail()
    const handlers = (await findEntryPoints()).filter(({ file }) => /\/\((admin|content)\)\//.test(file))
    const withUpload = handlers.filter(({ file }) => readFileSync(join(root, file), 'utf8').includes('\n    upload: '))
    assert.deepEqual(withUpload.map(({ name }) => name).sort(), Object.keys(uploads).sort())
    for (const [how, takeRight] of Object.entries(lossKinds)) {
      const [status, code] = how === 'suspended' ? [401, 'unauthenticated'] : [403, 'forbidden']
      for (const [name, { role, prepare, heldBack }] of Object.entries(uploads)) {
        const user = await newUser(world, role)
        const { path, headers, body, written } = await prepare(world, user)
        const before = await world.query(written)
        const finish = sendSlowly(world, name.split(' ')[0] ?? '', path, user, headers, body, heldBack)
        // The request has passed the first permission check by now.
        await wait(300)
        assert.equal(await takeRight(world, admin, user), 'ok', `${name}, ${how}`)
        const upload = await finish()
        assert.equal(upload.status, status, `${name}, ${how}: ${upload.text}`)
        assert.equal(JSON.parse(upload.text).code, code)
        assert.deepEqual(await world.query(written), before, `${name}, ${how}`)
      }
      const editor = await newUser(world, 'editor')
      const head = { 'Next-Action': action.id, 'Content-Type': 'text/plain;charset=UTF-8', Accept: 'text/x-component' }
      const finishAction = sendSlowly(world, 'POST', action.page, editor, head, Buffer.from('[{"title":"Too late"}]'))
      await wait(300)
      assert.equal(await takeRight(world, admin, editor), 'ok', how)
      assert.match((await finishAction()).text, new RegExp(code), how)
      assert.deepEqual(await world.query('select title from content_posts where author_id = $1', [editor.id]), [], how)
    }
  },
  { full: 'samples races' },
)

checkModule(
  'admin',
  'H-365',
  'of two admins who demote each other exactly one succeeds, with other admins left',
  async (world) => {
    const nodes = [world.app, await world.node('lost rights')] as const
    const [one, other] = [await newUser(world, 'admin'), await newUser(world, 'admin')]
    await newUser(world, 'admin')
    for (let round = 0; round < 20; round++) {
      const verdicts = await Promise.all([demote(world, one, other, nodes[0]), demote(world, other, one, nodes[1])])
      assert.deepEqual([...verdicts].sort(), ['forbidden', 'ok'], `round ${round}`)
      await world.query(`update users set role = 'admin' where id = any($1)`, [[one.id, other.id]])
    }
  },
  { full: 'samples races' },
)

/** Waits until that many connections wait for this one, or for each other, or the work is done. */
async function waitForLocks(world: World, holder: PoolClient, count: number, isDone: () => boolean): Promise<void> {
  const { rows } = await holder.query('select pg_backend_pid() as pid')
  const waiting = `
    with recursive waiting (pid) as (
      select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))
      union
      select a.pid from pg_stat_activity a join waiting on waiting.pid = any(pg_blocking_pids(a.pid))
    ) select count(*)::int from waiting`
  for (let tries = 0; !isDone(); tries++) {
    if ((await world.query(waiting, [rows[0].pid]))[0].count >= count) return
    assert.ok(tries < 2_000, 'nothing waits for a lock')
    await wait(10)
  }
}

interface LockRace {
  role: Role
  name: string
  /** The input of the action, and the statement that locks its target row. */
  prepare(world: World, by: SignedInUser): Promise<{ input: object; lockStatement: string; key: string }>
}

const onUser = (name: string, more: (user: SignedInUser) => object = () => ({})): LockRace => ({
  role: 'admin',
  name,
  prepare: async (world) => {
    const user = await newUser(world, 'editor')
    if (name === 'restoreUser') await world.query('update users set suspended_at = now() where id = $1', [user.id])
    const isForSelected = ['suspendUsers', 'updateUserRoles', 'signOutUsers'].includes(name)
    const input = { ...(isForSelected ? { ids: [user.id] } : { userId: user.id }), ...more(user) }
    const table = name === 'endUserSessions' ? 'sessions where user_id' : 'users where id'
    return { input, lockStatement: `select 1 from ${table} = $1 for update`, key: user.id }
  },
})

/** Undoes a change of a user. `input` is that of the action `change`. */
const onUndo = (name: string, change: string, input: object = {}): LockRace => ({
  role: 'admin',
  name,
  prepare: async (world, by) => {
    const user = await newUser(world, 'editor')
    const changed = await verdictOf(world, by, change, { ids: [user.id], ...input, returnTo: '/admin/users' })
    const [, undo] = /[?&]undo=([\w-]+)/.exec(changed) ?? assert.fail(changed)
    return { input: { undo }, lockStatement: 'select 1 from users where id = $1 for update', key: user.id }
  },
})

const onInvitation = (name: string): LockRace => ({
  role: 'admin',
  name,
  prepare: async (world) => {
    const email = `w-${crypto.randomUUID()}@example.com`
    const [{ id }] = await world.query(
      `insert into admin_invitations (email, role) values ($1, 'viewer') returning id`,
      [email],
    )
    const input = name === 'inviteUsers' ? { emails: email, role: 'admin' } : { id }
    return { input, lockStatement: 'select 1 from admin_invitations where id = $1 for update', key: id }
  },
})

const onPost = (name: string, more: object = {}): LockRace => ({
  role: 'editor',
  name,
  prepare: async (world, by) => {
    const id = await newPost(world, by)
    if (name.startsWith('unpublish')) await verdictOf(world, by, 'savePost', text(id, { step: 'publish' }))
    const at = new Date(Date.now() + 3_600_000).toISOString()
    if (name === 'unschedulePost') await verdictOf(world, by, 'savePost', text(id, { step: 'schedule', at }))
    const input = name === 'savePost' ? text(id, { at }) : name.endsWith('Posts') ? { ids: [id] } : { id }
    return {
      input: { ...input, ...more },
      lockStatement: 'select 1 from content_posts where id = $1 for update',
      key: id,
    }
  },
})

const onImage = (name: string): LockRace => ({
  role: 'editor',
  name,
  prepare: async (world, by) => {
    const id = await newImage(world, by)
    return { input: { id }, lockStatement: 'select 1 from content_images where id = $1 for update', key: id }
  },
})

const onImport = (name: string): LockRace => ({
  role: 'admin',
  name,
  prepare: async (world) => {
    const [row] = await world.query(
      `insert into admin_imports (file_name, status) values ('users.csv', 'ready') returning id`,
    )
    return {
      input: { id: row.id },
      lockStatement: 'select 1 from admin_imports where id = $1 for update',
      key: row.id,
    }
  },
})

const lockRaces: LockRace[] = [
  onUser('updateUserRole', () => ({ role: 'admin' })),
  onUser('updateUserRoles', () => ({ role: 'admin' })),
  onUser('suspendUsers'),
  onUser('signOutUsers'),
  onUser('restoreUser'),
  onUndo('undoSuspension', 'suspendUsers'),
  onUndo('undoRoleChange', 'updateUserRoles', { role: 'viewer' }),
  onUser('deleteUser', ({ email }) => ({ typedEmail: email })),
  onUser('endUserSessions'),
  onUser('removeUserSecondFactor'),
  onUser('impersonateUser'),
  onInvitation('inviteUsers'),
  onInvitation('resendInvitation'),
  onInvitation('revokeInvitation'),
  onImport('startUserImport'),
  onImport('cancelUserImport'),
  ...(hasModule('content')
    ? [
        onPost('savePost', { step: 'publish' }),
        onPost('savePost', { step: 'schedule' }),
        onPost('savePost'),
        onPost('restoreRevision', { number: 1 }),
        onPost('removeCover'),
        onPost('createPreview'),
        onPost('endPreviews'),
        onPost('unpublishPost'),
        onPost('unpublishPosts'),
        onPost('unschedulePost'),
        onPost('deletePost'),
        onPost('publishPosts'),
        onPost('deletePosts'),
        onPost('duplicatePost'),
        onImage('deleteImage'),
      ]
    : []),
]

/** Actions of these modules that cannot be blocked by a row, and why. */
const unblockable: Record<string, string> = {
  listUsers: 'only reads',
  sendUserReset: 'changes no row that existed before',
  createPost: 'changes no row that existed before; see H-364',
}

/**
 * Calls an action, blocks it with a row lock, demotes its caller meanwhile, and returns the events that the caller caused
 * after that.
 */
async function runRace(world: World, admin: SignedInUser, { role, name, prepare }: LockRace): Promise<string[]> {
  const by = await newUser(world, role)
  const { input, lockStatement, key } = await prepare(world, by)
  const lockClient = await world.pool.connect()
  let pending: Promise<string>
  let isDemoted = false
  let isDemotedFirst = false
  try {
    await lockClient.query('begin')
    await lockClient.query(lockStatement, [key])
    let isDone = false
    const pendingAction = send(world, by, name, input).finally(() => {
      isDone = true
    })
    await waitForLocks(world, lockClient, 1, () => isDone)
    assert.ok(!isDone, `${name} was not blocked`)
    const demoting = demote(world, admin, by).finally(() => {
      isDemoted = true
    })
    await waitForLocks(world, lockClient, 2, () => isDemoted)
    isDemotedFirst = isDemoted
    pending = Promise.all([pendingAction, demoting]).then(([response]) => verdict(response))
  } finally {
    await lockClient.query('rollback')
    lockClient.release()
  }
  const result = await pending
  const lateEvents = await world.query(
    `select e.kind from audit_events e join audit_events lost on lost.kind = 'role.changed' and lost.target_id = $1
     where e.actor_id = $1 and e.id > lost.id and e.kind <> 'users.listed'`,
    [by.id],
  )
  const [now] = await world.query('select role from users where id = $1', [by.id])
  assert.equal(now.role, 'viewer', `${name}: the demotion failed`)
  // Either the demotion waits until the action has ended, or the action notices it.
  assert.match(result, isDemotedFirst ? /^(forbidden|unauthenticated)$/ : /^(ok$|to )/, name)
  return lateEvents.map(({ kind }) => `${name}: ${kind}`)
}

checkModule(
  'admin',
  'H-366',
  'no change is made by a user after they lost the right to, wherever it was blocked',
  async (world) => {
    const raced = new Set([...lockRaces.map(({ name }) => name), ...Object.keys(unblockable)])
    const modules = ['admin', ...(hasModule('content') ? ['content'] : [])]
    const names = modules.flatMap((module) => guardedActionsOf(module).map(({ name }) => name))
    assert.deepEqual(
      names.filter((name) => !raced.has(name)),
      [],
    )
    const admin = await newUser(world, 'admin')
    const lateEvents: string[] = []
    for (const race of lockRaces) lateEvents.push(...(await runRace(world, admin, race)))
    assert.deepEqual(lateEvents, [])
    return `${lockRaces.length} actions`
  },
  { full: 'samples races' },
)

checkModules(
  ['admin', 'content'],
  'H-367',
  'preview links end when their creator is suspended or demoted, and that is recorded',
  async (world) => {
    const [admin, author] = [await newUser(world, 'admin'), await newUser(world, 'editor')]
    const id = await newPost(world, author)
    for (const [how, takeRight] of Object.entries(lossKinds)) {
      const editor = await newUser(world, 'editor')
      const { value } = await send(world, editor, 'createPreview', { id })
      const { link } = (value as { data: { link: string } }).data
      const path = new URL(link).pathname + new URL(link).search
      const isShown = async () => (await world.get(path)).text.includes('A title')
      assert.equal(await isShown(), true, how)
      assert.equal(await takeRight(world, admin, editor), 'ok', how)
      assert.equal(await isShown(), false, `${how}: the link still shows the draft`)
      const events = await world.query(
        `select kind, actor_id, target_id from audit_events where kind like 'preview.%' and $1 in (actor_id, target_id) order by id`,
        [editor.id],
      )
      assert.deepEqual(events, [
        { kind: 'preview.created', actor_id: editor.id, target_id: null },
        { kind: 'preview.revoked', actor_id: admin.id, target_id: editor.id },
      ])
    }
  },
)

checkModules(
  ['admin', 'content'],
  'H-368',
  'a scheduled post is not published once its author is suspended, demoted, deleted or otherwise lost the right',
  async (world) => {
    const admin = await newUser(world, 'admin')
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const scheduled: { how: string; id: string; by: string | null }[] = []
    const remove: typeof suspend = (_, by, { id, email }) =>
      verdictOf(world, by, 'deleteUser', { userId: id, typedEmail: email })
    // Directly in the database: only the job can notice.
    const demoteInDatabase: typeof suspend = async (_, __, { id }) => {
      await world.query(`update users set role = 'viewer' where id = $1`, [id])
      return 'ok'
    }
    for (const [how, takeRight] of Object.entries({ ...lossKinds, deleted: remove, unnoticed: demoteInDatabase })) {
      const editor = await newUser(world, 'editor')
      const id = await newPost(world, editor)
      assert.equal(await verdictOf(world, editor, 'savePost', text(id, { step: 'schedule', at })), 'ok')
      assert.match(await takeRight(world, admin, editor), /^(ok|to \/admin)/, how)
      scheduled.push({ how, id, by: how === 'unnoticed' ? null : admin.id })
    }
    // Another scheduled post, to know that the job has run.
    const editor = await newUser(world, 'editor')
    const last = await newPost(world, editor)
    assert.equal(await verdictOf(world, editor, 'savePost', text(last, { step: 'schedule', at })), 'ok')
    // Instead of waiting for the time, the check lets it come.
    await world.query(
      `update jobs.job set start_after = now() where name = 'content.publish' and data ->> 'postId' = any($1)`,
      [[...scheduled.map(({ id }) => id), last]],
    )
    for (let tries = 0; (await world.get(`/posts/w-${last}`)).status !== 200; tries++) {
      assert.ok(tries < 240, 'nothing was published at its time')
      await wait(250)
    }
    for (const { how, id, by } of scheduled) {
      assert.equal((await world.get(`/posts/w-${id}`)).status, 404, `${how}: it is public`)
      const [post] = await world.query('select status, scheduled, scheduled_at from content_posts where id = $1', [id])
      assert.deepEqual(post, { status: 'draft', scheduled: null, scheduled_at: null }, how)
      const events = await world.query(
        `select actor_id from audit_events where kind = 'post.unscheduled' and details->>'post' = $1`,
        [id],
      )
      assert.deepEqual(events, [{ actor_id: by }], how)
    }
  },
  { full: 'takes long' },
)

const tokensIn = (emails: { text: string }[]) =>
  emails.flatMap(({ text }) => /\/join\?token=([\w-]+)/.exec(text)?.[1] ?? [])

checkModule('admin', 'H-369', 'after a second invitation only the newest link works, with its role', async (world) => {
  const admin = await newUser(world, 'admin')
  const email = `invited-${crypto.randomUUID()}@example.com`
  const invite = (role: Role, to = email) => verdictOf(world, admin, 'inviteUsers', { emails: to, role })
  assert.equal(await invite('viewer'), 'ok')
  const [first = assert.fail()] = tokensIn(await world.emailsTo(email))
  assert.equal(await invite('editor'), 'ok')
  const second = tokensIn(await world.emailsTo(email)).find((token) => token !== first) ?? assert.fail()
  const isAlive = async (token: string) =>
    (await world.query('select 1 from tokens where hash = $1', [createHash('sha256').update(token).digest()]))
      .length === 1
  assert.deepEqual([await isAlive(first), await isAlive(second)], [false, true])
  const accept = (token: string) =>
    submitAction(
      world,
      'acceptInvitation',
      { token, name: 'Ada', password: 'a long walk by the sea' },
      { path: '/join' },
    )
  assert.equal(verdict(await accept(first)), 'not_found')
  assert.match(verdict(await accept(second)), /^to /)
  assert.deepEqual(await world.query('select role from users where email = $1', [email]), [{ role: 'editor' }])

  // Invited again before the first email is sent: one email may be skipped, and at most one link works.
  const quick = `invited-${crypto.randomUUID()}@example.com`
  await invite('viewer', quick)
  const [{ id }] = await world.query('select id from admin_invitations where email = $1', [quick])
  await Promise.all([invite('admin', quick), send(world, admin, 'resendInvitation', { id }), invite('editor', quick)])
  const links = tokensIn(await world.emailsTo(quick))
  const alive = (await Promise.all(links.map(isAlive))).filter(Boolean)
  assert.equal(alive.length, 1, `${alive.length} of ${links.length} links work`)
})

checkModule('admin', 'H-370', 'impersonation ends for good when the role of either user changes', async (world) => {
  const other = await newUser(world, 'admin')
  const startImpersonation = async () => {
    const [admin, editor] = [await newUser(world, 'admin'), await newUser(world, 'editor')]
    const jar = admin.jar.copy()
    const path = `/admin/users/${editor.id}`
    const started = await submitAction(world, 'impersonateUser', { userId: editor.id }, { jar, path })
    assert.equal(verdict(started), 'to /dashboard')
    assert.equal((await world.getSession(jar)).user.id, editor.id)
    return { admin, editor, jar }
  }
  const setRole = async ({ id: userId }: TestUser, role: Role) =>
    assert.equal(await verdictOf(world, other, 'updateUserRole', { userId, role }), 'ok')

  const promoted = await startImpersonation()
  await setRole(promoted.editor, 'admin')
  assert.equal(await world.getSession(promoted.jar), null)
  for (const [name, input] of Object.entries({ listUsers: {}, endUserSessions: { userId: other.id } }))
    assert.equal(await verdictOf(world, { ...promoted.admin, jar: promoted.jar }, name, input), 'unauthenticated', name)
  await setRole(promoted.editor, 'editor')
  assert.equal(await world.getSession(promoted.jar), null)

  const demoted = await startImpersonation()
  await setRole(demoted.admin, 'editor')
  assert.equal(await world.getSession(demoted.jar), null)
  await setRole(demoted.admin, 'admin')
  assert.equal(await world.getSession(demoted.jar), null)
})

checkModules(
  ['admin', 'account'],
  'H-371',
  'an admin cannot remove their own second factor, however the id is written',
  async (world) => {
    const [admin, other] = [await newUser(world, 'admin'), await newUser(world, 'admin')]
    for (const { id } of [admin, other])
      await world.query(
        `insert into account_totp (user_id, secret, confirmed_at) values ($1, 'encrypted', now() - interval '1 day')`,
        [id],
      )
    const count = async ({ id }: TestUser) =>
      (await world.query('select 1 from account_totp where user_id = $1', [id])).length
    for (const userId of [admin.id, admin.id.toUpperCase()])
      assert.equal(await verdictOf(world, admin, 'removeUserSecondFactor', { userId }), 'forbidden')
    assert.equal(await count(admin), 1)
    assert.equal(await verdictOf(world, admin, 'removeUserSecondFactor', { userId: other.id }), 'ok')
    assert.equal(await count(other), 0)
  },
)

checkModule(
  'admin',
  'H-372',
  'resending or revoking an invitation requires a recent reauthentication',
  async (world) => {
    const admin = await newUser(world, 'admin')
    const email = `invited-${crypto.randomUUID()}@example.com`
    const [{ id }] = await world.query(
      `insert into admin_invitations (email, role, sent_at) values ($1, 'admin', now() - interval '20 days') returning id`,
      [email],
    )
    await world.setReauthenticatedAgo(admin.id, '3 hours')
    for (const name of ['resendInvitation', 'revokeInvitation'])
      assert.equal(await verdictOf(world, admin, name, { id }), 'reauth_required', name)
    assert.equal((await world.emailsTo(email)).length, 0)
    assert.equal((await world.query('select 1 from admin_invitations where id = $1', [id])).length, 1)
  },
)

checkModule(
  'account',
  'H-373',
  'of eight passkeys added concurrently to nineteen, one is stored',
  async (world) => {
    const user = await newUser(world, 'viewer')
    await world.query(
      `insert into account_passkeys (id, user_id, public_key, counter, transports, name)
     select 'p-' || gen_random_uuid(), $1, '\\x00', 0, '{}', 'A key' from generate_series(1, 19)`,
      [user.id],
    )
    const begun = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const jar = user.jar.copy()
        const { value } = await submitAction(world, 'beginPasskey', {}, { jar })
        const { challenge } = (value as { data?: { challenge: string } }).data ?? assert.fail(JSON.stringify(value))
        return { jar, passkey: newPasskey(challenge, world.app.url) }
      }),
    )
    const verdicts = await Promise.all(
      begun.map(async ({ jar, passkey }) => verdict(await submitAction(world, 'addPasskey', { passkey }, { jar }))),
    )
    const rows = await world.query('select 1 from account_passkeys where user_id = $1', [user.id])
    assert.equal(rows.length, 20, `${rows.length} passkeys after ${verdicts}`)
    assert.equal(verdicts.filter((one) => one === 'to /account/passkeys').length, 1, String(verdicts))
  },
  { full: 'samples races' },
)

/** Sends requests that wait for the lock of the user, one after the other, and then lets them go on. Returns their results. */
async function sendWaiting(
  world: World,
  user: { id: string },
  name: string,
  requests: (() => Promise<string>)[],
): Promise<string[]> {
  const holder = await world.pool.connect()
  const pending: Promise<string>[] = []
  try {
    await holder.query('begin')
    await holder.query('select 1 from users where id = $1 for no key update', [user.id])
    let isDone = false
    for (const request of requests) {
      const sent = request().finally(() => {
        isDone = true
      })
      sent.catch(() => {})
      pending.push(sent)
      await waitForLocks(world, holder, pending.length, () => isDone)
      assert.ok(!isDone, `${name}: request ${pending.length} was not blocked`)
    }
    await holder.query('commit')
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  return Promise.all(pending)
}

interface OwnChange {
  input(world: World, user: SignedInUser): object | Promise<object>
  /** A query for what the change writes. $1 is the user. */
  written: string
}

/** What adds a way into an account. */
const ownChanges: Record<string, OwnChange> = {
  createApiToken: {
    input: () => ({ name: 'Late', role: 'viewer', days: 30 }),
    written: 'select name from account_api_tokens where user_id = $1',
  },
  setFirstPassword: {
    input: () => ({ password: 'an entirely different horse 3' }),
    written: 'select user_id from passwords where user_id = $1',
  },
  changeEmail: {
    input: () => ({ email: `w-${crypto.randomUUID()}@example.com` }),
    written: 'select email from account_email_changes where user_id = $1',
  },
  addPasskey: {
    input: async (world, { jar }) => {
      const { value } = await submitAction(world, 'beginPasskey', {}, { jar })
      const { challenge } = (value as { data?: { challenge: string } }).data ?? assert.fail(JSON.stringify(value))
      return { passkey: newPasskey(challenge, world.app.url) }
    },
    written: 'select id from account_passkeys where user_id = $1',
  },
  enableTwoFactor: {
    input: async (world, { jar }) => {
      await submitAction(world, 'prepareTwoFactor', {}, { jar })
      const { text } = await world.get('/account/two-factor/setup', { jar })
      const key = /secret=([A-Z2-7]{32})/.exec(text)?.[1] ?? assert.fail('no secret on the page')
      registerSecret(key)
      return { code: new TOTP({ secret: Secret.fromBase32(key) }).generate() }
    },
    written: 'select user_id from account_totp where user_id = $1',
  },
  verifyNewEmail: {
    input: async (world, { id }) => ({
      token: await insertEmailChange(world, id, `new-${crypto.randomUUID()}@example.com`),
    }),
    written: `select email from users where id = $1 and email like 'new-%'`,
  },
}

checkModule(
  'account',
  'H-402',
  'a request that waits while its session is ended or its user is suspended adds no way into the account',
  async (world) => {
    const losses = {
      ended: 'delete from sessions where user_id = $1',
      suspended: 'update users set suspended_at = now() where id = $1',
    }
    for (const [how, statement] of Object.entries(losses))
      for (const [name, { input, written }] of Object.entries(ownChanges)) {
        const user = await newUser(world, 'viewer')
        const given = await input(world, user)
        const lockClient = await world.pool.connect()
        let pending: Promise<string>
        let isDone = false
        try {
          await lockClient.query('begin')
          await lockClient.query('select 1 from users where id = $1 for update', [user.id])
          pending = verdictOf(world, user, name, given).finally(() => {
            isDone = true
          })
          await waitForLocks(world, lockClient, 1, () => isDone)
          assert.ok(!isDone, `${name} was not blocked`)
          await lockClient.query(statement, [user.id])
          await lockClient.query('commit')
        } finally {
          await lockClient.query('rollback')
          lockClient.release()
        }
        const result = await pending
        assert.equal(result, 'unauthenticated', `${name}, ${how}`)
        assert.deepEqual(await world.query(written, [user.id]), [], `${name}, ${how}`)
      }
  },
)

interface SignInMethod {
  /** A user with this method, and how to get as far as the last request of a sign-in, which it returns. */
  prepare(world: World): Promise<{ user: TestUser; start: (jar: Jar) => Promise<() => Promise<string>> }>
  /** What that request returns if the method is gone. */
  rejected: RegExp
  isSecondFactorToo?: boolean
}

const uniqueEmail = () => `w-${crypto.randomUUID()}@example.com`

const signInMethods: Record<string, SignInMethod> = {
  'a password': {
    prepare: async (world) => {
      const user = await world.newUser()
      const start = async (jar: Jar) => async () => (await world.trySignIn(user.email, password, { jar })).text
      return { user, start }
    },
    rejected: /invalid_credentials/,
  },
  'a provider': {
    prepare: async (world) => {
      const email = uniqueEmail()
      await signInWithProvider(world.app, 'google', email)
      const [{ id }] = await world.query('select id from users where email = $1', [email])
      const start = async (jar: Jar) => {
        const callback = await giveConsent(await startOAuth(world.app, 'google', jar), 'google', email)
        return async () => (await callCallback(world.app, callback, jar)).headers.location ?? ''
      }
      return { user: { id, email }, start }
    },
    rejected: /\/signin\?error=/,
  },
  ...(hasModule('account') && {
    'a passkey': {
      prepare: async (world) => {
        const user = await world.newUser({ hash: null })
        const passkey = await addPasskey(world, user.id)
        const start = async (jar: Jar) => {
          const input = { isSecondFactor: false }
          const { value } = await submitAction(world, 'beginPasskeySignIn', input, { jar, path: '/signin' })
          const { challenge } = (value as { data?: { challenge: string } }).data ?? assert.fail(JSON.stringify(value))
          const given = { ...input, passkey: passkey.respond(challenge) }
          return async () => verdict(await submitAction(world, 'signInWithPasskey', given, { jar, path: '/signin' }))
        }
        return { user, start }
      },
      rejected: /^invalid_credentials$/,
      isSecondFactorToo: true,
    },
  }),
  ...(hasModule('email-code') && {
    'an email code': {
      prepare: async (world) => {
        const user = await world.newUser({ hash: null })
        const start = async (jar: Jar) => {
          await submitAction(world, 'requestEmailCode', { email: user.email }, { jar, path: '/signin/email' })
          const [email] = (await world.emailsTo(user.email)).slice(-1)
          const code = /\b\d{6}\b/.exec(email?.text ?? '')?.[0] ?? assert.fail(email?.text)
          const path = '/signin/email/code'
          return async () => verdict(await submitAction(world, 'enterEmailCode', { code }, { jar, path }))
        }
        return { user, start }
      },
      rejected: /^invalid_credentials$/,
    },
  }),
}

interface Removal {
  /** The sign-in methods that it takes away. */
  methods: string[]
  prepare(world: World, user: TestUser): Promise<() => Promise<string>>
}

const removals: Record<string, Removal> = {
  'Secure my account': {
    methods: Object.keys(signInMethods),
    prepare: async (world, user) => {
      const token = await insertToken(world, 'alarm', { userId: user.id })
      return async () => verdict(await submitAction(world, 'submitCompromiseReport', { token }, { path: '/not-me' }))
    },
  },
  'a new password': {
    methods: ['a password', 'an email code'],
    prepare: async (world, user) => {
      const input = {
        token: await insertToken(world, 'reset', { userId: user.id }),
        password: 'an entirely different horse 3',
      }
      return async () => verdict(await submitAction(world, 'chooseNewPassword', input, { path: '/reset' }))
    },
  },
}

check(
  'H-403',
  'a sign-in that waits while its method is taken from the account starts nothing, with and without a second factor',
  async (world) => {
    for (const [removal, { methods, prepare: prepareRemoval }] of Object.entries(removals))
      for (const [method, { prepare, rejected, isSecondFactorToo = false }] of Object.entries(signInMethods))
        for (const hasSecondFactor of hasModule('account') && !isSecondFactorToo ? [false, true] : [false]) {
          if (!methods.includes(method)) continue
          const name = `${method}, ${removal}${hasSecondFactor ? ', second factor' : ''}`
          const { user, start } = await prepare(world)
          if (hasSecondFactor)
            await world.query(`insert into account_totp (user_id, secret, confirmed_at) values ($1, 'unused', now())`, [
              user.id,
            ])
          const countStarted = async () => {
            const [{ count }] = await world.query(
              `select (select count(*)::int from sessions where user_id = $1)
                 + (select count(*)::int from tokens where user_id = $1 and purpose = 'challenge') as count`,
              [user.id],
            )
            return count as number
          }
          const before = await countStarted()
          await (await start(new Jar()))()
          assert.equal(await countStarted(), before + 1, `${name}: a sign-in does not work at all`)

          const jar = new Jar()
          const requests = [await prepareRemoval(world, user), await start(jar)]
          const [removed = '', result = ''] = await sendWaiting(world, user, name, requests)
          assert.match(removed, /^(ok|to )/, `${name}: ${removed}`)
          assert.match(result, rejected, `${name}: ${result}`)
          assert.deepEqual([await countStarted(), jar.token], [0, ''], name)
        }
  },
)
