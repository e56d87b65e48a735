import { beforeAll, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { invitations } from './schema'
import { countTabs, formatCount, formatRange } from './user-counts'

const exactly = (count: number) => ({ count, precision: 'exact' as const })

beforeAll(async () => {
  await db.insert(users).values(
    Array.from({ length: 9 }, (_, index) => ({
      email: `${index}@example.com`,
      name: `Ada ${index}`,
      role: index < 2 ? ('editor' as const) : ('viewer' as const),
      suspendedAt: index % 3 === 0 ? new Date() : null,
    })),
  )
  await db.insert(invitations).values({ email: 'new@example.com', role: 'viewer' })
})

test('without a filter each tab has its number', async () => {
  const tabs = { all: exactly(9), active: exactly(6), suspended: exactly(3), invited: exactly(1) }
  expect(await countTabs({})).toEqual({ total: exactly(9), tabs })
  expect(await countTabs({ status: 'suspended' })).toEqual({ total: exactly(3), tabs })
})

test('with a filter only the current tab has a number, that of the list', async () => {
  expect(await countTabs({ role: ['editor'] })).toEqual({ total: exactly(2), tabs: { all: exactly(2) } })
  expect(await countTabs({ search: 'ada', status: 'active' })).toEqual({
    total: exactly(6),
    tabs: { active: exactly(6) },
  })
  expect(await countTabs({ seen: 'never', status: 'suspended' })).toEqual({
    total: exactly(3),
    tabs: { suspended: exactly(3) },
  })
})

test('a number on a tab says how exact it is', () => {
  expect(formatCount(exactly(1_053))).toBe('1,053')
  expect(formatCount({ count: 10_000, precision: 'at least' })).toBe('10,000+')
  expect(formatCount({ count: 1_234_567, precision: 'estimated' })).toBe('~1.2M')
})

test('the range claims no more than the page knows', () => {
  const first = { shown: 25, isFirst: true, isLast: false }
  expect(formatRange(exactly(53), first)).toBe('1–25 of 53 users')
  expect(formatRange({ count: 15_021, precision: 'estimated' }, first)).toBe('1–25 of about 15,021 users')
  expect(formatRange({ count: 10_000, precision: 'at least' }, first)).toBe('1–25 of more than 10,000 users')
  expect(formatRange(exactly(53), { ...first, isFirst: false })).toBe('25 of 53 users')
  expect(formatRange(exactly(53), { shown: 3, isFirst: false, isLast: true })).toBe('3 of 53 users')
  expect(formatRange(exactly(1), { shown: 1, isFirst: true, isLast: true })).toBe('1 user')
  expect(formatRange(exactly(9), { shown: 9, isFirst: true, isLast: true })).toBe('9 users')
})
