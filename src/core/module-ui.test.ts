import { LayoutDashboard } from 'lucide-react'
import { expect, test } from 'vitest'
import { signedIn } from './auth/policy'
import { defineModuleUi } from './module-ui'

test('a navigation entry must link to a page that exists', () => {
  const entry = { label: 'Dashboard', icon: LayoutDashboard, group: 'workspace', order: 0, allow: signedIn } as const
  expect(defineModuleUi({ navigation: [{ ...entry, href: '/dashboard' }] }).navigation).toHaveLength(1)
  // @ts-expect-error: there is no such page
  defineModuleUi({ navigation: [{ ...entry, href: '/no-such-page' }] })
})
