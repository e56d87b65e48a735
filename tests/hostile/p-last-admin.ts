// P. The last admin: whatever falls together, somebody who can administrate stays.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { migrate } from '../../src/core/db/migrate.ts'
import { verdict } from './actions.ts'
import { type Apart, apart, type Member } from './apart.ts'
import { check, checkModule, hasModule } from './checks.ts'
import { submit, type World } from './world.ts'

const usualRounds = 300
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const together = <T>(times: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

check('H-237', 'the only admin left cannot leave, however often and wherever they ask at once', async (world) => {
  const place = await apart(world)
  await place.pool.query('truncate users cascade')
  const last = await place.add('admin')
  // Nobody else makes up for them.
  await place.add('editor')
  const suspended = await place.add('admin')
  await place.pool.query('update users set suspended_at = now() where id = $1', [suspended.id])
  const ways: [name: string, input: object, expected: string][] = [
    ['deleteAccount', { confirmation: last.email }, 'last_admin'],
  ]
  if (hasModule('admin'))
    ways.push(
      ['updateUserRole', { userId: last.id, role: 'viewer' }, 'last_admin'],
      ['updateUserRole', { userId: last.id.toUpperCase(), role: 'editor' }, 'last_admin'],
      ['deleteUser', { userId: last.id, confirmation: last.email }, 'forbidden'],
      ['suspendUsers', { ids: [last.id, suspended.id] }, 'invalid_input'],
    )
  for (let round = 0; round < 3; round++)
    for (const [name, input, expected] of ways) {
      const verdicts = await together(10, async (index) =>
        verdict(await submit(world, name, input, { jar: last.jar.copy(), node: place.nodes[index % 2 === 0 ? 0 : 1] })),
      )
      assert.deepEqual(new Set(verdicts), new Set([expected]), name)
    }
  assert.equal(await place.countAdmins(), 1)
  assert.equal((await world.session(last.jar, place.nodes[0])).user.role, 'admin')
})

/** One of two admins does something to one of the two. */
interface Step {
  by: 0 | 1
  to: 0 | 1
  what: 'demote' | 'delete' | 'suspend' | 'leave'
}

/** When and where it is sent. */
const moment = fc.record({ delay: fc.integer({ min: 0, max: 12 }), node: fc.constantFrom(0 as const, 1 as const) })

const done = /^(ok|to \/signed-out|to \/admin\/users\?done=deleted)$/
/** Too late: they are no admin any more, or not there, or the other one is the last. */
const refused = /^(last_admin|forbidden|unauthenticated)$/

function send(world: World, place: Apart, admins: Member[], { by, to, what }: Step, node: 0 | 1): Promise<string> {
  const [actor, target] = [admins[by] ?? assert.fail(), admins[to] ?? assert.fail()]
  const calls: Record<Step['what'], [name: string, input: object]> = {
    demote: ['updateUserRole', { userId: target.id, role: 'viewer' }],
    delete: ['deleteUser', { userId: target.id, confirmation: target.email }],
    suspend: ['suspendUsers', { ids: [target.id] }],
    leave: ['deleteAccount', { confirmation: actor.email }],
  }
  const [name, input] = calls[what]
  // To a page that has the action, and shows nobody afterwards: what it costs is the action.
  const path = what === 'leave' ? undefined : `/admin/users/${actor.id}`
  const options = { jar: actor.jar.copy(), node: place.nodes[node], ...(path && { path }) }
  return submit(world, name, input, options).then(verdict)
}

/** Sends the steps in every order and distance that comes up: each time exactly one admin is left, and the others hear why. */
async function interleave(world: World, steps: fc.Arbitrary<Step[]>, rounds = usualRounds): Promise<string> {
  const place = await apart(world)
  await place.pool.query('truncate users cascade')
  let collisions = 0
  const run = fc.asyncProperty(steps, fc.array(moment, { minLength: 3, maxLength: 3 }), async (chosen, moments) => {
    // The new ones first: there is an admin at every moment.
    const admins = [await place.add('admin'), await place.add('admin')]
    await place.pool.query('delete from users where id <> all($1)', [admins.map(({ id }) => id)])
    const verdicts = await Promise.all(
      chosen.map(async (step, index) => {
        const { delay, node } = moments[index] ?? assert.fail()
        await wait(delay)
        return send(world, place, admins, step, node)
      }),
    )
    assert.equal(await place.countAdmins(), 1, `admins after ${verdicts}`)
    // Two steps may be against one and the same: then both may have come through, one after the other.
    assert.ok(
      verdicts.some((one) => done.test(one)),
      String(verdicts),
    )
    for (const one of verdicts) assert.ok(done.test(one) || refused.test(one) || one === 'not_found', one)
    if (verdicts.includes('last_admin')) collisions++
  })
  await fc.assert(run, { numRuns: rounds, endOnFailure: true })
  // Only where both were let in before either was done is anything shown.
  assert.ok(collisions >= rounds / 20, `only ${collisions} of ${rounds} fell together`)
  return `${collisions} of ${rounds} fell together`
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
  'of two admins who demote, delete or suspend each other one stays, 300 times of 300 each',
  async (world) => {
    const demote = await interleave(world, mutual(['demote', 'demote']))
    const remove = await interleave(world, mutual(['delete', 'demote'], ['delete', 'delete']))
    const suspend = await interleave(
      world,
      mutual(['suspend', 'demote'], ['suspend', 'suspend'], ['suspend', 'delete']),
    )
    return `demoting: ${demote}; deleting: ${remove}; suspending: ${suspend}`
  },
)

checkModule(
  'admin',
  'H-239',
  'of an admin who demotes themselves and the other one, one stays, 300 times of 300',
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
)

/** Two admins delete themselves at the same moment, on two nodes, so many times. Each time one of them must be refused. */
async function leaveTogether(world: World, times: number): Promise<string> {
  const place = await apart(world)
  await place.pool.query('truncate users cascade')
  let staying = await place.add('admin')
  let turns = 0
  let changes = 0
  for (let round = 0; round < times; round++) {
    const pair = [staying, await place.add('admin')] as const
    assert.equal(await place.countAdmins(), 2)
    const answers = await Promise.all(
      pair.map(({ email, jar }, index) =>
        submit(
          world,
          'deleteAccount',
          { confirmation: email },
          { jar: jar.copy(), node: place.nodes[(index + round) % 2 === 0 ? 0 : 1] },
        ),
      ),
    )
    const verdicts = answers.map(verdict)
    assert.deepEqual([...verdicts].sort(), ['last_admin', 'to /signed-out'], `round ${round}`)
    const { rows } = await place.pool.query(`select id from users where role = 'admin' and suspended_at is null`)
    const next = verdicts[0] === 'last_admin' ? pair[0] : pair[1]
    assert.deepEqual(rows, [{ id: next.id }], `round ${round}`)
    if (next !== staying) changes++
    turns++
    staying = next
  }
  return `${turns} times one was refused; the newer one stayed ${changes} times`
}

check(
  'H-240',
  'of two last admins who delete themselves at once exactly one stays, also when one demotes the other meanwhile',
  async (world) => {
    const leaving = await leaveTogether(world, 200)
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
)

check('H-241', 'the database itself refuses to lose its last admin', async (world) => {
  const { pool, add, countAdmins } = await apart(world)
  await pool.query('truncate users cascade')
  const last = await add('admin')
  const suspended = await add('admin')
  await pool.query('update users set suspended_at = now() where id = $1', [suspended.id])
  const editor = await add('editor')
  const losses = [
    `update users set role = 'viewer' where id = $1`,
    `update users set role = 'editor', updated_at = now() where id = $1`,
    'update users set suspended_at = now() where id = $1',
    'delete from users where id = $1',
    // For everybody at once, whoever is named.
    `update users set role = 'viewer' where $1::uuid is not null`,
    'delete from users where $1::uuid is not null',
  ]
  for (const loss of losses) {
    await assert.rejects(pool.query(loss, [last.id]), /there must be at least one admin/, loss)
    assert.equal(await countAdmins(), 1, loss)
  }
  // What changes nothing of that is free, and so is putting one in another's place within one transaction.
  await pool.query(`update users set name = 'Renamed', role = role where id = $1`, [last.id])
  await pool.query('delete from users where id = $1', [suspended.id])
  const client = await pool.connect()
  try {
    for (const [first, then] of [
      [losses[0], `insert into users (email, name, role) values ('next-1@example.com', 'Next', 'admin')`],
      [losses[3], `insert into users (email, name, role) values ('next-2@example.com', 'Next', 'admin')`],
      [losses[2], `update users set role = 'admin' where id = '${editor.id}'`],
    ] as const) {
      const { rows } = await client.query(`select id from users where role = 'admin' and suspended_at is null limit 1`)
      await client.query(`update users set role = 'editor' where role = 'admin' and id <> $1`, [rows[0].id])
      await client.query('begin')
      await client.query(first ?? '', [rows[0].id])
      await client.query(then)
      await client.query('commit')
      assert.equal(await countAdmins(), 1, first)
    }
    // Two transactions that each take one of two away: the second waits for the first, and is refused.
    await add('admin')
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
})

/** Additive ones, on the tables that the races are about, each with its way back. */
const changes = [
  'alter table users add column hostile_note text',
  `alter table users add column hostile_count integer not null default 0`,
  '-- no transaction\ncreate index concurrently hostile_index on users (hostile_count)',
  `alter table users add constraint hostile_check check (hostile_count >= 0) not valid`,
  'alter table users validate constraint hostile_check',
  'alter table sessions add column hostile_note text',
  'alter table users drop constraint hostile_check',
  'drop index hostile_index',
  'alter table users drop column hostile_note, drop column hostile_count',
  'alter table sessions drop column hostile_note',
]

checkModule(
  'admin',
  'H-254',
  'while migrations run on the tables in use, of two admins one stays all the same',
  async (world) => {
    const place = await apart(world)
    const url = place.databaseUrl
    let isOver = false
    let applied = 0
    const migrating = (async () => {
      while (!isOver || applied === 0)
        for (const sql of changes) {
          const name = `${String(applied).padStart(6, '0')}_hostile`
          applied += (await migrate(url, [{ owner: 'hostile', name, sql, checksum: name }])).length
        }
    })()
    let told = ''
    try {
      const race = mutual(['demote', 'demote'], ['delete', 'demote'], ['suspend', 'suspend'])
      told = `${await interleave(world, race, 60)}; ${await leaveTogether(world, 20)}`
    } finally {
      isOver = true
      await migrating
    }
    assert.ok(applied >= changes.length, `${applied} migrations`)
    return `${applied} migrations meanwhile; ${told}`
  },
)
