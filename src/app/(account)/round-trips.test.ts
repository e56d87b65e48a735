import { loadPage } from '../../../tests/app/support/load-page'
import { call, fromBrowser, testRoundTrips, withSession } from '../../../tests/app/support/round-trip-table'

// The imports above must come first: they prepare the app's requests and its connections.

import { POST as postSignIn } from '@/app/api/auth/signin/route'
import { createUser } from '@/core/auth/user/create'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import AccountLayout from './account/layout'
import SecurityPage from './account/security/page'
import ui from './ui'

testRoundTrips(
  'account',
  {
    'open the security page': async () => {
      const headers = withSession(await newSessionToken('viewer'))
      return () => loadPage(headers, [AccountLayout, SecurityPage])
    },
    'sign in': async () => {
      const email = `${crypto.randomUUID()}@example.com`
      const password = 'a long walk by the sea'
      await createUser({ email, name: 'Ada', role: 'viewer', password })
      return () => call(postSignIn, fromBrowser, { email, password, redirect: false })
    },
  },
  [ui],
)
