import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { moduleUis } from '@/module-uis'
import { root } from '../../../scripts/root.ts'

test('each tab of a module has a path of its own below the page of a user', () => {
  const slugs = moduleUis.flatMap(({ userPage }) => userPage?.tabs ?? []).map(({ slug }) => slug)
  expect(slugs.filter((slug, index) => slugs.indexOf(slug) < index)).toEqual([])
  const folder = join(root, 'src/app/(admin)/admin/users/[id]')
  expect(existsSync(join(folder, 'sessions'))).toBe(true)
  for (const slug of slugs) {
    expect(slug).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(existsSync(join(folder, slug)), slug).toBe(false)
  }
})
