import assert from 'node:assert/strict'
import fc from 'fast-check'
import { checkModule } from '../checks.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

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

/** Few names and few moments, so that many are equal. */
const person = fc.record({
  name: fc.constantFrom('Ada', 'ada', 'Zoë', 'Å', 'b', 'Grace Hopper', '_', '\u{1f600}'),
  role: fc.constantFrom('viewer', 'editor', 'admin'),
  age: fc.nat(3),
  isSeen: fc.boolean(),
})

checkModule(
  'admin',
  'P-12',
  'the pages of the list, one after the other, are everybody once, in order, whoever comes and goes elsewhere meanwhile',
  async (world) => {
    const [{ findUsers }, { pool }] = await appCode<[List, typeof import('../../../src/core/db/client.ts')]>(
      world,
      'src/app/(admin)/list.ts',
      'src/core/db/client.ts',
    )
    // The last admin cannot go.
    await pool.query(
      `insert into users (email, name, role) values ('keeper@example.com', 'Keeper', 'admin') on conflict do nothing`,
    )
    let pages = 0
    return holds(
      'P-12',
      fc.asyncProperty(
        fc.array(person, { minLength: 1, maxLength: 24 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(...Object.keys(keys)),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(undefined, 'viewer', 'editor'),
        async (people, limit, sort, order, role) => {
          await pool.query(`delete from users where email <> 'keeper@example.com'`)
          await pool.query(
            `insert into users (email, name, role, created_at, last_seen_at)
             select gen_random_uuid() || '@example.com', p.name, p.role, now() - p.age * interval '1 day',
               case when p."isSeen" then now() - p.age * interval '1 hour' end
             from jsonb_to_recordset($1) as p (name text, role text, age int, "isSeen" boolean)`,
            [JSON.stringify(people)],
          )
          const by = sort === 'role' ? `role ${order}, created_at ${order}` : `${keys[sort]} ${order}`
          const { rows } = await pool.query(
            `select id from users where $1::text is null or role = $1 order by ${by}, id ${order}`,
            [role ?? null],
          )
          const walked: string[] = []
          let cursor: string | null = null
          do {
            const page = await findUsers({ sort, order, limit, ...(role && { role }), ...(cursor && { cursor }) })
            pages++
            assert.ok(page.users.length <= limit)
            walked.push(...page.users.map(({ id }) => id))
            cursor = page.nextCursor
            // Somebody joins whom this list does not show, and leaves again.
            if (role)
              await pool.query(
                `with gone as (delete from users where email like 'late-%')
                 insert into users (email, name, role) values ('late-' || gen_random_uuid() || '@example.com', 'Ada', 'admin')`,
              )
          } while (cursor)
          assert.deepEqual(
            walked,
            rows.map(({ id }) => id),
          )
        },
      ),
      { examples: [], note: () => `${pages} pages` },
    )
  },
)
