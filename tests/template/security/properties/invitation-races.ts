import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { submitAction } from '../../../app/support/call-action.ts'
import { checkModule } from '../../../app/support/checks.ts'
import { registerSecret } from '../../../app/support/response-invariants.ts'
import { verdict } from '../../../app/support/server-actions.ts'
import { randomToken, type World } from '../../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from '../support/isolated-app.ts'
import { addOrganization, dropOrganization, findRoles, type Organization } from '../support/organization.ts'
import { assertProperty } from './support/property.ts'

/** What happens to an invitation while it is accepted. */
interface Step {
  what: 'accept' | 'acceptOwn' | 'steal' | 'stealOwn' | 'revoke' | 'resend' | 'invite' | 'demoteInviter' | 'remove'
  node: 0 | 1
  delay: number
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(
    ...(['accept', 'accept', 'accept', 'acceptOwn', 'steal', 'stealOwn'] as const),
    ...(['revoke', 'resend', 'invite', 'demoteInviter', 'remove'] as const),
  ),
  node: fc.constantFrom(0, 1),
  delay: fc.nat(8),
})

/** An organization, an invitation to it, and who takes part. */
interface Scene {
  organization: Organization
  inviter: SignedInUser
  admin: SignedInUser
  invited: SignedInUser
  stranger: SignedInUser
  invitationId: string
  token: string
}

async function prepare({ pool, addUser }: IsolatedApp, isVerified: boolean): Promise<Scene> {
  const [inviter, admin, invited, stranger] = await Promise.all([
    addUser('viewer'),
    addUser('viewer'),
    addUser('viewer'),
    addUser('admin'),
  ])
  if (!isVerified) await pool.query('update users set email_verified_at = null where id = $1', [invited.id])
  const organization = await addOrganization(
    pool,
    [inviter, admin].map(({ id }) => ({ id, role: 'admin' })),
  )
  const token = randomToken()
  registerSecret(token)
  const { rows } = await pool.query(
    `insert into organizations_invitations (scope_id, email, role, token_hash, invited_by)
     values ($1, $2, 'editor', $3, $4) returning id`,
    [organization.id, invited.email, createHash('sha256').update(token).digest(), inviter.id],
  )
  return { organization, inviter, admin, invited, stranger, invitationId: rows[0].id, token }
}

async function send(world: World, isolated: IsolatedApp, scene: Scene, { what, node, delay }: Step): Promise<string> {
  const { organization, inviter, admin, invited, stranger, invitationId: id, token } = scene
  const scope = organization.slug
  const calls: Record<Step['what'], [by: SignedInUser, name: string, input: object]> = {
    accept: [invited, 'acceptMembership', { token }],
    acceptOwn: [invited, 'acceptMembership', { token: id }],
    steal: [stranger, 'acceptMembership', { token }],
    stealOwn: [stranger, 'acceptMembership', { token: id }],
    revoke: [admin, 'revokeMemberInvitation', { scope, id }],
    resend: [admin, 'resendMemberInvitation', { scope, id }],
    invite: [admin, 'inviteMembers', { scope, emails: invited.email, role: 'editor' }],
    demoteInviter: [admin, 'changeMemberRole', { scope, userId: inviter.id, role: 'viewer' }],
    remove: [admin, 'removeMember', { scope, userId: invited.id }],
  }
  const [{ jar }, name, input] = calls[what]
  await wait(delay)
  const options = { jar: jar.copy(), node: isolated.nodes[node], path: '/signed-out' }
  return verdict(await submitAction(world, name, input, options)).replace(/^to .*\?done=(\w+).*/, '$1')
}

const expected: Record<Step['what'], RegExp> = {
  accept: /^(joined|not_found|unavailable)$/,
  acceptOwn: /^(joined|not_found|unavailable)$/,
  // The same as for an invitation that does not exist.
  steal: /^(not_found|unavailable)$/,
  stealOwn: /^(not_found|unavailable)$/,
  revoke: /^(revoked|not_found|unavailable)$/,
  resend: /^(resent|not_found|unavailable)$/,
  // Already a member.
  invite: /^(invited|invalid_input|unavailable)$/,
  demoteInviter: /^(role|unchanged|unavailable)$/,
  remove: /^(removed|not_found|unavailable)$/,
}

const countEvents = async ({ pool }: IsolatedApp, { organization, invited }: Scene, kind: string): Promise<number> =>
  (
    await pool.query('select id from audit_events where scope_id = $1 and target_id = $2 and kind = $3', [
      organization.id,
      invited.id,
      kind,
    ])
  ).rows.length

checkModule(
  'organizations',
  'P-23',
  'an invitation makes only its verified recipient a member, once, and never after a removal, however requests interleave',
  async (world) => {
    const isolated = await isolatedApp(world)
    const counts: Record<string, number> = {}
    const run = async (steps: Step[], isVerified: boolean) => {
      const scene = await prepare(isolated, isVerified)
      const { organization, invited, stranger } = scene
      const verdicts = await Promise.all(steps.map((one) => send(world, isolated, scene, one)))
      const told = steps.map(({ what }, index) => `${what}: ${verdicts[index]}`).join(', ')
      for (const [index, one] of verdicts.entries()) {
        const { what } = steps[index] ?? assert.fail()
        assert.match(one, expected[what], told)
        counts[`${what} ${one}`] = (counts[`${what} ${one}`] ?? 0) + 1
      }
      const [joined, removed] = await Promise.all(
        ['member.joined', 'member.removed'].map((kind) => countEvents(isolated, scene, kind)),
      )
      const countOf = (verdict: string) => verdicts.filter((one) => one === verdict).length
      const roles = await findRoles(isolated.pool, organization)
      assert.equal(roles.get(stranger.id), undefined, told)
      // However often it was accepted. Only an invitation that was sent again can be accepted after a removal.
      assert.ok(
        (joined ?? 0) <= 1 + Math.min(countOf('invited'), countOf('removed')),
        `joined ${joined} times: ${told}`,
      )
      assert.equal(roles.get(invited.id), joined === removed ? undefined : 'editor', told)
      assert.equal((joined ?? 0) > 0, countOf('joined') > 0, told)
      if (!isVerified) assert.equal(joined, 0, told)
      if (countOf('invited') === 0 && countOf('revoked') > 0) assert.equal(joined, 0, `revoked and accepted: ${told}`)

      // Neither the link nor an invitation that is left from the race brings a removed member back.
      const then = (what: Step['what']) => send(world, isolated, scene, { what, node: 1, delay: 0 })
      if (joined !== removed) {
        assert.equal(await then('remove'), 'removed', told)
        for (const what of ['accept', 'acceptOwn'] as const) assert.equal(await then(what), 'not_found', told)
        assert.equal((await findRoles(isolated.pool, organization)).get(invited.id), undefined, told)
      }
      await dropOrganization(isolated.pool, organization)
    }
    const summary = await assertProperty(
      'P-23',
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 6 }),
        fc.constantFrom(true, true, true, true, false),
        run,
      ),
      { note: () => JSON.stringify(counts) },
    )
    for (const one of ['accept joined', 'acceptOwn joined', 'revoke revoked', 'resend resent', 'remove removed'])
      assert.ok(counts[one], `never: ${one}`)
    return summary
  },
  { full: 'samples races' },
)
