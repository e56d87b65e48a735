import { beforeEach, expect, test, vi } from 'vitest'
import { definePolicy, signedIn } from '../auth/policy'
import type { ModuleUi, SearchProvider } from '../module-ui'
import { SearchText, search } from './search'

const moduleUis = vi.hoisted((): ModuleUi[] => [])
vi.mock('@/module-uis', () => ({ moduleUis }))

const { can } = definePolicy({ 'things.read': ['admin'] })
const viewer = { id: crypto.randomUUID(), email: 'viewer@example.com', name: 'Vera', role: 'viewer' } as const
const admin = { ...viewer, role: 'admin' } as const

const results = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ label: `Thing ${index}`, hint: '', href: `/things/${index}` }))
const provider = (title: string, more: Partial<SearchProvider> = {}): SearchProvider => ({
  title,
  allow: signedIn,
  find: async () => results(1),
  ...more,
})
const failing = (message: string) => async () => {
  throw new Error(message)
}
const titles = async (...args: Parameters<typeof search>) => (await search(...args)).groups.map(({ title }) => title)

beforeEach(() => {
  moduleUis.length = 0
})

test('only the searches that the user is allowed to use run', async () => {
  const find = vi.fn(async () => results(1))
  moduleUis.push(
    { search: [provider('Secrets', { allow: can('things.read'), find })] },
    { search: [provider('Things')] },
  )
  expect(await titles(viewer, 'thing')).toEqual(['Things'])
  expect(find).not.toHaveBeenCalled()
  expect(await titles(admin, 'thing')).toEqual(['Secrets', 'Things'])
  expect(find).toHaveBeenCalledWith(admin, 'thing')
})

test('a group has at most five results, and an empty one is left out', async () => {
  moduleUis.push({
    search: [provider('Many', { find: async () => results(9) }), provider('None', { find: async () => [] })],
  })
  const { groups, isComplete } = await search(viewer, 'thing')
  expect(groups).toEqual([{ title: 'Many', results: results(5) }])
  expect(isComplete).toBe(true)
})

test('nothing is searched for without a text', async () => {
  const find = vi.fn(async () => results(1))
  moduleUis.push({ search: [provider('Things', { find })] })
  expect(await search(viewer, '')).toEqual({ groups: [], isComplete: true })
  expect(find).not.toHaveBeenCalled()
})

test('if one search fails, the others still have results, and the result says that it is incomplete', async () => {
  moduleUis.push({ search: [provider('Broken', { find: failing('broken') }), provider('Things')] })
  const { groups, isComplete } = await search(viewer, 'thing')
  expect(groups.map(({ title }) => title)).toEqual(['Things'])
  expect(isComplete).toBe(false)
})

test('if every search fails, there is an error and not an empty result', async () => {
  moduleUis.push({ search: [provider('One', { find: failing('one') }), provider('Two', { find: failing('two') })] })
  await expect(search(viewer, 'thing')).rejects.toThrow('one')
})

test.each([
  ['a text that is too long', 'x'.repeat(101)],
  ['a null character', 'a\0b'],
])('%s is invalid', (_, text) => {
  expect(SearchText.safeParse(text).success).toBe(false)
})
