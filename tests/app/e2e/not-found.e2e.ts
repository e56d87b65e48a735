import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { APIRequestContext, Page } from '@playwright/test'
import { root } from '../../../scripts/root.ts'
import { expect, expectAccessible, randomIp, test, waitForHydration } from '../support/e2e-test.ts'
import { signInAsNewUser } from '../support/sign-in.ts'

const id = crypto.randomUUID()

/**
 * Every page of the build, with an unknown id for each parameter; and a preview link that has expired. Not `/welcome`: if a module
 * has a page at `/`, it is the static page of every unknown path.
 */
function pagePaths(): string[] {
  const routes: Record<string, string> = JSON.parse(
    readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8'),
  )
  return Object.entries(routes)
    .filter(([file, route]) => file.endsWith('/page') && !/\/(_|\(\.)/.test(route) && route !== '/welcome')
    .flatMap(([, route]) => {
      const path = route.replace(/\[[^/]+\]/g, id)
      return path === '/posts/preview' ? [path, `${path}?token=x`] : [path]
    })
}

/** Those pages that respond 404 to this caller. */
async function missingPaths(request: APIRequestContext): Promise<string[]> {
  const missing: string[] = []
  for (const path of pagePaths()) {
    if ((await request.get(path, { maxRedirects: 0 })).status() === 404) missing.push(path)
  }
  // One of core, so that this finds some whatever modules are installed.
  expect(missing).toContain(`/connect/${id}`)
  return missing
}

const inlineScripts = (html: string) =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '')

const callers = ['nobody', 'viewer'] as const
const prepare = async (caller: (typeof callers)[number], page: Page, password: string) => {
  if (caller === 'viewer') await signInAsNewUser(page, password, { role: 'viewer' })
}

for (const caller of callers) {
  test.describe(`for ${caller === 'nobody' ? 'an unauthenticated visitor' : 'a viewer'}`, () => {
    test('every page that responds 404 has the whole page in its HTML', async ({ page, password }) => {
      await prepare(caller, page, password)
      for (const path of await missingPaths(page.request)) {
        const response = await page.request.get(path)
        const html = await response.text()
        expect(html, path).toContain('>Page not found</h1>')
        expect(html, path).not.toContain('__next_error__')
        const headers = response.headers()
        expect(headers['cache-control'], path).toContain('no-store')
        expect(headers['x-request-id'], path).toBeTruthy()
        expect(headers.etag, path).toBeUndefined()
        const policy = headers['content-security-policy'] ?? ''
        expect(policy, path).not.toContain('nonce-')
        expect(inlineScripts(html).length, path).toBeGreaterThan(1)
        for (const script of inlineScripts(html))
          expect(policy, path).toContain(createHash('sha256').update(script).digest('base64'))
      }
    })

    test('without JavaScript each shows a heading, in the theme of the system', async ({
      page,
      password,
      browser,
      appUrl,
    }) => {
      await prepare(caller, page, password)
      const paths = await missingPaths(page.request)
      const storageState = await page.context().storageState()
      const backgrounds = new Set<string>()
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({
          baseURL: appUrl,
          storageState,
          colorScheme,
          javaScriptEnabled: false,
          extraHTTPHeaders: { 'x-forwarded-for': randomIp() },
        })
        const plain = await context.newPage()
        const background = () => plain.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
        await plain.goto('/no-such-page')
        const expected = await background()
        backgrounds.add(expected)
        for (const path of paths) {
          expect((await plain.goto(path))?.status(), path).toBe(404)
          await expect(plain.getByRole('heading', { level: 1 }), path).toHaveText('Page not found')
          expect(await background(), path).toBe(expected)
        }
        await context.close()
      }
      expect(backgrounds.size).toBe(2)
    })

    test('with JavaScript each has the chosen theme, and the right button in the header', async ({
      page,
      password,
    }) => {
      await prepare(caller, page, password)
      const paths = await missingPaths(page.request)
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto('/no-such-page')
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const light = await background()
      await page.getByRole('button', { name: 'Dark' }).click()
      const dark = await background()
      expect(dark).not.toBe(light)
      const header = page.getByRole('banner')
      for (const path of paths) {
        await page.goto(path)
        // Hydration must change nothing.
        await waitForHydration(page)
        await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('Page not found')
        expect(await background(), path).toBe(dark)
        await expect(page.getByRole('button', { name: 'Dark (selected)' }), path).toBeVisible()
        await expect(header.getByRole('link', { name: 'Sign in' }), path).toBeVisible({ visible: caller === 'nobody' })
        await expect(header.getByRole('link', { name: 'Dashboard' }), path).toBeVisible({
          visible: caller === 'viewer',
        })
      }
      await expectAccessible(page)
    })
  })
}

test('the 404 page offers the homepage, or the dashboard to users who are signed in', async ({ page, password }) => {
  const main = page.getByRole('main')
  await page.goto(`/connect/${id}`)
  await main.getByRole('link', { name: 'Go to homepage' }).click()
  await expect(page).toHaveURL('/')
  await signInAsNewUser(page, password)
  await page.goto(`/connect/${id}`)
  await expect(main.getByRole('link', { name: 'Go to homepage' })).toBeHidden()
  await main.getByRole('link', { name: 'Go to dashboard' }).click()
  await expect(page).toHaveURL('/dashboard')
})

test('to users who are signed in, the 404 page looks like the app, and finds what they look for', async ({
  page,
  password,
}) => {
  const background = () =>
    page.evaluate(() => {
      const canvas = document.querySelector('div[data-when="signed-in"]')
      return canvas && getComputedStyle(canvas).display
    })
  await page.goto(`/connect/${id}`)
  expect(await background()).toBe('none')
  await expect(page.getByRole('searchbox')).toBeHidden()
  await expect(page.getByText('ask an admin')).toBeHidden()
  await signInAsNewUser(page, password, { role: 'viewer' })
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`/connect/${id}`)
    expect(await background()).toBe('block')
    await expect(page.getByText('If you need access, ask an admin.')).toBeVisible()
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  }
  await page.getByRole('searchbox').fill('dash')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expect(page).toHaveURL('/search?q=dash')
  await expect(page.getByRole('main').getByRole('link', { name: 'Dashboard' }).first()).toBeVisible()
})

test('a navigation in the browser to a missing page gets its data, not the HTML of the 404 page', async ({
  request,
}) => {
  const response = await request.get(`/connect/${id}`, { headers: { rsc: '1' } })
  expect(response.headers()['content-type']).toMatch(/^text\/x-component/)
  expect(await response.text()).not.toMatch(/^<!DOCTYPE/)
})

test('the 404 page preloads the same fonts as any other page', async ({ request }) => {
  const fontsOf = async (path: string) =>
    [...(await (await request.get(path)).text()).matchAll(/<link rel="preload"[^>]* as="font"[^>]*>/g)].map(
      ([tag]) => /href="([^"]+)"/.exec(tag)?.[1],
    )
  const expected = await fontsOf('/signed-out')
  expect(expected.length).toBeGreaterThan(0)
  for (const path of ['/no-such-page', `/connect/${id}`]) expect(await fontsOf(path), path).toEqual(expected)
  for (const path of expected) expect((await request.get(path ?? '')).status()).toBe(200)
})
