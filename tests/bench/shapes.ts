// Every kind of question that the list of people answers, for tests/bench/users.ts.
import { randomUUID } from 'node:crypto'
import type { Bench } from './compare.ts'
import { rare } from './people.ts'

const sorts = ['created', 'name', 'email', 'role', 'seen'] as const
const ways = ['asc', 'desc'] as const
export type Sort = (typeof sorts)[number]
type Query = Record<string, string>
export type Person = Record<Sort | 'id' | 'address', string>
export type Cursor = (person: Person, sort: Sort | 'match', order: string, side?: string, key?: string) => string

type Shape = Bench['shapes'][number] & {
  call?: 'countUsers'
  /** The query for a person from anywhere in the table. The next call is for another one: not one row, always cached. */
  query: (person: Person, cursor: Cursor) => Query
}

const first = (text: string, length: number) => text.slice(0, length)
const last: Person = {
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  role: 'viewer',
  address: '',
  name: '\u{10ffff}',
  email: '\u{10ffff}',
  created: '9999-01-01',
  seen: '9999-01-01',
}

export const shapes: Shape[] = [
  ...sorts.flatMap((sort): Shape[] => [
    ...ways.flatMap((order): Shape[] => [
      { name: `by ${sort}, ${order}, first page`, query: () => ({ sort, order }) },
      {
        name: `by ${sort}, ${order}, anywhere`,
        ...(sort === 'name' && order === 'asc' && { isShown: true }),
        query: (person, cursor) => ({ sort, order, cursor: cursor(person, sort, order) }),
      },
    ]),
    {
      name: `by ${sort}, asc, last page`,
      query: (_, cursor) => ({ sort, order: 'asc', cursor: cursor(last, sort, 'asc', 'before') }),
    },
  ]),
  ...(
    [
      { role: 'viewer' },
      { role: 'editor' },
      { role: 'admin' },
      { status: 'active' },
      { status: 'suspended' },
      { role: 'viewer', status: 'suspended' },
      { role: 'editor', status: 'active' },
      { role: 'admin', status: 'suspended' },
    ] as Query[]
  ).map(
    (filter, index): Shape => ({
      name: `only ${Object.values(filter).join(', ')}, anywhere`,
      ...(index === 5 && { isShown: true }),
      query: (person, cursor) => ({ ...filter, cursor: cursor(person, 'created', 'desc') }),
    }),
  ),
  { name: 'search: one letter', isShown: true, query: ({ name }) => ({ search: first(name, 1) }) },
  { name: 'search: one letter, desc', query: ({ name }) => ({ search: first(name, 1), order: 'desc' }) },
  {
    name: 'search: one letter, anywhere',
    query: (person, cursor) => ({
      search: first(person.name, 1),
      cursor: cursor(person, 'match', 'asc', 'after', person.name),
    }),
  },
  {
    name: 'search: one letter, anywhere among addresses',
    isShown: true,
    query: (person, cursor) => ({
      search: first(person.email, 1),
      cursor: cursor(person, 'match', 'asc', 'after', person.email),
    }),
  },
  { name: 'search: a common first name', query: () => ({ search: 'mary' }) },
  { name: 'search: a common first name, desc', query: () => ({ search: 'mary', order: 'desc' }) },
  { name: 'search: a common word and a letter', query: () => ({ search: 'mary s' }) },
  { name: 'search: a rare beginning', query: () => ({ search: 'xyl' }) },
  { name: 'search: two rare words', query: () => ({ search: rare.name }) },
  { name: 'search: a whole address', query: ({ address }) => ({ search: address }) },
  { name: 'search: nobody', query: ({ id }) => ({ search: `no ${id}` }) },
  { name: 'search: one letter, only admin', isShown: true, query: () => ({ search: 'm', role: 'admin' }) },
  { name: 'search: one letter, only suspended', query: () => ({ search: 'm', status: 'suspended' }) },
  {
    name: 'search: one letter, only admin, suspended',
    query: () => ({ search: 'm', role: 'admin', status: 'suspended' }),
  },
  { name: 'search: an id', isShown: true, query: ({ id }) => ({ search: id }) },
  { name: 'search: an id of nobody', query: () => ({ search: randomUUID() }) },
  ...[
    { name: 'everybody', query: () => ({}) },
    { name: 'only viewer', isShown: true, query: () => ({ role: 'viewer' }) } as const,
    { name: 'only active', query: () => ({ status: 'active' }) },
    { name: 'only admin', isMore: true, query: () => ({ role: 'admin' }) } as const,
    { name: 'only suspended', isMore: true, query: () => ({ status: 'suspended' }) } as const,
    { name: 'search, rare', query: () => ({ search: 'xyl' }) },
    { name: 'search, one letter', isMore: true, isShown: true, query: () => ({ search: 'm' }) } as const,
    { name: 'search, nobody', query: ({ id }: Person) => ({ search: `no ${id}` }) },
  ].map((shape): Shape => ({ ...shape, name: `count: ${shape.name}`, call: 'countUsers' })),
]
