import { loadPage } from '../tests/app/support/load-page'
import { act, call, fromBrowser, testRoundTrips, withSession } from '../tests/app/support/round-trip-table'

// The imports above must come first: they prepare the app's requests and its connections.

import { eq } from 'drizzle-orm'
import { GET as readSession } from '@/app/api/auth/session/route'
import { POST as postSignIn } from '@/app/api/auth/signin/route'
import { POST as postSignOut } from '@/app/api/auth/signout/route'
import DashboardPage from '@/app/dashboard/page'
import { askForReset } from '@/app/forgot/actions'
import { chooseNewPassword } from '@/app/reset/actions'
import { signUp } from '@/app/signup/actions'
import { verifySignUpEmail } from '@/app/verify/actions'
import { createEmailLink, resetLink, signUpLink } from '@/core/auth/tokens/email-link'
import { createUser } from '@/core/auth/user/create'
import { db } from '@/core/db/client'
import { signups } from '@/core/db/schema'
import { newSessionToken } from '../tests/app/support/new-session-token'

const password = 'a long walk by the sea'
const newEmail = () => `${crypto.randomUUID()}@example.com`

async function newUser() {
  const email = newEmail()
  return { email, id: await createUser({ email, name: 'Ada', role: 'viewer', password }) }
}

const tokenIn = (url: string) => new URL(url).searchParams.get('token') ?? ''

async function signInWith(given: { email: string; password: string }, status?: number) {
  return () => call(postSignIn, fromBrowser, { ...given, redirect: false }, status)
}

testRoundTrips(
  'core',
  {
    'read the session': async () => {
      const token = await newSessionToken('viewer')
      return () => call(readSession, withSession(token))
    },
    'open the dashboard': async () => {
      const token = await newSessionToken('viewer')
      return () => loadPage(withSession(token), [DashboardPage])
    },
    'sign in': async () => signInWith({ email: (await newUser()).email, password }),
    'sign in with a wrong password': async () => signInWith({ email: (await newUser()).email, password: 'wrong' }, 401),
    'sign in with an unknown email': async () => signInWith({ email: newEmail(), password }, 401),
    'sign out': async () => {
      const token = await newSessionToken('viewer')
      return () => call(postSignOut, withSession(token), { redirect: false })
    },
    'request a password reset': async () => {
      const { email } = await newUser()
      return () => act(() => askForReset({ email }))
    },
    'reset the password': async () => {
      const { id } = await newUser()
      const token = tokenIn(await createEmailLink(resetLink, { userId: id }))
      return () => act(() => chooseNewPassword({ token, password: 'another walk by the sea' }))
    },
    'sign up': async () => () => act(() => signUp({ email: newEmail(), name: 'Ada', password })),
    'verify a sign-up': async () => {
      const email = newEmail()
      await act(() => signUp({ email, name: 'Ada', password }))
      const [signup] = await db.select({ id: signups.id }).from(signups).where(eq(signups.email, email))
      const token = tokenIn(await createEmailLink(signUpLink, { signupId: signup?.id ?? '' }))
      return () => act(() => verifySignUpEmail({ token, password }))
    },
  },
  [],
)
