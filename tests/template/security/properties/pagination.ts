import assert from 'node:assert/strict'
import fc from 'fast-check'
import { checkModule } from '../../../app/support/checks.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

interface Query {
  sort?: string
  order?: string
  role?: string
  limit?: number
  cursor?: string
}

interface List {
  findUsers(
    query: Query,
  ): Promise<{ users: { id: string }[]; nextCursor: string | null; previousCursor: string | null }>
}

const keys: Record<string, string> = {
  created: 'created_at',
  name: 'lower(name) collate "C"',
  email: 'lower(email) collate "C"',
  role: 'role',
  seen: `coalesce(last_seen_at, timestamptz 'epoch')`,
}

/** Few names and timestamps, so that many rows are equal. */
const userRow = fc.record({
  name: fc.constantFrom('Ada', 'ada', 'Zoë', 'Å', 'b', 'Grace Hopper', '_', '\u{1f600}'),
  role: fc.constantFrom('viewer', 'editor', 'admin'),
  age: fc.nat(3),
  isSeen: fc.boolean(),
})

checkModule(
  'admin',
  'P-12',
  'the pages of the user list contain every user once, in order, also while others are added and deleted',
  async (world) => {
    const [{ findUsers }, { pool }] = await importAppCode<[List, typeof import('../../../../src/core/db/client.ts')]>(
      world,
      'src/app/(admin)/list-users.ts',
      'src/core/db/client.ts',
    )
    // The last admin cannot be deleted.
    await pool.query(
      `insert into users (email, name, role) values ('keeper@example.com', 'Keeper', 'admin') on conflict do nothing`,
    )
    let pages = 0
    return assertProperty(
      'P-12',
      fc.asyncProperty(
        fc.array(userRow, { minLength: 1, maxLength: 24 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(...Object.keys(keys)),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(undefined, 'viewer', 'editor'),
        async (userRows, limit, sort, order, role) => {
          await pool.query(`delete from users where email <> 'keeper@example.com'`)
          await pool.query(
            `insert into users (email, name, role, created_at, last_seen_at)
             select gen_random_uuid() || '@example.com', p.name, p.role, now() - p.age * interval '1 day',
               case when p."isSeen" then now() - p.age * interval '1 hour' end
             from jsonb_to_recordset($1) as p (name text, role text, age int, "isSeen" boolean)`,
            [JSON.stringify(userRows)],
          )
          const orderBy = sort === 'role' ? `role ${order}, created_at ${order}` : `${keys[sort]} ${order}`
          const { rows } = await pool.query(
            `select id from users where $1::text is null or role = $1 order by ${orderBy}, id ${order}`,
            [role ?? null],
          )
          const listedIds: string[] = []
          let cursor: string | null = null
          do {
            const page = await findUsers({ sort, order, limit, ...(role && { role }), ...(cursor && { cursor }) })
            pages++
            assert.ok(page.users.length <= limit)
            listedIds.push(...page.users.map(({ id }) => id))
            cursor = page.nextCursor
            // Adds and deletes users that this list does not show.
            if (role)
              await pool.query(
                `with gone as (delete from users where email like 'late-%')
                 insert into users (email, name, role) values ('late-' || gen_random_uuid() || '@example.com', 'Ada', 'admin')`,
              )
          } while (cursor)
          assert.deepEqual(
            listedIds,
            rows.map(({ id }) => id),
          )
        },
      ),
      { examples: [], note: () => `${pages} pages` },
    )
  },
  { full: 'takes long' },
)
