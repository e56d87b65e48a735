import assert from 'node:assert/strict'
import fc from 'fast-check'
import { verdict } from '../actions.ts'
import { type Apart, apart, type Member } from '../apart.ts'
import { assertSoon, checkModule } from '../checks.ts'
import { submit, type World } from '../world.ts'
import { holds } from './property.ts'

/** One of a few people does something to one of them. */
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

/** What is sent together. */
const batch = fc.array(step, { minLength: 2, maxLength: 4 })

/** `unavailable`: the machine had no time for it just then. Nothing was done, and what must hold holds. */
const expected =
  /^(ok|to \/signed-out|to \/admin\/users\?done=deleted|last_admin|forbidden|unauthenticated|not_found|invalid_input|unavailable)$/

function send(world: World, place: Apart, people: Member[], { by, to, what, node }: Step): Promise<string> {
  const [actor, target] = [people[by] ?? assert.fail(), people[to] ?? assert.fail()]
  const calls: Record<Step['what'], [name: string, input: object]> = {
    viewer: ['updateUserRole', { userId: target.id, role: 'viewer' }],
    editor: ['updateUserRole', { userId: target.id, role: 'editor' }],
    admin: ['updateUserRole', { userId: target.id, role: 'admin' }],
    suspend: ['suspendUsers', { ids: [target.id] }],
    restore: ['restoreUser', { userId: target.id }],
    delete: ['deleteUser', { userId: target.id, confirmation: target.email }],
    leave: ['deleteAccount', { confirmation: actor.email }],
  }
  const [name, input] = calls[what]
  // To a page that shows next to nothing afterwards: what it costs is the action.
  const options = { jar: actor.jar.copy(), node: place.nodes[node], path: '/signed-out' }
  return submit(world, name, input, options).then(verdict)
}

/** Three admins and an editor, and nobody else. */
async function gather(place: Apart): Promise<Member[]> {
  // The new ones first: there is an admin at every moment.
  const people = await Promise.all(['admin', 'admin', 'admin', 'editor'].map((role) => place.add(role)))
  await place.pool.query('delete from users where id <> all($1)', [people.map(({ id }) => id)])
  return people
}

async function sendAll(world: World, place: Apart, people: Member[], steps: Step[]): Promise<string[]> {
  const verdicts = await Promise.all(steps.map((one) => send(world, place, people, one)))
  assert.ok((await place.countAdmins()) >= 1, `nobody is left after ${verdicts}`)
  for (const one of verdicts) assert.match(one, expected)
  return verdicts
}

checkModule(
  'admin',
  'P-2',
  'whatever admins do to one another at once, one who can act is left, and who is out has no session',
  async (world) => {
    const place = await apart(world)
    const counts: Record<string, number> = {}
    const held = await holds(
      'P-2',
      fc.asyncProperty(batch, async (steps) => {
        const people = await gather(place)
        for (const one of await sendAll(world, place, people, steps)) counts[one] = (counts[one] ?? 0) + 1
        const { rows } = await place.pool.query(
          `select 1 from sessions s join users u on u.id = s.user_id where u.suspended_at is not null`,
        )
        assert.equal(rows.length, 0, 'somebody who is suspended has a session')
      }),
      { note: () => JSON.stringify(counts) },
    )
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    assertSoon((counts.unavailable ?? 0) <= all / 100, `${counts.unavailable} of ${all} were told to come again`)
    return held
  },
)

interface Event {
  kind: string
  target_id: string
  details: { to?: string } | null
}

/** Who has which role, and who is suspended: as the log tells it, from what was there before. */
function replay(people: Member[], events: Event[]): Map<string, string> {
  const roles = new Map(people.map(({ id }, index) => [id, index < 3 ? 'admin' : 'editor']))
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
  'from the audit log alone it can be told who has which role, whatever happened, and however much of it at once',
  async (world) => {
    const place = await apart(world)
    let told = 0
    return holds(
      'P-19',
      fc.asyncProperty(batch, async (steps) => {
        const people = await gather(place)
        const verdicts = await sendAll(world, place, people, steps)
        const { rows: events } = await place.pool.query<Event>(
          'select kind, target_id, details from audit_events where target_id = any($1) order by id',
          [people.map(({ id }) => id)],
        )
        const { rows } = await place.pool.query(
          `select id, role || case when suspended_at is null then '' else ', suspended' end as state from users`,
        )
        const state = new Map(rows.map(({ id, state }) => [id, state]))
        const order = (map: Map<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
        assert.deepEqual(order(replay(people, events)), order(state), `after ${verdicts}`)
        told += events.length
      }),
      { note: () => `${told} events` },
    )
  },
)
