// npm run bench:users [-- 200000] [--keep]: checks that the list of users costs the same with ten thousand users as with ten
// million, and measures what the indexes and the trigger add to the cost of writing a user.
import { randomUUID } from 'node:crypto'
import { importSource } from '../../../scripts/import-source.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { compareSizes } from './compare.ts'
import { fill, measureWrites } from './fill-users.ts'
import { type Cursor, type SampleUser, type Sort, shapes } from './shapes.ts'

showUsage('npm run bench:users [-- <number of users>] [--keep]')

await compareSizes({
  file: import.meta.filename,
  noun: 'users',
  counts: [10_000, 10_000_000],
  shapes,
  fill,
  open: async (pool) => {
    const [list, { encrypt }] = await importSource('src/app/(admin)/list-users.ts', 'src/core/auth/tokens/encrypt.ts')
    const startIds = Array.from({ length: 50 }, () => randomUUID())
    const { rows: users } = await pool().query<SampleUser>(
      `select id, role, email as address, created_at::text as created, lower(name) as name, lower(email) as email,
         coalesce(last_seen_at, timestamptz 'epoch')::text as seen
       from unnest($1::uuid[]) as place, lateral (select * from users where id > place order by id limit 1) as found`,
      [startIds],
    )
    const cursor: Cursor = (user, sort, order, side = 'after', key) => {
      const cursorKey = key ?? user[sort === 'role' ? 'created' : (sort as Sort)]
      return encrypt('admin list', JSON.stringify({ sort, order, side, role: user.role, key: cursorKey, id: user.id }))
    }
    const queries = shapes.map((shape) => users.map((user) => shape.query(user, cursor)))
    return (shape, turn) => {
      const variants = queries[shape] ?? []
      return async () => {
        const found = await list[shapes[shape]?.call ?? 'findUsers'](variants[turn % variants.length])
        return found.count ?? found.users.length
      }
    }
  },
  after: async (onEach) => {
    console.log('\n| | users | microseconds, bytes of WAL | without the module |\n|---|---|---|---|')
    await onEach(measureWrites)
  },
})
