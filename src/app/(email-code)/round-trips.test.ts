import { asRequest } from '../../../tests/app/support/next-headers'
import { testRoundTrips } from '../../../tests/app/support/round-trip-table'

// The imports above must come first: they prepare the app's requests and its connections.

import { AsyncLocalStorage } from 'node:async_hooks'
import { eq } from 'drizzle-orm'
import { setCookie } from '@/core/auth/session/cookies'
import { newToken } from '@/core/auth/tokens/token'
import { createUser } from '@/core/auth/user/create'
import { db } from '@/core/db/client'
import { requestCode } from './request-code'
import { emailCodeLink } from './requests'
import { requests } from './schema'
import { findSecrets } from './secrets'
import { signInWithCode } from './sign-in'

async function newUser() {
  const email = `${crypto.randomUUID()}@example.com`
  return { email, id: await createUser({ email, name: 'Ada', role: 'viewer', password: 'a long walk by the sea' }) }
}

testRoundTrips('email-code', {
  'request an email code': async () => {
    const { email } = await newUser()
    return () => asRequest({}, () => requestCode(email, '/dashboard'))
  },
  'request another email code': async () => {
    const { email } = await newUser()
    return () =>
      asRequest({}, async () => {
        await setCookie(`ticket.${emailCodeLink.name}`, newToken())
        await requestCode(email, '/dashboard')
      })
  },
  'sign in with an email code': async () => {
    const { email, id } = await newUser()
    return asRequest({}, async () => {
      await requestCode(email, '/dashboard')
      const [request] = await db
        .select({ id: requests.id, linkHash: requests.linkHash })
        .from(requests)
        .where(eq(requests.userId, id))
      const { code = '' } = (request && findSecrets(request)) ?? {}
      const inBrowser = AsyncLocalStorage.snapshot()
      return () => inBrowser(() => signInWithCode(code))
    })
  },
})
