import { expect, test } from 'vitest'
import { signedIn } from './auth/policy'
import { defineModule } from './module'

test('an entry in the navigation must lead to a page that exists', () => {
  const entry = { label: 'Dashboard', description: 'Where one starts', allow: signedIn }
  const module = defineModule({ name: 'x', title: 'X', navigation: [{ ...entry, href: '/dashboard' }] })
  expect(module.navigation).toHaveLength(1)
  // @ts-expect-error: there is no such page
  defineModule({ name: 'x', title: 'X', navigation: [{ ...entry, href: '/no-such-page' }] })
})
