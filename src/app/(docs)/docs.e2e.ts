import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, signIn, test } from '../../../tests/support/journey.ts'
import { startServer } from '../../../tests/support/server.ts'

const pages = ['/docs/api', '/docs/api/calling']

/** Opens an entry of the reference, as the link in its contents does, and finds the form for trying it. */
async function openEntry(page: Page, name: string, id: string) {
  await page.goto(`/docs/api#${id}`)
  const form = page.getByRole('form', { name: `Try ${name}`, exact: true })
  await expect(form.getByRole('button', { name: 'Send' })).toBeEnabled()
  return form
}

/** The token of a session: the cookie of a browser that has signed in, taken elsewhere. */
async function newToken(page: Page, password: string): Promise<string> {
  await signIn(page, 'editor@example.com', password)
  await expect(page).toHaveURL('/dashboard')
  const cookie = (await page.context().cookies()).find(({ name }) => name.endsWith('plinth.session'))
  await page.context().clearCookies()
  return cookie?.value ?? ''
}

for (const theme of ['light', 'dark'] as const) {
  for (const width of [390, 1280]) {
    test(`the pages have no fault for axe and do not scroll sideways, ${theme}, ${width} wide`, async ({
      browser,
      appUrl,
    }) => {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } })
      const page = await context.newPage()
      for (const path of pages) {
        await page.goto(appUrl + path)
        await page.locator('details').evaluateAll((all) => {
          for (const one of all) (one as HTMLDetailsElement).open = true
        })
        await expectAccessible(page)
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect(overflow, path).toBeLessThanOrEqual(0)
      }
      await context.close()
    })
  }
}

test('the reference has every call of the document, each with its samples and its answers', async ({
  page,
  request,
}) => {
  const { paths, tags } = await (await request.get('/api/openapi.json')).json()
  await page.goto('/docs/api')
  const names = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const shown = await page
    .locator('main details > summary')
    .evaluateAll((all) =>
      all.map(
        (one) => `${one.querySelector('[data-slot="badge"]')?.textContent} ${one.querySelector('h3')?.textContent}`,
      ),
    )
  expect(shown.sort()).toEqual(names.sort())
  const headings = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
  const owners = tags.map(({ name }: { name: string }) => name)
  expect(headings).toEqual(['Authenticate', ...owners, 'Errors', 'Rate limits'])
})

test('development describes and shows the same calls', async ({ page, request, appUrl, devUrl }) => {
  const described = async (url: string) => (await (await request.get(`${url}/api/openapi.json`)).json()).paths
  expect(await described(devUrl)).toEqual(await described(appUrl))
  await page.goto(`${devUrl}/docs/api`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API reference')
})

test('everything but trying works without JavaScript', async ({ browser, appUrl }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${appUrl}/docs/api`)
  await page.locator('summary', { has: page.getByText('/api/auth/session', { exact: true }) }).click()
  await expect(page.getByText('curl "$APP/api/auth/session"').last()).toBeVisible()
  await expect(page.getByText('Calls can be tried on this page with JavaScript')).toBeVisible()
  await expect(page.getByLabel('Token for the calls on this page')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Send' })).toHaveCount(0)
  await context.close()
})

test('by keyboard alone: open an entry, send, and read the answer', async ({ page }) => {
  await page.goto('/docs/api')
  const summary = page.locator('summary', { has: page.getByText('/api/health', { exact: true }) })
  await expect(page.locator('details:has(#getHealth)').getByRole('button', { includeHidden: true })).toBeEnabled()
  await summary.focus()
  await page.keyboard.press('Enter')
  const form = page.getByRole('form', { name: 'Try GET /api/health', exact: true })
  const send = form.getByRole('button', { name: 'Send' })
  for (let steps = 0; steps < 5 && !(await send.evaluate((one) => one === document.activeElement)); steps++)
    await page.keyboard.press('Tab')
  await expect(send).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(form.getByRole('status')).toContainText('"status": "ok"')
  await expect(form.getByRole('status')).toContainText(/200 OK, \d+ ms/)
})

test('a call with a token is made as whoever it belongs to, and the token is kept nowhere', async ({
  page,
  password,
}) => {
  const token = await newToken(page, password)
  const form = await openEntry(page, 'GET /api/auth/session', 'getAuthSession')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('null')
  await page.getByLabel('Token for the calls on this page').fill(token)
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('"email": "editor@example.com"')
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href)
  expect(kept).not.toContain(token)
  await page.reload()
  await expect(page.getByLabel('Token for the calls on this page')).toHaveValue('')
})

test('a call without a token is made as whoever is signed in, and a wrong token as nobody', async ({
  page,
  password,
}) => {
  await signIn(page, 'viewer@example.com', password)
  await expect(page).toHaveURL('/dashboard')
  const form = await openEntry(page, 'GET /api/auth/session', 'getAuthSession')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('"email": "viewer@example.com"')
  await page.getByLabel('Token for the calls on this page').fill('x'.repeat(43))
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('null')
})

test('a call with a body sends what stands there, and shows refusals as they are', async ({ page }) => {
  const form = await openEntry(page, 'POST /api/auth/signin', 'postAuthSignin')
  await expect(form.getByLabel('Body')).toHaveValue(/"email": "ada@example.com"/)
  await form.getByLabel('Body').fill('{"email": 1}')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('"code": "invalid_input"')
  await expect(form.getByRole('status')).toContainText('application/problem+json')
})

test('the navigation of whoever is signed in leads to the reference', async ({ page, password }) => {
  await signIn(page, 'viewer@example.com', password)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API reference')
})

test.describe('from another origin', () => {
  // A header of the journeys' own, about which a browser would have to ask first.
  test.use({ extraHTTPHeaders: {} })

  /** A page of somebody else's, which says nothing about where it may connect to. */
  const newSite = () =>
    new Promise<{ server: Server; origin: string }>((resolve) => {
      const server = createServer((_, response) =>
        response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Elsewhere</title>'),
      )
      server.listen(0, '127.0.0.1', () =>
        resolve({ server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
      )
    })

  test('a page on the list calls with a token, and the browser refuses one that is not', async ({
    page,
    password,
    complaints,
  }) => {
    const token = await newToken(page, password)
    const [listed, other] = [await newSite(), await newSite()]
    const env = { DATABASE_URL: process.env.DATABASE_URL ?? '', AUTH_SECRET: process.env.AUTH_SECRET ?? '' }
    const app = await startServer('start', { ...env, CORS_ORIGINS: listed.origin })
    const askFrom = async (origin: string) => {
      await page.goto(origin)
      return page.evaluate(
        async ([address, bearer]) => {
          const headers = { Authorization: `Bearer ${bearer}` }
          const answer = await fetch(`${address}/api/auth/session`, { headers }).catch((error: Error) => error.name)
          return typeof answer === 'string' ? answer : (await answer.json())?.user.email
        },
        [app.url, token] as const,
      )
    }
    try {
      expect(await askFrom(listed.origin)).toBe('editor@example.com')
      expect(await askFrom(other.origin)).toBe('TypeError')
      expect(complaints.some((text) => text.includes('blocked by CORS policy'))).toBe(true)
      complaints.length = 0
    } finally {
      await app.stop()
      listed.server.close()
      other.server.close()
    }
  })
})
