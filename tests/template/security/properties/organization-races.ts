import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { submitAction } from '../../../app/support/call-action.ts'
import { assertFast, checkModule } from '../../../app/support/checks.ts'
import { verdict } from '../../../app/support/server-actions.ts'
import type { World } from '../../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from '../support/isolated-app.ts'
import { addOrganization, dropOrganization, findRoles, type Organization } from '../support/organization.ts'
import { assertProperty, runs } from './support/property.ts'

/** The members of the organization. In the app itself all of them are viewers. */
const roles = ['admin', 'admin', 'editor'] as const

/** An action by one member on one of them. */
interface Step {
  by: number
  to: number
  what: 'demote' | 'promote' | 'remove' | 'transfer' | 'leave' | 'invite' | 'deleteAccount'
  node: 0 | 1
  delay: number
}

const step: fc.Arbitrary<Step> = fc.record({
  // The editor may be an admin by the time that their step arrives.
  by: fc.constantFrom(0, 0, 1, 1, 2),
  to: fc.nat(2),
  what: fc.constantFrom(
    'demote',
    'demote',
    'remove',
    'transfer',
    'leave',
    'leave',
    'promote',
    'invite',
    'deleteAccount',
  ),
  node: fc.constantFrom(0, 1),
  delay: fc.nat(8),
})

const donePattern =
  /^to (\/signed-out|\/organizations\?done=left|\/o\/[\w-]+\/members(\/invited)?\?done=(role|unchanged|removed|transferred|invited)(&count=1)?)$/
/** `unavailable`: the machine was too busy, and nothing was done. */
const rejectedPattern = /^(last_admin|forbidden|lost meanwhile|unauthenticated|not_found|invalid_input|unavailable)$/

async function send(
  world: World,
  isolated: IsolatedApp,
  { slug: scope }: Organization,
  users: SignedInUser[],
  { by, to, what, node, delay }: Step,
): Promise<string> {
  const [actor, target] = [users[by] ?? assert.fail(), users[to] ?? assert.fail()]
  const calls: Record<Step['what'], [name: string, input: object]> = {
    demote: ['changeMemberRole', { scope, userId: target.id, role: 'viewer' }],
    promote: ['changeMemberRole', { scope, userId: target.id, role: 'admin' }],
    remove: ['removeMember', { scope, userId: target.id }],
    transfer: ['transferOrganization', { scope, userId: target.id }],
    leave: ['leaveOrganization', { scope }],
    invite: ['inviteMembers', { scope, emails: `${crypto.randomUUID()}@example.com`, role: 'viewer' }],
    deleteAccount: ['deleteAccount', { typedEmail: actor.email }],
  }
  const [name, input] = calls[what]
  await wait(delay)
  // Posted to a page that renders little, so that only the action costs time.
  const options = { jar: actor.jar.copy(), node: isolated.nodes[node], path: '/signed-out' }
  const response = await submitAction(world, name, input, options)
  return response.text.includes('You no longer have permission to do this.') ? 'lost meanwhile' : verdict(response)
}

interface Event {
  kind: string
  actor_id: string
  target_id: string
  details: { from?: string; to?: string } | null
}

const findEvents = async ({ pool }: IsolatedApp, { id }: Organization, users: SignedInUser[]): Promise<Event[]> =>
  (
    await pool.query(
      `select kind, actor_id, target_id, details from audit_events
       where scope_id = $1 or (kind = 'person.deleted' and target_id = any($2)) order by id`,
      [id, users.map((user) => user.id)],
    )
  ).rows

/**
 * Repeats what the audit log tells. Returns the roles at the end, and the effects whose actor had no right to them by then. All
 * changes lock the rows of their users until they commit, so the ids of their events are in commit order.
 */
function replay(users: SignedInUser[], events: Event[]): { state: Map<string, string>; late: string[] } {
  const state = new Map<string, string>(users.map(({ id }, index) => [id, roles[index] ?? '']))
  const late: string[] = []
  for (const { kind, actor_id: actor, target_id: target, details } of events) {
    const role = state.get(actor)
    const isAllowed = kind === 'person.deleted' || (kind === 'member.left' ? role !== undefined : role === 'admin')
    if (!isAllowed) late.push(`${kind} by a user who was ${role ?? 'no member'}`)
    if (details?.from && details.from !== state.get(target))
      late.push(`${kind} from ${details.from}, which was ${state.get(target)}`)
    if (kind === 'member.role_changed') state.set(target, details?.to ?? '')
    if (kind === 'organization.transferred') state.set(target, 'admin').set(actor, 'editor')
    if (['member.removed', 'member.left', 'person.deleted'].includes(kind)) state.delete(target)
  }
  return { state, late }
}

const sorted = (map: Map<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

checkModule(
  'organizations',
  'P-22',
  'whatever its members do concurrently, an organization keeps an admin, and no effect follows the loss of its actor’s role',
  async (world) => {
    const isolated = await isolatedApp(world)
    const counts: Record<string, number> = {}
    let collisions = 0
    const summary = await assertProperty(
      'P-22',
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async (steps) => {
        const users = await Promise.all(roles.map(() => isolated.addUser('viewer')))
        const members = users.map(({ id }, index) => ({ id, role: roles[index] ?? '' }))
        const organization = await addOrganization(isolated.pool, members)
        const verdicts = await Promise.all(steps.map((one) => send(world, isolated, organization, users, one)))
        const [found, events, { rows }] = await Promise.all([
          findRoles(isolated.pool, organization),
          findEvents(isolated, organization, users),
          isolated.pool.query('select deleted_at from organizations_organizations where id = $1', [organization.id]),
        ])
        const told = `${steps.map(({ by, to, what }, index) => `${by} ${what} ${to}: ${verdicts[index]}`).join(', ')}`
        // Anyone who is left alone and deletes their account takes the organization along.
        if (rows[0].deleted_at) assert.equal(found.size, 0, told)
        else assert.ok([...found.values()].includes('admin'), `no admin is left after ${told}`)
        const { state, late } = replay(users, events)
        assert.deepEqual(late, [], told)
        assert.deepEqual(sorted(state), sorted(found), told)
        for (const [index, one] of verdicts.entries()) {
          assert.ok(donePattern.test(one) || rejectedPattern.test(one), one)
          const name = `${steps[index]?.what} ${donePattern.test(one) ? 'done' : one}`
          counts[name] = (counts[name] ?? 0) + 1
        }
        if (verdicts.some((one) => one === 'last_admin' || one === 'lost meanwhile')) collisions++
        await dropOrganization(isolated.pool, organization)
      }),
      { note: () => JSON.stringify(counts) },
    )
    // A step that is always rejected would prove nothing, and neither would steps that never meet.
    for (const what of ['demote', 'remove', 'transfer', 'leave', 'invite', 'deleteAccount'])
      assert.ok(counts[`${what} done`], `${what} never succeeded`)
    assert.ok(collisions >= runs / 20, `only ${collisions} of ${runs} met the last admin or a lost role`)
    const unavailable = Object.entries(counts).reduce(
      (sum, [name, count]) => sum + (/unavail/.test(name) ? count : 0),
      0,
    )
    assertFast(unavailable <= runs / 50, `${unavailable} were unavailable`)
    return `${summary}; ${collisions} met the last admin or a lost role`
  },
  { full: 'samples races' },
)
