import AxeBuilder from '@axe-core/playwright'
import { test as base, expect, type Page } from '@playwright/test'
import { randomIp } from './random-ip.ts'

export { expect, randomIp }

interface Fixtures {
  /** The production build. */
  appUrl: string
  /** The development server, for pages that only exist there. */
  devUrl: string
  password: string
  /** The client IP of this test, sent as X-Forwarded-For. Each test has its own, because rate limits count by IP. */
  clientIp: string
  /** Console errors and exceptions of the page so far. A test that expects one must remove it from the array. */
  pageErrors: string[]
}

/** Every e2e test also fails on a console error, an uncaught exception in the page, or a CSP violation. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  appUrl: async ({}, use) => use(process.env.APP_URL ?? ''),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  devUrl: async ({}, use) => use(process.env.DEV_URL ?? ''),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  password: async ({}, use) => use(process.env.DEV_PASSWORD ?? ''),
  baseURL: async ({ appUrl }, use) => use(appUrl),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  clientIp: async ({}, use) => use(randomIp()),
  extraHTTPHeaders: async ({ clientIp }, use) => use({ 'x-forwarded-for': clientIp }),
  pageErrors: [
    async ({ page }, use) => {
      const pageErrors: string[] = []
      page.on('pageerror', (error) => pageErrors.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') pageErrors.push(message.text())
      })
      await use(pageErrors)
      // Browsers log a 401 or 404 response as an error, but tests often expect it. /dev/inbox and
      // /dev/emails show an email in a frame without scripts, into which Playwright tries to inject its own.
      const ignored = /^Failed to load resource|^Blocked script execution in 'about:srcdoc'/
      expect(pageErrors.filter((text) => !ignored.test(text))).toEqual([])
    },
    { auto: true },
  ],
})

/**
 * Waits until React handles the page: until then a click loads a page, and what is typed can be lost. Resolves at once
 * without JavaScript. If a navigation replaces the page meanwhile, waits for the new one. The quiet of the network would say
 * less, and takes half a second to notice.
 */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await expect.poll(() => page.evaluate(findUnhydrated).catch(String), { intervals: [10, 20, 50, 100] }).toEqual([])
}

/** The controls that React does not handle yet. When there are none, waits for the effects, which run after the next frame. */
async function findUnhydrated(): Promise<string[]> {
  if (!('__next_f' in window)) return []
  const react = (element: Element, kind: string) =>
    Object.entries(element).find(([key]) => key.startsWith(`__react${kind}$`))?.[1]
  const isRawHtml = (element: Element | null): boolean =>
    !!element && (react(element, 'Props')?.dangerouslySetInnerHTML || isRawHtml(element.parentElement))
  const found = [
    ...document.querySelectorAll('form, a[href], button, input:not([type=hidden]), select, textarea'),
  ].filter((element) => !react(element, 'Fiber') && !isRawHtml(element))
  if (found.length === 0) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  return found.map((element) => element.outerHTML.slice(0, 150))
}

/** Checks the page, and then its colors in the other theme: everything else is the same in both. */
export async function expectAccessible(page: Page): Promise<void> {
  await waitForHydration(page)
  // The newer mode opens another page for each analysis, for the sake of frames of other origins. There are none.
  const axe = () => new AxeBuilder({ page }).setLegacyMode()
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  await expectNoViolations(axe().withTags(tags))
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  const [theme, other] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  await page.emulateMedia({ colorScheme: other })
  await expectNoViolations(axe().withRules(['color-contrast', 'link-in-text-block']))
  await page.emulateMedia({ colorScheme: theme })
}

async function expectNoViolations(axe: AxeBuilder): Promise<void> {
  const { violations } = await axe.analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([])
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs out with the button in the account menu of the sidebar. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Account menu$/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
}

/** Signs the browser in through the API, without the sign-in page, which has its own tests. Opens no page. */
export async function startSession(page: Page, email: string, password: string): Promise<void> {
  const response = await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
  expect(await response.json()).toMatchObject({ user: { email } })
}

/** Opens the page, wide and narrow, and expects that nothing moves while it loads. */
export async function expectNoLayoutShift(page: Page, path: string): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(path, { waitUntil: 'networkidle' })
    const shifts = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const found: string[] = []
          const observer = new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as (PerformanceEntry & { sources: { node?: Node }[] })[])
              found.push(
                ...entry.sources.map(({ node }) => (node as Element | undefined)?.outerHTML?.slice(0, 150) ?? '?'),
              )
          })
          observer.observe({ type: 'layout-shift', buffered: true })
          setTimeout(() => resolve(found), 200)
        }),
    )
    expect(shifts, `${path} at ${width} px`).toEqual([])
  }
}
