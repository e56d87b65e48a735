// Every kind of query that the list of users supports, for tests/template/bench/users.ts.
import { randomUUID } from 'node:crypto'
import type { Bench } from './compare.ts'
import { rare } from './fill-users.ts'

const sorts = ['created', 'name', 'email', 'role', 'seen'] as const
const orders = ['asc', 'desc'] as const
export type Sort = (typeof sorts)[number]
type Query = Record<string, string>
export type SampleUser = Record<Sort | 'id' | 'address', string>
export type Cursor = (user: SampleUser, sort: Sort | 'match', order: string, side?: string, key?: string) => string

type Shape = Bench['shapes'][number] & {
  call?: 'countUsers'
  /** Builds the query from a random user. Each call gets another user, so that not one cached row is read all the time. */
  query: (user: SampleUser, cursor: Cursor) => Query
}

const first = (text: string, length: number) => text.slice(0, length)
const lastUser: SampleUser = {
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
    ...orders.flatMap((order): Shape[] => [
      { name: `by ${sort}, ${order}, first page`, query: () => ({ sort, order }) },
      {
        name: `by ${sort}, ${order}, anywhere`,
        ...(sort === 'name' && order === 'asc' && { isPlanShown: true }),
        query: (user, cursor) => ({ sort, order, cursor: cursor(user, sort, order) }),
      },
    ]),
    {
      name: `by ${sort}, asc, last page`,
      query: (_, cursor) => ({ sort, order: 'asc', cursor: cursor(lastUser, sort, 'asc', 'before') }),
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
      ...(index === 5 && { isPlanShown: true }),
      query: (user, cursor) => ({ ...filter, cursor: cursor(user, 'created', 'desc') }),
    }),
  ),
  ...['week', 'earlier', 'never'].flatMap((seen): Shape[] => [
    { name: `last active: ${seen}, first page`, query: () => ({ seen }) },
    {
      name: `last active: ${seen}, anywhere`,
      ...(seen === 'earlier' && { isPlanShown: true }),
      query: (user, cursor) => ({ seen, cursor: cursor(user, 'seen', 'desc') }),
    },
  ]),
  { name: 'search: one letter', isPlanShown: true, query: ({ name }) => ({ search: first(name, 1) }) },
  { name: 'search: one letter, desc', query: ({ name }) => ({ search: first(name, 1), order: 'desc' }) },
  {
    name: 'search: one letter, anywhere',
    query: (user, cursor) => ({
      search: first(user.name, 1),
      cursor: cursor(user, 'match', 'asc', 'after', user.name),
    }),
  },
  {
    name: 'search: one letter, anywhere among emails',
    isPlanShown: true,
    query: (user, cursor) => ({
      search: first(user.email, 1),
      cursor: cursor(user, 'match', 'asc', 'after', user.email),
    }),
  },
  { name: 'search: a common first name', query: () => ({ search: 'mary' }) },
  { name: 'search: a common first name, desc', query: () => ({ search: 'mary', order: 'desc' }) },
  { name: 'search: a common word and a letter', query: () => ({ search: 'mary s' }) },
  { name: 'search: a rare prefix', query: () => ({ search: 'xyl' }) },
  { name: 'search: two rare words', query: () => ({ search: rare.name }) },
  { name: 'search: a whole email', query: ({ address }) => ({ search: address }) },
  { name: 'search: no match', query: ({ id }) => ({ search: `no ${id}` }) },
  { name: 'search: one letter, only admin', isPlanShown: true, query: () => ({ search: 'm', role: 'admin' }) },
  { name: 'search: one letter, only suspended', query: () => ({ search: 'm', status: 'suspended' }) },
  {
    name: 'search: one letter, only admin, suspended',
    query: () => ({ search: 'm', role: 'admin', status: 'suspended' }),
  },
  { name: 'search: an id', isPlanShown: true, query: ({ id }) => ({ search: id }) },
  { name: 'search: an unknown id', query: () => ({ search: randomUUID() }) },
  ...[
    { name: 'all', query: () => ({}) },
    { name: 'only viewer', isPlanShown: true, query: () => ({ role: 'viewer' }) } as const,
    { name: 'only active', query: () => ({ status: 'active' }) },
    { name: 'only admin', isGrowing: true, query: () => ({ role: 'admin' }) } as const,
    { name: 'only suspended', isGrowing: true, query: () => ({ status: 'suspended' }) } as const,
    { name: 'last active: week', isGrowing: true, isPlanShown: true, query: () => ({ seen: 'week' }) } as const,
    { name: 'last active: never', isGrowing: true, query: () => ({ seen: 'never' }) } as const,
    { name: 'search, rare', query: () => ({ search: 'xyl' }) },
    { name: 'search, one letter', isGrowing: true, isPlanShown: true, query: () => ({ search: 'm' }) } as const,
    { name: 'search, no match', query: ({ id }: SampleUser) => ({ search: `no ${id}` }) },
  ].map((shape): Shape => ({ ...shape, name: `count: ${shape.name}`, call: 'countUsers' })),
]
