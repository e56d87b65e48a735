import { expect, test, vi } from 'vitest'

test('after it was closed, the next import connects again, as when "npm run dev" seeds a second time', async () => {
  const first = await import('./client')
  await first.closeDatabase()
  await expect(first.pool.query('select 1')).rejects.toThrow('after calling end on the pool')
  vi.resetModules()
  const second = await import('./client')
  expect((await second.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})
