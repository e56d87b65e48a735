import { appSlug } from '../../../src/brand.ts'
import { expect, expectAccessible, signIn, test } from '../support/e2e-test.ts'
import { waitForEmail } from '../support/inbox.ts'
import { newUser } from '../support/new-user.ts'
import { expireReauthentication, query } from '../support/query.ts'
import { authorizeAt, continueWith, sessionOf as session } from '../support/sign-in.ts'

/** Acme SSO is an OpenID issuer that exists by settings alone. */
const providers = [
  { id: 'google', provider: 'Google' },
  { id: 'github', provider: 'GitHub' },
  { id: 'oidc-acme', provider: 'Acme SSO' },
] as const

const uniqueEmail = (kind = 'user') => `${kind}.${crypto.randomUUID().slice(0, 8)}@example.com`

const identitiesOf = (email: string) =>
  query<{ id: string; role: string; provider: string | null }>(
    'select users.id, role, provider from users left join accounts on user_id = users.id where email = $1',
    [email],
  )
const kindsOf = async (id: string) =>
  (await query<{ kind: string }>('select kind from audit_events where target_id = $1 order by id', [id])).map(
    ({ kind }) => kind,
  )

for (const { id, provider } of providers) {
  test.describe(`with ${provider}`, () => {
    test('a new user signs up as a viewer, and signs in again as the same user', { tag: '@smoke' }, async ({
      page,
    }) => {
      const email = uniqueEmail()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      await expectAccessible(page)
      const first = await session(page)
      expect(first.user).toMatchObject({ email, role: 'viewer', name: expect.stringContaining('user') })
      expect(await page.evaluate(() => document.cookie)).toContain(`${appSlug}.signed-in=1`)

      await page.context().clearCookies()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      expect((await session(page)).user.id).toBe(first.user.id)
      expect(await identitiesOf(email)).toEqual([{ id: first.user.id, role: 'viewer', provider: id }])
    })

    test('an existing user with the same email is not taken over, and their sign-in method is not revealed', async ({
      page,
      password,
    }) => {
      const email = await newUser()
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toHaveText(
        'This email already has an account. Sign in the way you usually do, then connect this provider.',
      )
      expect(await session(page)).toBeNull()
      expect(await identitiesOf(email)).toEqual([expect.objectContaining({ provider: null })])
      const response = await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      expect(response.status()).toBe(200)
    })

    test('an email that the provider has not verified neither signs in nor creates a user', async ({ page }) => {
      const email = uniqueEmail('unverified')
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toContainText(
        'Your email isn’t verified with that provider',
      )
      expect(await session(page)).toBeNull()
      expect(await identitiesOf(email)).toEqual([])
    })

    test('an unverified sign-up with a third party’s email gets no access when the owner signs in', async ({
      page,
      password,
    }) => {
      const email = await newUser({ isVerified: false })
      const [unverifiedUser] = await identitiesOf(email)
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      const { user } = await session(page)
      expect(user.id).not.toBe(unverifiedUser?.id)
      await page.context().clearCookies()
      const response = await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      expect(response.status()).toBe(401)
    })

    test('signing in while another user is signed in links no identity to that user', async ({ page, password }) => {
      const first = await newUser()
      await page.request.post('/api/auth/signin', { data: { email: first, password, redirect: false } })
      await page.goto('/dashboard')
      // The sign-in page redirects signed-in users, so the test submits its form with cookies added later.
      const email = uniqueEmail()
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      await page.goto('/signin')
      await page.context().addCookies(cookies)
      await page.getByRole('button', { name: `Continue with ${provider}` }).click()
      await page.context().addCookies(cookies)
      await authorizeAt(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      expect((await session(page)).user.email).toBe(email)
      expect(await identitiesOf(first)).toEqual([expect.objectContaining({ provider: null })])
    })

    test('a user connects it, is notified by email, and can then sign in with both methods', async ({
      page,
      password,
    }) => {
      const email = await newUser()
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('Sign in the way you usually do')
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect(page.getByRole('heading', { name: `Connect ${provider}` })).toBeVisible()
      await expect(page.getByRole('main')).toContainText(email)
      await expectAccessible(page)
      const before = await session(page)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      // The OpenID stand-ins still have the user’s session; the GitHub stand-in asks again.
      if (provider === 'GitHub') await authorizeAt(page, provider, email)
      await expect(page.getByRole('heading', { name: `${provider} is connected` })).toBeVisible()
      await expectAccessible(page)
      expect(await session(page)).toMatchObject({ user: before.user })
      expect(await identitiesOf(email)).toEqual([{ id: before.user.id, role: 'viewer', provider: id }])
      await waitForEmail(email, `${provider} was connected to your account`)
      expect(await kindsOf(before.user.id)).toContain('provider.connected')

      await page.context().clearCookies()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      expect((await session(page)).user.email).toBe(email)
    })

    test('an identity that is linked to another user cannot be connected', async ({ page, password }) => {
      const atProvider = uniqueEmail()
      await continueWith(page, provider, atProvider)
      await expect(page).toHaveURL('/dashboard')
      await page.context().clearCookies()
      const email = await newUser()
      await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      await page.goto(`/connect/${id}`)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      await authorizeAt(page, provider, atProvider)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('is connected to another user')
      expect((await session(page)).user.email).toBe(email)
      expect(await identitiesOf(email)).toEqual([expect.objectContaining({ provider: null })])
    })

    test('a session that expired during the redirect connects nothing and signs nobody in', async ({
      page,
      password,
      appUrl,
    }) => {
      const email = await newUser()
      const atProvider = uniqueEmail()
      await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      await page.goto(`/connect/${id}`)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      await page.waitForURL((url) => url.origin !== appUrl)
      await query(
        `update sessions set last_seen_at = now() - interval '8 days', created_at = now() - interval '8 days'
         where user_id = (select id from users where email = $1)`,
        [email],
      )
      await authorizeAt(page, provider, atProvider)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('Your session ended')
      expect(await session(page)).toBeNull()
      expect(await identitiesOf(email)).toEqual([expect.objectContaining({ provider: null })])
      expect(await identitiesOf(atProvider)).toEqual([])
    })

    test('a connect flow started by one user has no effect in the session of another', async ({
      page,
      password,
      appUrl,
    }) => {
      const [first, second] = [await newUser(), await newUser()]
      const signIn = (email: string) =>
        page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      await signIn(first)
      await page.goto(`/connect/${id}`)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      await page.waitForURL((url) => url.origin !== appUrl)
      await signIn(second)
      await authorizeAt(page, provider, uniqueEmail())
      await expect(page.getByRole('heading', { name: `Connect ${provider}` })).toBeVisible()
      await expect(page.getByRole('main')).toContainText(`Signed in as ${second}`)
      for (const email of [first, second])
        expect(await identitiesOf(email)).toEqual([expect.objectContaining({ provider: null })])
    })

    test('a user without a password reauthenticates there, and is asked to sign in again', async ({ page }) => {
      const email = uniqueEmail()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      const [user] = await identitiesOf(email)
      const confirmed = `confirmed_at > now() - interval '1 minute' as is_recent from sessions where user_id = $1`
      await expireReauthentication(email)
      await page.goto('/confirm?callbackUrl=/search')
      await expectAccessible(page)
      await page.getByRole('button', { name: `Continue with ${provider}` }).click()
      // The provider knows the session of this browser, but must not use it.
      await authorizeAt(page, provider, email)
      await expect(page).toHaveURL('/search')
      expect(await query(`select ${confirmed}`, [user?.id])).toContainEqual({ is_recent: true })
      expect((await session(page)).user.email).toBe(email)
    })

    test('a suspended user cannot sign in', async ({ page }) => {
      const email = uniqueEmail()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      await query('update users set suspended_at = now() where email = $1', [email])
      await page.context().clearCookies()
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('Something went wrong')
      expect(await session(page)).toBeNull()
    })
  })
}

test('the sign-in page marks the provider that was used last, until the user signs in with a password', async ({
  page,
  password,
}) => {
  const lastUsed = page.getByText('Last used')
  const forgetSession = () => page.context().clearCookies({ name: `${appSlug}.session` })
  await page.goto('/signin')
  await expect(lastUsed).toHaveCount(0)
  await continueWith(page, 'GitHub', uniqueEmail())
  await expect(page).toHaveURL('/dashboard')
  expect(await page.evaluate(() => document.cookie)).not.toContain('last-method')
  await forgetSession()
  await page.goto('/signin')
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toContainText('Last used')
  await expect(lastUsed).toHaveCount(1)
  await expectAccessible(page)

  await signIn(page, await newUser(), password)
  await expect(page).toHaveURL('/dashboard')
  await forgetSession()
  await page.goto('/signin')
  await expect(lastUsed).toHaveCount(0)
})
for (const { provider } of providers) {
  test(`the stand-in for ${provider} offers the seeded users`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto('/signin')
    await page.getByRole('button', { name: `Continue with ${provider}` }).click()
    await expect(page.getByRole('heading', { name: 'Sign in as…' })).toBeVisible()
    await expectAccessible(page)
    await expect(page.getByRole('button', { name: /^(Ada Admin|Edith Editor|Victor Viewer)/ })).toHaveCount(3)
    // They sign in with a password, so the provider alone doesn’t sign them in.
    await page.getByRole('button', { name: 'Victor Viewer' }).click()
    await expect(page).toHaveURL(/\/signin\?/)
    expect(await session(page)).toBeNull()
  })
}

test.describe('an unsolicited callback', () => {
  for (const path of [
    'google?code=x',
    'oidc-acme?code=x&state=y',
    'google?code=x&state=y',
    'github?code=x&state=y',
    'google?error=access_denied&error_description=<script>alert(1)</script>',
  ]) {
    test(`${path} signs nobody in`, async ({ page }) => {
      const response = await page.goto(`/api/auth/callback/${path}`)
      expect(response?.status()).toBe(200)
      expect(new URL(page.url()).pathname).toBe('/signin')
      await expect(page.getByRole('main').getByRole('alert')).toBeVisible()
      expect(await page.content()).not.toContain('alert(1)')
      expect(await session(page)).toBeNull()
    })
  }

  test('with the state of the other provider signs nobody in', async ({ page }) => {
    await page.goto('/signin')
    await page.getByRole('button', { name: 'Continue with GitHub' }).click()
    await expect(page).toHaveTitle('GitHub stand-in')
    const state = new URL(page.url()).searchParams.get('state')
    await page.goto(`/api/auth/callback/google?code=x&state=${state}`)
    expect(new URL(page.url()).pathname).toBe('/signin')
    expect(await session(page)).toBeNull()
  })
})
