import { loadPage } from '../../../tests/app/support/load-page'
import { act, call, testRoundTrips, withSession } from '../../../tests/app/support/round-trip-table'

// The imports above must come first: they prepare the app's requests and its connections.

import DashboardPage from '@/app/dashboard/page'
import type { Role } from '@/core/auth/policy'
import { createUser } from '@/core/auth/user/create'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import { updateUserRole } from './actions'
import AdminLayout from './admin/layout'
import UserOverviewPage from './admin/users/[id]/page'
import UsersPage from './admin/users/page'
import { GET as listUsers } from './api/demo/admin/users/route'
import ui from './ui'

async function newUser(role: Role) {
  const email = `${crypto.randomUUID()}@example.com`
  return { id: await createUser({ email, name: 'Ada', role, password: 'a long walk by the sea' }) }
}

const asAdmin = async () => withSession(await newSessionToken('admin'))

testRoundTrips(
  'admin',
  {
    'open the dashboard': async () => {
      const headers = await asAdmin()
      return () => loadPage(headers, [DashboardPage])
    },
    'open the list of users': async () => {
      const headers = await asAdmin()
      return () => loadPage(headers, [AdminLayout, UsersPage])
    },
    'open the page of a user': async () => {
      const headers = await asAdmin()
      const { id } = await newUser('viewer')
      return () => loadPage(headers, [AdminLayout, UserOverviewPage], { id })
    },
    'list users': async () => {
      const headers = await asAdmin()
      return () => call(listUsers, headers)
    },
    'change a role': async () => {
      const headers = await asAdmin()
      const { id } = await newUser('viewer')
      return () => act(() => updateUserRole({ userId: id, role: 'editor' }), headers)
    },
  },
  [ui],
)
