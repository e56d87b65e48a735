import { agreeAt, continueWith, sessionOf as session } from '../support/enter.ts'
import { mailTo } from '../support/inbox.ts'
import { expect, expectAccessible, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'
import { query } from '../support/query.ts'

const providers = ['Google', 'GitHub'] as const

const someEmail = (kind = 'somebody') => `${kind}.${crypto.randomUUID().slice(0, 8)}@example.com`

const accountsOf = (email: string) =>
  query<{ id: string; role: string; provider: string | null }>(
    'select users.id, role, provider from users left join accounts on user_id = users.id where email = $1',
    [email],
  )
const kindsOf = async (id: string) =>
  (await query<{ kind: string }>('select kind from audit_events where target_id = $1 order by id', [id])).map(
    ({ kind }) => kind,
  )

for (const provider of providers) {
  test.describe(`with ${provider}`, () => {
    test('a new person joins as a viewer, comes back as the same person, and nothing of the provider is kept', async ({
      page,
    }) => {
      const email = someEmail()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      await expectAccessible(page)
      const first = await session(page)
      expect(first.user).toMatchObject({ email, role: 'viewer', name: expect.stringContaining('somebody') })
      expect(await page.evaluate(() => document.cookie)).toContain('plinth.signed-in=1')

      await page.context().clearCookies()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      expect((await session(page)).user.id).toBe(first.user.id)
      expect(await accountsOf(email)).toEqual([{ id: first.user.id, role: 'viewer', provider: provider.toLowerCase() }])
    })

    test('an address that belongs to somebody here is not taken over, and nobody is told how they sign in', async ({
      page,
      password,
    }) => {
      const email = await newPerson()
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toHaveText(
        'Sign in the way you did before. Then you can connect this way to your account',
      )
      expect(await session(page)).toBeNull()
      expect(await accountsOf(email)).toEqual([expect.objectContaining({ provider: null })])
      const response = await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      expect(response.status()).toBe(200)
    })

    test('an address that was not proved over there lets nobody in, and makes nobody', async ({ page }) => {
      const email = someEmail('unverified')
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('Your address is not confirmed there')
      expect(await session(page)).toBeNull()
      expect(await accountsOf(email)).toEqual([])
    })

    test('somebody who signed up with another’s address and never proved it gains nothing when the owner comes', async ({
      page,
      password,
    }) => {
      const email = await newPerson({ isVerified: false })
      const [planted] = await accountsOf(email)
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      const { user } = await session(page)
      expect(user.id).not.toBe(planted?.id)
      await page.context().clearCookies()
      const response = await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      expect(response.status()).toBe(401)
    })

    test('signing in while somebody else is signed in links nothing to them', async ({ page, password }) => {
      const first = await newPerson()
      await page.request.post('/api/auth/signin', { data: { email: first, password, redirect: false } })
      await page.goto('/dashboard')
      // The sign-in page sends people away who are signed in; whoever posts past it gets a session of their own.
      const email = someEmail()
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      await page.goto('/signin')
      await page.context().addCookies(cookies)
      await page.getByRole('button', { name: `Continue with ${provider}` }).click()
      await page.context().addCookies(cookies)
      await agreeAt(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      expect((await session(page)).user.email).toBe(email)
      expect(await accountsOf(first)).toEqual([expect.objectContaining({ provider: null })])
    })

    test('somebody connects it to their account, is told by mail, and can then come in either way', async ({
      page,
      password,
    }) => {
      const email = await newPerson()
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('Sign in the way you did before')
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect(page.getByRole('heading', { name: `Connect ${provider}` })).toBeVisible()
      await expect(page.getByRole('main')).toContainText(email)
      await expectAccessible(page)
      const before = await session(page)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      // Google remembers who they are from the first time; GitHub's stand-in asks again.
      if (provider === 'GitHub') await agreeAt(page, provider, email)
      await expect(page.getByRole('heading', { name: `${provider} is connected` })).toBeVisible()
      await expectAccessible(page)
      expect(await session(page)).toMatchObject({ user: before.user })
      expect(await accountsOf(email)).toEqual([
        { id: before.user.id, role: 'viewer', provider: provider.toLowerCase() },
      ])
      await mailTo(email, `${provider} was connected to your account`)
      expect(await kindsOf(before.user.id)).toContain('provider.connected')

      await page.context().clearCookies()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      expect((await session(page)).user.email).toBe(email)
    })

    test('an account over there that belongs to somebody else here cannot be connected', async ({ page, password }) => {
      const atProvider = someEmail()
      await continueWith(page, provider, atProvider)
      await expect(page).toHaveURL('/dashboard')
      await page.context().clearCookies()
      const email = await newPerson()
      await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      await page.goto(`/connect/${provider.toLowerCase()}`)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      await agreeAt(page, provider, atProvider)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('belongs to somebody else here')
      expect((await session(page)).user.email).toBe(email)
      expect(await accountsOf(email)).toEqual([expect.objectContaining({ provider: null })])
    })

    test('a session that ran out on the way connects nothing and lets nobody in', async ({
      page,
      password,
      appUrl,
    }) => {
      const email = await newPerson()
      const atProvider = someEmail()
      await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      await page.goto(`/connect/${provider.toLowerCase()}`)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      await page.waitForURL((url) => url.origin !== appUrl)
      await query(
        `update sessions set last_seen_at = now() - interval '8 days', created_at = now() - interval '8 days'
         where user_id = (select id from users where email = $1)`,
        [email],
      )
      await agreeAt(page, provider, atProvider)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('You were signed out in the meantime')
      expect(await session(page)).toBeNull()
      expect(await accountsOf(email)).toEqual([expect.objectContaining({ provider: null })])
      expect(await accountsOf(atProvider)).toEqual([])
    })

    test('the wish to connect of one person is worth nothing in the session of another', async ({
      page,
      password,
      appUrl,
    }) => {
      const [first, second] = [await newPerson(), await newPerson()]
      const signIn = (email: string) =>
        page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
      await signIn(first)
      await page.goto(`/connect/${provider.toLowerCase()}`)
      await page.getByRole('button', { name: `Connect ${provider}` }).click()
      await page.waitForURL((url) => url.origin !== appUrl)
      await signIn(second)
      await agreeAt(page, provider, someEmail())
      await expect(page.getByRole('heading', { name: `Connect ${provider}` })).toBeVisible()
      await expect(page.getByRole('main')).toContainText(`You are signed in as ${second}`)
      for (const email of [first, second])
        expect(await accountsOf(email)).toEqual([expect.objectContaining({ provider: null })])
    })

    test('somebody who is suspended stays out', async ({ page }) => {
      const email = someEmail()
      await continueWith(page, provider, email)
      await expect(page).toHaveURL('/dashboard')
      await query('update users set suspended_at = now() where email = $1', [email])
      await page.context().clearCookies()
      await continueWith(page, provider, email)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('That did not work')
      expect(await session(page)).toBeNull()
    })
  })
}

test.describe('a callback that nobody asked for', () => {
  for (const path of [
    'google?code=x',
    'google?code=x&state=y',
    'github?code=x&state=y',
    'google?error=access_denied&error_description=<script>alert(1)</script>',
  ]) {
    test(`${path} lets nobody in`, async ({ page }) => {
      const response = await page.goto(`/api/auth/callback/${path}`)
      expect(response?.status()).toBe(200)
      expect(new URL(page.url()).pathname).toBe('/signin')
      await expect(page.getByRole('main').getByRole('alert')).toBeVisible()
      expect(await page.content()).not.toContain('alert(1)')
      expect(await session(page)).toBeNull()
    })
  }

  test('with the state of the other provider lets nobody in', async ({ page }) => {
    await page.goto('/signin')
    await page.getByRole('button', { name: 'Continue with GitHub' }).click()
    await page.getByRole('heading', { name: 'GitHub stand-in' }).waitFor()
    const state = new URL(page.url()).searchParams.get('state')
    await page.goto(`/api/auth/callback/google?code=x&state=${state}`)
    expect(new URL(page.url()).pathname).toBe('/signin')
    expect(await session(page)).toBeNull()
  })
})
