import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessible,
  signIn,
  startSession,
  test,
  waitForHydration,
} from '../../../tests/app/support/e2e-test.ts'
import { startServer } from '../../../tests/app/support/server.ts'
import { appSlug } from '../../brand.ts'

const pages = ['/docs/api', '/docs/api/calling', '/docs/api/search?q=get', '/docs/api/search?q=nothing-like-it']

/** Opens an operation by its anchor and returns its "Try it" form. */
async function openEntry(page: Page, name: string, id: string) {
  await page.goto(`/docs/api#${id}`)
  await page.locator(`#${id}`).getByText('Try it', { exact: true }).click()
  const form = page.getByRole('form', { name: `Try ${name}`, exact: true })
  await expect(form.getByRole('button', { name: 'Send' })).toBeVisible()
  return form
}

/** Opens all details, and lays out the operations that have not been scrolled to. */
async function showEverything(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) (one as HTMLDetailsElement).open = true
  })
  await page.locator('[data-slot="operation"]').evaluateAll((all) => {
    for (const one of all) (one as HTMLElement).style.contentVisibility = 'visible'
  })
}

/** Signs in and returns the session token; the browser itself is signed out again. */
async function newToken(page: Page, password: string): Promise<string> {
  await startSession(page, 'editor@example.com', password)
  const cookie = (await page.context().cookies()).find(({ name }) => name.endsWith(`${appSlug}.session`))
  await page.context().clearCookies()
  return cookie?.value ?? ''
}

// The document is long, and checking it slow: for every change in one width.
for (const width of process.env.QUICK ? [390] : [390, 1280]) {
  test(`the pages pass axe and do not scroll horizontally, ${width} px wide`, async ({ browser, appUrl }) => {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    for (const path of pages) {
      await page.goto(appUrl + path)
      await showEverything(page)
      await expectAccessible(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow, path).toBeLessThanOrEqual(0)
    }
    await context.close()
  })
}

test('the reference shows every operation of the document', { tag: '@smoke' }, async ({ page, request }) => {
  const { paths, tags } = await (await request.get('/api/openapi.json')).json()
  await page.goto('/docs/api')
  const names = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const shown = await page
    .locator('main [data-slot="operation"]')
    .evaluateAll((all) =>
      all.map(
        (one) => `${one.querySelector('[data-slot="badge"]')?.textContent} ${one.querySelector('p code')?.textContent}`,
      ),
    )
  expect(shown.sort()).toEqual(names.sort())
  const headings = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
  const owners = tags.map(({ name }: { name: string }) => name)
  expect(headings).toEqual(['Authentication', ...owners, 'Errors', 'Rate limits'])
})

test('development and production document the same operations', async ({ page, request, appUrl, devUrl }) => {
  // Only the production build of these tests has a provider by its settings.
  const described = async (url: string) =>
    JSON.parse((await (await request.get(`${url}/api/openapi.json`)).text()).replaceAll(/,\s*"oidc-acme"/g, '')).paths
  expect(await described(devUrl)).toEqual(await described(appUrl))
  await page.goto(`${devUrl}/docs/api`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API reference')
})

test('everything except "Try it" works without JavaScript', async ({ browser, appUrl }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${appUrl}/docs/api`)
  const entry = page.locator('#getAuthSession')
  await expect(entry.getByText('curl "$APP/api/auth/session"')).toBeVisible()
  await entry.locator('summary', { hasText: 'fetch' }).click()
  await expect(entry.getByText('await fetch(')).toBeVisible()
  await expect(entry.getByText('curl "$APP/api/auth/session"')).toBeHidden()
  await expect(page.getByText('Turn on JavaScript to send requests from this page.')).toBeVisible()
  await expect(page.getByLabel('API token', { exact: true })).toBeHidden()
  await expect(entry.getByText('Try it', { exact: true })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Copy' })).toHaveCount(0)

  const search = page.getByRole('searchbox', { name: 'Search endpoints' })
  await search.fill('liveness')
  await search.press('Enter')
  await expect(page).toHaveURL(`${appUrl}/docs/api/search?q=liveness`)
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1)
  await page.getByRole('link', { name: 'Liveness check' }).click()
  await expect(page).toHaveURL(`${appUrl}/docs/api#getHealth`)
  await page.goto(`${appUrl}/docs/api/search?q=nothing-like-it`)
  await expect(page.getByText('No endpoints match')).toBeVisible()
  await context.close()
})

test('the search narrows the contents while you type, and Enter opens the first match', async ({ page }) => {
  await page.goto('/docs/api')
  await waitForHydration(page)
  const contents = page.getByRole('navigation', { name: 'Contents' })
  const search = contents.getByRole('searchbox', { name: 'Search endpoints' })
  await search.fill('GET readiness')
  await expect(contents.getByRole('link', { name: 'Readiness check' })).toBeVisible()
  await expect(contents.getByRole('link', { name: 'Liveness check' })).toHaveCount(0)
  await search.press('Enter')
  await expect(page).toHaveURL('/docs/api#getHealthReady')
  await expect(page.getByRole('heading', { name: 'Readiness check' })).toBeInViewport()
  await search.fill('nothing-like-it')
  await expect(contents).toContainText('No endpoints match')
  await search.fill('')
  await expect(contents.getByRole('link', { name: 'Liveness check' })).toBeVisible()
  await expect(contents.getByRole('link', { name: 'Rate limits' })).toBeVisible()
})

test('on a phone, the contents open above the page', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/docs/api')
  const contents = page.getByRole('navigation', { name: 'Contents' })
  await expect(contents).toBeHidden()
  await page.getByText('Contents', { exact: true }).click()
  await contents.getByRole('link', { name: 'Liveness check' }).click()
  await expect(page).toHaveURL('/docs/api#getHealth')
  await expect(page.getByRole('heading', { name: 'Liveness check' })).toBeInViewport()
})

