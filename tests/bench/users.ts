// npm run bench:users [-- 200000] [--keep]: that the list of people costs the same among ten thousand as among ten
// million. Then: what the indexes and the trigger add to the cost of writing a person.
import { randomUUID } from 'node:crypto'
import { importSource } from '../../scripts/source.ts'
import { compareSizes } from './compare.ts'
import { fill, measureWrites } from './people.ts'
import { type Cursor, type Person, type Sort, shapes } from './shapes.ts'

await compareSizes({
  file: import.meta.filename,
  noun: 'people',
  counts: [10_000, 10_000_000],
  shapes,
  fill,
  open: async (pool) => {
    const [list, { seal }] = await importSource('src/app/(admin)/list.ts', 'src/core/auth/sealed.ts')
    const places = Array.from({ length: 50 }, () => randomUUID())
    const { rows: people } = await pool().query<Person>(
      `select id, role, email as address, created_at::text as created, lower(name) as name, lower(email) as email,
         coalesce(last_seen_at, timestamptz 'epoch')::text as seen
       from unnest($1::uuid[]) as place, lateral (select * from users where id > place order by id limit 1) as person`,
      [places],
    )
    const cursor: Cursor = (person, sort, order, side = 'after', key) => {
      const beside = key ?? person[sort === 'role' ? 'created' : (sort as Sort)]
      return seal('admin list', JSON.stringify({ sort, order, side, role: person.role, key: beside, id: person.id }))
    }
    const queries = shapes.map((shape) => people.map((person) => shape.query(person, cursor)))
    return (shape, turn) => {
      const of = queries[shape] ?? []
      return async () => {
        const found = await list[shapes[shape]?.call ?? 'findUsers'](of[turn % of.length])
        return found.count ?? found.users.length
      }
    }
  },
  after: async (onEach) => {
    console.log('\n| | people | microseconds, bytes of log | without the module |\n|---|---|---|---|')
    await onEach(measureWrites)
  },
})
