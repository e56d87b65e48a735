// The last admin: at least one active admin remains, however concurrent requests interleave.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { migrate } from '../../../src/core/db/migrate.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, checkModule } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { type ActionResponse, verdict } from '../../app/support/server-actions.ts'
import type { World } from '../../app/support/test-world.ts'
import { rounds, seed } from '../support/rounds.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from './support/isolated-app.ts'

const usualRounds = rounds(300, 60)
const concurrently = <T>(times: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

check(
  'H-237',
  'the last admin cannot delete or demote themselves, also with concurrent requests',
  async (world) => {
    const isolated = await isolatedApp(world)
    await isolated.pool.query('truncate users cascade')
    const last = await isolated.addUser('admin')
    // An editor or a suspended admin does not count as another admin.
    await isolated.addUser('editor')
    const suspended = await isolated.addUser('admin')
    await isolated.pool.query('update users set suspended_at = now() where id = $1', [suspended.id])
    const attempts: [name: string, input: object, expected: string][] = [
      ['deleteAccount', { typedEmail: last.email }, 'last_admin'],
    ]
    if (hasModule('admin'))
      attempts.push(
        ['updateUserRole', { userId: last.id, role: 'viewer' }, 'last_admin'],
        ['updateUserRole', { userId: last.id.toUpperCase(), role: 'editor' }, 'last_admin'],
        ['deleteUser', { userId: last.id, typedEmail: last.email }, 'forbidden'],
        ['suspendUsers', { ids: [last.id, suspended.id] }, 'invalid_input'],
        ['updateUserRoles', { ids: [last.id, suspended.id], role: 'viewer' }, 'invalid_input'],
      )
    for (let round = 0; round < 3; round++)
      for (const [name, input, expected] of attempts) {
        const verdicts = await concurrently(10, async (index) =>
          verdict(
            await submitAction(world, name, input, {
              jar: last.jar.copy(),
              node: isolated.nodes[index % 2 === 0 ? 0 : 1],
            }),
          ),
        )
        assert.deepEqual(new Set(verdicts), new Set([expected]), name)
      }
    assert.equal(await isolated.countAdmins(), 1)
    assert.equal((await world.getSession(last.jar, isolated.nodes[0])).user.role, 'admin')
  },
  { full: 'samples races' },
)

/** An action by one of two admins on one of the two. */
interface Step {
  by: 0 | 1
  to: 0 | 1
  what: 'demote' | 'demoteSelected' | 'delete' | 'suspend' | 'leave'
}

/** The delay before it is sent, and the node. */
const moment = fc.record({ delay: fc.integer({ min: 0, max: 12 }), node: fc.constantFrom(0 as const, 1 as const) })

const donePattern = /^(ok|to \/signed-out|to \/admin\/users\?done=deleted)$/
/** Too late: the caller is no longer an admin, is deleted, or the target is the last admin. */
const rejectedPattern = /^(last_admin|forbidden|unauthenticated|lost meanwhile)$/
/** The caller passed the first check, and lost the right while the action was running. */
const lostRight = ({ text }: ActionResponse) => text.includes('You no longer have permission to do this.')

function send(
  world: World,
  isolated: IsolatedApp,
  admins: SignedInUser[],
  { by, to, what }: Step,
  node: 0 | 1,
): Promise<string> {
  const [actor, target] = [admins[by] ?? assert.fail(), admins[to] ?? assert.fail()]
  const calls: Record<Step['what'], [name: string, input: object]> = {
    demote: ['updateUserRole', { userId: target.id, role: 'viewer' }],
    demoteSelected: ['updateUserRoles', { ids: [target.id], role: 'viewer' }],
    delete: ['deleteUser', { userId: target.id, typedEmail: target.email }],
    suspend: ['suspendUsers', { ids: [target.id] }],
    leave: ['deleteAccount', { typedEmail: actor.email }],
  }
  const [name, input] = calls[what]
  // Posted to a page that has the action and does not list users, so that only the action costs time.
  const path = what === 'leave' ? undefined : `/admin/users/${actor.id}`
  const options = { jar: actor.jar.copy(), node: isolated.nodes[node], ...(path && { path }) }
  return submitAction(world, name, input, options).then((response) =>
    lostRight(response) ? 'lost meanwhile' : verdict(response),
  )
}

/**
 * Sends the steps in random order and with random delays. Each time exactly one admin remains, and the other steps fail
 * with a reason.
 */
async function interleave(world: World, steps: fc.Arbitrary<Step[]>, numRuns = usualRounds): Promise<string> {
  const isolated = await isolatedApp(world)
  await isolated.pool.query('truncate users cascade')
  let collisions = 0
  const run = fc.asyncProperty(steps, fc.array(moment, { minLength: 3, maxLength: 3 }), async (chosen, moments) => {
    // Insert the new admins first, so that there is always one.
    const admins = [await isolated.addUser('admin'), await isolated.addUser('admin')]
    await isolated.pool.query('delete from users where id <> all($1)', [admins.map(({ id }) => id)])
    const verdicts = await Promise.all(
      chosen.map(async (step, index) => {
        const { delay, node } = moments[index] ?? assert.fail()
        await wait(delay)
        return send(world, isolated, admins, step, node)
      }),
    )
    assert.equal(await isolated.countAdmins(), 1, `admins after ${verdicts}`)
    // Two steps may have the same target: then both may have succeeded, one after the other.
    assert.ok(
      verdicts.some((one) => donePattern.test(one)),
      String(verdicts),
    )
    for (const one of verdicts)
      assert.ok(donePattern.test(one) || rejectedPattern.test(one) || one === 'not_found', one)
    if (verdicts.some((one) => one === 'last_admin' || one === 'lost meanwhile')) collisions++
  })
  await fc.assert(run, { numRuns, seed, endOnFailure: true })
  // Only rounds in which both requests passed the first check prove anything.
  assertFast(collisions >= numRuns / 20, `only ${collisions} of ${numRuns} overlapped`)
  return `${collisions} of ${numRuns} overlapped`
}

const mutual = (...kinds: [Step['what'], Step['what']][]) =>
  fc.constantFrom(...kinds).chain(([first, second]) =>
    fc.constantFrom<Step[][]>(
      [
        { by: 0, to: 1, what: first },
        { by: 1, to: 0, what: second },
      ],
      [
        { by: 1, to: 0, what: second },
        { by: 0, to: 1, what: first },
      ],
    ),
  )

checkModule(
  'admin',
  'H-238',
  'of two admins who demote, delete or suspend each other one remains, in every order',
  async (world) => {
    const demote = await interleave(
      world,
      mutual(['demote', 'demote'], ['demoteSelected', 'demoteSelected'], ['demoteSelected', 'suspend']),
    )
    const remove = await interleave(world, mutual(['delete', 'demote'], ['delete', 'delete']))
    const suspend = await interleave(
      world,
      mutual(['suspend', 'demote'], ['suspend', 'suspend'], ['suspend', 'delete']),
    )
    return `demoting: ${demote}; deleting: ${remove}; suspending: ${suspend}`
  },
  { full: 'samples races' },
)

checkModule(
  'admin',
  'H-239',
  'when an admin demotes themselves and the other admin, one remains, in every order',
  (world) =>
    interleave(
      world,
      fc.shuffledSubarray<Step>(
        [
          { by: 0, to: 0, what: 'demote' },
          { by: 0, to: 1, what: 'demote' },
        ],
        { minLength: 2 },
      ),
    ),
  { full: 'samples races' },
)

/** Two admins delete themselves at the same time, on two nodes, that many times. Each time one of them must fail. */
async function deleteBothAdmins(world: World, times: number): Promise<string> {
  const isolated = await isolatedApp(world)
  await isolated.pool.query('truncate users cascade')
  let remaining = await isolated.addUser('admin')
  let turns = 0
  let changes = 0
  for (let round = 0; round < times; round++) {
    const pair = [remaining, await isolated.addUser('admin')] as const
    assert.equal(await isolated.countAdmins(), 2)
    const responses = await Promise.all(
      pair.map(({ email, jar }, index) =>
        submitAction(
          world,
          'deleteAccount',
          { typedEmail: email },
          { jar: jar.copy(), node: isolated.nodes[(index + round) % 2 === 0 ? 0 : 1] },
        ),
      ),
    )
    const verdicts = responses.map(verdict)
    assert.deepEqual([...verdicts].sort(), ['last_admin', 'to /signed-out'], `round ${round}`)
    const { rows } = await isolated.pool.query(`select id from users where role = 'admin' and suspended_at is null`)
    const next = verdicts[0] === 'last_admin' ? pair[0] : pair[1]
    assert.deepEqual(rows, [{ id: next.id }], `round ${round}`)
    if (next !== remaining) changes++
    turns++
    remaining = next
  }
  return `${turns} times one was rejected; the newer one remained ${changes} times`
}

check(
  'H-240',
  'of the last two admins who delete themselves at once exactly one remains, also if one demotes the other',
  async (world) => {
    const leaving = await deleteBothAdmins(world, rounds(200))
    if (!hasModule('admin')) return leaving
    const three = await interleave(
      world,
      fc.shuffledSubarray<Step>(
        [
          { by: 0, to: 0, what: 'leave' },
          { by: 1, to: 1, what: 'leave' },
          { by: 0, to: 1, what: 'demote' },
        ],
        { minLength: 3 },
      ),
    )
    return `${leaving}; with a third step: ${three}`
  },
  { full: 'samples races' },
)

check(
  'H-241',
  'the database itself rejects the removal of the last admin',
  async (world) => {
    const { pool, addUser, countAdmins } = await isolatedApp(world)
    await pool.query('truncate users cascade')
    const last = await addUser('admin')
    const suspended = await addUser('admin')
    await pool.query('update users set suspended_at = now() where id = $1', [suspended.id])
    const editor = await addUser('editor')
    const losses = [
      `update users set role = 'viewer' where id = $1`,
      `update users set role = 'editor', updated_at = now() where id = $1`,
      'update users set suspended_at = now() where id = $1',
      'delete from users where id = $1',
      // All users at once.
      `update users set role = 'viewer' where $1::uuid is not null`,
      'delete from users where $1::uuid is not null',
    ]
    for (const loss of losses) {
      await assert.rejects(pool.query(loss, [last.id]), /there must be at least one admin/, loss)
      assert.equal(await countAdmins(), 1, loss)
    }
    // Unrelated changes are allowed, and so is replacing the last admin within one transaction.
    await pool.query(`update users set name = 'Renamed', role = role where id = $1`, [last.id])
    await pool.query('delete from users where id = $1', [suspended.id])
    const client = await pool.connect()
    try {
      for (const [first, then] of [
        [losses[0], `insert into users (email, name, role) values ('next-1@example.com', 'Next', 'admin')`],
        [losses[3], `insert into users (email, name, role) values ('next-2@example.com', 'Next', 'admin')`],
        [losses[2], `update users set role = 'admin' where id = '${editor.id}'`],
      ] as const) {
        const { rows } = await client.query(
          `select id from users where role = 'admin' and suspended_at is null limit 1`,
        )
        await client.query(`update users set role = 'editor' where role = 'admin' and id <> $1`, [rows[0].id])
        await client.query('begin')
        await client.query(first ?? '', [rows[0].id])
        await client.query(then)
        await client.query('commit')
        assert.equal(await countAdmins(), 1, first)
      }
      // Two transactions that each remove one of two admins: the second waits for the first, and fails.
      await addUser('admin')
      const { rows } = await pool.query(`select id from users where role = 'admin' and suspended_at is null`)
      assert.equal(rows.length, 2)
      await client.query('begin')
      await client.query(`update users set role = 'viewer' where id = $1`, [rows[0].id])
      const second = pool.query(`update users set role = 'viewer' where id = $1`, [rows[1].id])
      const both = await Promise.allSettled([client.query('commit'), second])
      assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      assert.equal(await countAdmins(), 1)
    } finally {
      await client.query('rollback').catch(() => {})
      client.release()
    }
  },
  { full: 'samples races' },
)

/** Additive migrations on the tables that the races use, followed by migrations that undo them. */
const changes = [
  'alter table users add column test_note text',
  `alter table users add column test_count integer not null default 0`,
  '-- no transaction\ncreate index concurrently test_index on users (test_count)',
  `alter table users add constraint test_check check (test_count >= 0) not valid`,
  'alter table users validate constraint test_check',
  'alter table sessions add column test_note text',
  'alter table users drop constraint test_check',
  'drop index test_index',
  'alter table users drop column test_note, drop column test_count',
  'alter table sessions drop column test_note',
]

checkModule(
  'admin',
  'H-254',
  'of two admins one remains, also while migrations run on the tables in use',
  async (world) => {
    const isolated = await isolatedApp(world)
    const url = isolated.databaseUrl
    let isDone = false
    let applied = 0
    const migrating = (async () => {
      while (!isDone || applied === 0)
        for (const sql of changes) {
          const name = `${String(applied).padStart(6, '0')}_test`
          applied += (await migrate(url, [{ owner: 'test', name, sql, checksum: name }])).length
        }
    })()
    let summary = ''
    try {
      const race = mutual(['demote', 'demote'], ['delete', 'demote'], ['suspend', 'suspend'])
      summary = `${await interleave(world, race, 60)}; ${await deleteBothAdmins(world, 20)}`
    } finally {
      isDone = true
      await migrating
    }
    assert.ok(applied >= changes.length, `${applied} migrations`)
    return `${applied} migrations meanwhile; ${summary}`
  },
  { full: 'samples races' },
)