test('a sample is copied with its button', async ({ page, appUrl }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: appUrl })
  await page.goto('/docs/api#getHealth')
  const entry = page.locator('#getHealth')
  await entry.getByRole('button', { name: 'Copy curl' }).click()
  await expect(entry.getByRole('button', { name: 'Copied curl' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('curl "$APP/api/health"')
})

test('a browser that gives pages no clipboard shows no button to copy', async ({ page }) => {
  // As over http from another machine.
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.goto('/docs/api#getHealth')
  await expect(page.getByText('curl "$APP/api/health"', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy' })).toHaveCount(0)
})

test('an operation can be opened and sent with the keyboard alone', async ({ page }) => {
  await page.goto('/docs/api')
  await page.locator('#getHealth').getByText('Try it', { exact: true }).focus()
  await page.keyboard.press('Enter')
  const form = page.getByRole('form', { name: 'Try GET /api/health', exact: true })
  const send = form.getByRole('button', { name: 'Send' })
  await expect(send).toBeVisible()
  for (let steps = 0; steps < 5 && !(await send.evaluate((one) => one === document.activeElement)); steps++)
    await page.keyboard.press('Tab')
  await expect(send).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(form.getByRole('status')).toContainText('"status": "ok"')
  await expect(form.getByRole('status')).toContainText(/200 OK, \d+ ms/)
})

test('a request with a token is authenticated by it, and the token is not stored', async ({ page, password }) => {
  const token = await newToken(page, password)
  const form = await openEntry(page, 'GET /api/auth/session', 'getAuthSession')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('null')
  await page.getByLabel('API token', { exact: true }).fill(token)
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('"email": "editor@example.com"')
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href)
  expect(stored).not.toContain(token)
  await page.reload()
  await expect(page.getByLabel('API token', { exact: true })).toHaveValue('')
})

test('a request without a token uses the session cookie, and a wrong token is unauthenticated', async ({
  page,
  password,
}) => {
  await startSession(page, 'viewer@example.com', password)
  const form = await openEntry(page, 'GET /api/auth/session', 'getAuthSession')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('"email": "viewer@example.com"')
  await page.getByLabel('API token', { exact: true }).fill('x'.repeat(43))
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('null')
})

test('a request sends the body from the form, and errors are shown unchanged', async ({ page }) => {
  const form = await openEntry(page, 'POST /api/auth/signin', 'postAuthSignin')
  await expect(form.getByLabel('Body')).toHaveValue(/"email": "ada@example.com"/)
  await form.getByLabel('Body').fill('{"email": 1}')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('status')).toContainText('"code": "invalid_input"')
  await expect(form.getByRole('status')).toContainText('application/problem+json')
})

test('the navigation of a signed-in user links to the reference', async ({ page, password }) => {
  await signIn(page, 'viewer@example.com', password)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API reference' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API reference')
})

test.describe('from another origin', () => {
  // The extra header of the e2e tests would trigger a preflight for a header that CORS does not allow.
  test.use({ extraHTTPHeaders: {} })

  /** A third-party page without a Content-Security-Policy. */
  const newSite = () =>
    new Promise<{ server: Server; origin: string }>((resolve) => {
      const server = createServer((_, response) =>
        response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Elsewhere</title>'),
      )
      server.listen(0, '127.0.0.1', () =>
        resolve({ server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
      )
    })

  test('a listed origin can call with a token, and the browser blocks any other origin', async ({
    page,
    password,
    pageErrors,
  }) => {
    const token = await newToken(page, password)
    const [listed, other] = [await newSite(), await newSite()]
    const env = { DATABASE_URL: process.env.DATABASE_URL ?? '', AUTH_SECRET: process.env.AUTH_SECRET ?? '' }
    const app = await startServer('start', { ...env, CORS_ORIGINS: listed.origin })
    const fetchFrom = async (origin: string) => {
      await page.goto(origin)
      return page.evaluate(
        async ([url, bearer]) => {
          const headers = { Authorization: `Bearer ${bearer}` }
          const response = await fetch(`${url}/api/auth/session`, { headers }).catch((error: Error) => error.name)
          return typeof response === 'string' ? response : (await response.json())?.user.email
        },
        [app.url, token] as const,
      )
    }
    try {
      expect(await fetchFrom(listed.origin)).toBe('editor@example.com')
      expect(await fetchFrom(other.origin)).toBe('TypeError')
      expect(pageErrors.some((text) => text.includes('blocked by CORS policy'))).toBe(true)
      pageErrors.length = 0
    } finally {
      await app.stop()
      listed.server.close()
      other.server.close()
    }
  })
})
