import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import sharp from 'sharp'
import { appSlug } from '../../../../src/brand.ts'
import { submitAction } from '../../../app/support/call-action.ts'
import { assertFast, check, skip } from '../../../app/support/checks.ts'
import { hasModule } from '../../../app/support/has-module.ts'
import { call, Jar } from '../../../app/support/http-client.ts'
import { verdict } from '../../../app/support/server-actions.ts'
import { randomToken, type World } from '../../../app/support/test-world.ts'
import { rounds } from '../../support/rounds.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from '../support/isolated-app.ts'
import { assertProperty } from './support/property.ts'

const roles = ['admin', 'admin', 'admin', 'editor', 'editor', 'viewer'] as const
type Writer = SignedInUser & { postId: string }

/** One of three admins takes a right from one of five users, or one of the five uses theirs. */
interface Step {
  by: number
  to: number
  what: 'demote' | 'promote' | 'suspend' | 'delete' | 'raise' | 'impersonate' | 'upload' | 'publish'
  node: 0 | 1
  delay: number
}

const step: fc.Arbitrary<Step> = fc.record({
  by: fc.nat(4),
  to: fc.nat(4),
  what: fc.constantFrom(
    'demote',
    'demote',
    'suspend',
    'delete',
    'raise',
    'impersonate',
    'upload',
    'publish',
    'promote',
  ),
  node: fc.constantFrom(0, 1),
  delay: fc.nat(8),
})

const adminSteps = new Set<Step['what']>(['demote', 'promote', 'suspend', 'delete', 'raise', 'impersonate'])

/** `unavailable`: the machine was too busy, and nothing was done. 429: one upload at a time per user. */
const allowedVerdicts =
  /^(ok|to \/admin\/users\?done=deleted|to \/dashboard|forbidden|unauthenticated|not_found|invalid_input|unavailable|200|401|403|404|429|503)$/

/** Inserts all users of one run, each with a session and a post, in one statement. */
async function createUsers({ pool }: IsolatedApp): Promise<Writer[]> {
  const made = roles.map((role) => ({
    role,
    token: randomToken(),
    email: `${role}-${crypto.randomUUID()}@example.com`,
  }))
  const { rows } = await pool.query(
    `with given as (
       select * from unnest($1::text[], $2::text[], $3::bytea[]) as given (email, role, hash)
     ), made as (
       insert into users (email, name, role, email_verified_at)
       select email, 'Test User', role, now() from given returning id, email
     ), sessions_made as (
       insert into sessions (user_id, token_hash) select id, hash from made join given using (email)
     ), posts_made as (
       insert into content_posts (author_id, title) select id, 'A title' from made returning id, author_id
     ), texts_made as (
       insert into content_revisions (post_id, number, author_id, title, slug, summary, body, tags)
       select id, 1, author_id, 'A title', '', '', '', '{}' from posts_made
     )
     select made.id, made.email, posts_made.id as post from made join posts_made on author_id = made.id`,
    [
      made.map(({ email }) => email),
      made.map(({ role }) => role),
      made.map(({ token }) => createHash('sha256').update(token).digest()),
    ],
  )
  return made.map(({ email, token }) => {
    const row = rows.find((one) => one.email === email) ?? assert.fail()
    return { id: row.id, email, postId: row.post, jar: new Jar({ [`${appSlug}.session`]: token }) }
  })
}

async function send(world: World, isolated: IsolatedApp, users: Writer[], picture: Buffer, one: Step): Promise<string> {
  const { what, delay } = one
  // Only admins can take rights away; attempts by others are covered by other checks.
  const actor = users[adminSteps.has(what) ? one.by % 3 : one.by] ?? assert.fail()
  const [target, bystander] = [users[one.to] ?? assert.fail(), users[5] ?? assert.fail()]
  const [jar, node] = [actor.jar.copy(), isolated.nodes[one.node]]
  await new Promise((resolve) => setTimeout(resolve, delay))
  if (what === 'upload') {
    const headers = { 'Content-Type': 'image/png' }
    const path = `/api/content/posts/${actor.postId}/cover`
    return String((await call(node.url, path, { method: 'PUT', body: picture, headers, jar })).status)
  }
  const slug = `p21-${actor.postId}`
  const post = { id: actor.postId, version: 1, title: 'A title', slug, summary: '', tags: '', body: 'Some text' }
  const calls: Record<Exclude<Step['what'], 'upload'>, [name: string, input: object]> = {
    demote: ['updateUserRole', { userId: target.id, role: 'viewer' }],
    promote: ['updateUserRole', { userId: target.id, role: 'editor' }],
    suspend: ['suspendUsers', { ids: [target.id] }],
    delete: ['deleteUser', { userId: target.id, typedEmail: target.email }],
    raise: ['updateUserRole', { userId: bystander.id, role: 'editor' }],
    impersonate: ['impersonateUser', { userId: bystander.id }],
    publish: ['savePost', { ...post, step: 'publish' }],
  }
  const [name, input] = calls[what]
  return verdict(await submitAction(world, name, input, { jar, node, path: '/signed-out' }))
}

