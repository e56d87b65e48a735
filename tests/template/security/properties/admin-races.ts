import assert from 'node:assert/strict'
import fc from 'fast-check'
import { submitAction } from '../../../app/support/call-action.ts'
import { assertFast, checkModule } from '../../../app/support/checks.ts'
import { verdict } from '../../../app/support/server-actions.ts'
import type { World } from '../../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from '../support/isolated-app.ts'
import { assertProperty } from './support/property.ts'

/** An action by one of three admins on one of four users. */
interface Step {
  by: number
  to: number
  what: 'viewer' | 'editor' | 'admin' | 'suspend' | 'restore' | 'delete' | 'leave'
  node: 0 | 1
}

const step: fc.Arbitrary<Step> = fc.record({
  by: fc.nat(2),
  to: fc.nat(3),
  what: fc.constantFrom('viewer', 'viewer', 'editor', 'admin', 'suspend', 'restore', 'delete', 'leave'),
  node: fc.constantFrom(0, 1),
})

/** Steps that are sent concurrently. */
const batch = fc.array(step, { minLength: 2, maxLength: 4 })

/** `unavailable`: the machine was too busy. Nothing was done, and the invariants hold. */
const allowedVerdicts =
  /^(ok|to \/signed-out|to \/admin\/users\?done=deleted|last_admin|forbidden|unauthenticated|not_found|invalid_input|unavailable)$/

function send(
  world: World,
  isolated: IsolatedApp,
  users: SignedInUser[],
  { by, to, what, node }: Step,
): Promise<string> {
  const [actor, target] = [users[by] ?? assert.fail(), users[to] ?? assert.fail()]
  const calls: Record<Step['what'], [name: string, input: object]> = {
    viewer: ['updateUserRole', { userId: target.id, role: 'viewer' }],
    editor: ['updateUserRole', { userId: target.id, role: 'editor' }],
    admin: ['updateUserRole', { userId: target.id, role: 'admin' }],
    suspend: ['suspendUsers', { ids: [target.id] }],
    restore: ['restoreUser', { userId: target.id }],
    delete: ['deleteUser', { userId: target.id, typedEmail: target.email }],
    leave: ['deleteAccount', { typedEmail: actor.email }],
  }
  const [name, input] = calls[what]
  // Posted to a page that renders little, so that only the action costs time.
  const options = { jar: actor.jar.copy(), node: isolated.nodes[node], path: '/signed-out' }
  return submitAction(world, name, input, options).then(verdict)
}

/** Three admins and an editor, and no other users. */
async function createUsers(isolated: IsolatedApp): Promise<SignedInUser[]> {
  // Insert the new users first, so that there is always an admin.
  const users = await Promise.all(['admin', 'admin', 'admin', 'editor'].map((role) => isolated.addUser(role)))
  await isolated.pool.query('delete from users where id <> all($1)', [users.map(({ id }) => id)])
  return users
}

async function sendAll(world: World, isolated: IsolatedApp, users: SignedInUser[], steps: Step[]): Promise<string[]> {
  const verdicts = await Promise.all(steps.map((one) => send(world, isolated, users, one)))
  assert.ok((await isolated.countAdmins()) >= 1, `no admin is left after ${verdicts}`)
  for (const one of verdicts) assert.match(one, allowedVerdicts)
  return verdicts
}

checkModule(
  'admin',
  'P-2',
  'whatever admins do to one another concurrently, an active admin remains, and suspended users have no session',
  async (world) => {
    const isolated = await isolatedApp(world)
    const counts: Record<string, number> = {}
    const summary = await assertProperty(
      'P-2',
      fc.asyncProperty(batch, async (steps) => {
        const users = await createUsers(isolated)
        for (const one of await sendAll(world, isolated, users, steps)) counts[one] = (counts[one] ?? 0) + 1
        const { rows } = await isolated.pool.query(
          `select 1 from sessions s join users u on u.id = s.user_id where u.suspended_at is not null`,
        )
        assert.equal(rows.length, 0, 'a suspended user has a session')
      }),
      { note: () => JSON.stringify(counts) },
    )
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    assertFast((counts.unavailable ?? 0) <= all / 100, `${counts.unavailable} of ${all} were unavailable`)
    return summary
  },
  { full: 'samples races' },
)

interface Event {
  kind: string
  target_id: string
  details: { to?: string } | null
}

/** The role and suspension of each user, computed from the audit events. */
function replay(users: SignedInUser[], events: Event[]): Map<string, string> {
  const roles = new Map(users.map(({ id }, index) => [id, index < 3 ? 'admin' : 'editor']))
  const suspended = new Set<string>()
  for (const { kind, target_id: id, details } of events) {
    if (kind === 'role.changed') roles.set(id, details?.to ?? '')
    if (kind === 'person.suspended') suspended.add(id)
    if (kind === 'person.restored') suspended.delete(id)
    if (kind === 'person.deleted') roles.delete(id)
  }
  return new Map([...roles].map(([id, role]) => [id, suspended.has(id) ? `${role}, suspended` : role]))
}

checkModule(
  'admin',
  'P-19',
  'the audit log alone tells every user’s role and suspension, after any concurrent actions',
  async (world) => {
    const isolated = await isolatedApp(world)
    let eventCount = 0
    return assertProperty(
      'P-19',
      fc.asyncProperty(batch, async (steps) => {
        const users = await createUsers(isolated)
        const verdicts = await sendAll(world, isolated, users, steps)
        const { rows: events } = await isolated.pool.query<Event>(
          'select kind, target_id, details from audit_events where target_id = any($1) order by id',
          [users.map(({ id }) => id)],
        )
        const { rows } = await isolated.pool.query(
          `select id, role || case when suspended_at is null then '' else ', suspended' end as state from users`,
        )
        const state = new Map(rows.map(({ id, state }) => [id, state]))
        const order = (map: Map<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
        assert.deepEqual(order(replay(users, events)), order(state), `after ${verdicts}`)
        eventCount += events.length
      }),
      { note: () => `${eventCount} events` },
    )
  },
  { full: 'samples races' },
)