const recordedKinds = ['role.changed', 'person.suspended', 'person.deleted', 'impersonation.started', 'post.published']

interface Event {
  kind: string
  actor_id: string
  target_id: string | null
  details: { to?: string } | null
}

/**
 * Compares every effect with the role its actor had by then. A change of rights and an effect both lock the actor's row
 * until they commit, so the ids that they take from the audit log's sequence are in commit order.
 */
function findLateEffects(users: Writer[], events: Event[]): string[] {
  const state = new Map(users.map(({ id }, index) => [id, roles[index] as string]))
  return events.flatMap(({ kind, actor_id: actor, target_id: target, details }) => {
    const role = state.get(actor)
    const isLate = kind.startsWith('post.') ? role !== 'admin' && role !== 'editor' : role !== 'admin'
    if (target && kind === 'role.changed' && state.get(target) !== 'gone') state.set(target, details?.to ?? '')
    if (target && (kind === 'person.suspended' || kind === 'person.deleted')) state.set(target, 'gone')
    return isLate ? [`${kind} by a user who was ${role}`] : []
  })
}

const title = 'no effect is recorded after the commit that took its actor’s right, however requests interleave'

if (!hasModule('admin') || !hasModule('content')) skip('P-21', title, 'there is no module admin or content')
else
  check('P-21', title, async (world) => {
    const isolated = await isolatedApp(world)
    // A cover upload records no audit event, so a trigger takes its number from the same sequence.
    await isolated.pool.query(`
      create table if not exists p21_covers (id bigint default nextval('audit_events_id_seq'), post_id uuid);
      create or replace function p21_note() returns trigger language plpgsql as $$
      begin insert into p21_covers (post_id) values (new.post_id); return null; end $$;
      create or replace trigger p21_note after insert on content_covers for each row execute function p21_note();`)
    await isolated.addUser('admin')
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const counts: Record<string, number> = {}
    const start = performance.now()
    const numRuns = rounds(2_000, 60)
    const summary = await assertProperty(
      'P-21',
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
        const users = await createUsers(isolated)
        const verdicts = await Promise.all(steps.map((one) => send(world, isolated, users, picture, one)))
        for (const [index, one] of verdicts.entries()) {
          assert.match(one, allowedVerdicts)
          const name = `${steps[index]?.what} ${one}`
          counts[name] = (counts[name] ?? 0) + 1
        }
        const { rows } = await isolated.pool.query<Event>(
          `select id, kind, actor_id, target_id, details from audit_events
           where actor_id = any($1) and kind = any($3)
           union all
           select c.id, 'post.cover', u.id, null, null from p21_covers c
           join unnest($1::uuid[], $2::uuid[]) as u (id, post_id) using (post_id)
           order by id`,
          [users.map(({ id }) => id), users.map(({ postId }) => postId), recordedKinds],
        )
        assert.deepEqual(findLateEffects(users, rows), [], `after ${verdicts}`)
      }),
      { numRuns, note: () => JSON.stringify(counts) },
    )
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const sum = (pattern: RegExp) =>
      Object.entries(counts).reduce((total, [name, count]) => total + (pattern.test(name) ? count : 0), 0)
    const unavailableCount = sum(/ (unavailable|503)$/)
    // A step that is always rejected would prove nothing.
    for (const what of ['demote', 'suspend', 'delete', 'raise', 'impersonate', 'upload', 'publish'])
      assert.ok(sum(new RegExp(`^${what} (ok|to|200)`)) > 0, `${what} never succeeded`)
    assertFast(unavailableCount <= all / 50, `${unavailableCount} of ${all} were unavailable`)
    return `${summary}; ${Math.round((performance.now() - start) / numRuns)} ms each`
  })
