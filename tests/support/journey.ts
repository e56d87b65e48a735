import AxeBuilder from '@axe-core/playwright'
import { test as base, expect, type Page } from '@playwright/test'

export { expect }

interface Fixtures {
  /** The production build. */
  appUrl: string
  /** The development server, for pages that exist only there. */
  devUrl: string
  password: string
  /** Where this test's requests come from, as far as the app can see: tries are counted by address. */
  address: string
  /** What the page complained about so far. A test that provokes a complaint takes it out. */
  complaints: string[]
}

/** Every journey also fails on an error in the console, an exception in the page, or a breach of the page's own policy. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  appUrl: async ({}, use) => use(process.env.APP_URL ?? ''),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  devUrl: async ({}, use) => use(process.env.DEV_URL ?? ''),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  password: async ({}, use) => use(process.env.DEV_PASSWORD ?? ''),
  baseURL: async ({ appUrl }, use) => use(appUrl),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter list
  address: async ({}, use) => use(someAddress()),
  extraHTTPHeaders: async ({ address }, use) => use({ 'x-forwarded-for': address }),
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await use(complaints)
      // A page that answers 401 or 404 is logged by the browser as an error, and is often the very thing under test. A
      // mail is shown in a frame without scripts, into which Playwright tries to put its own.
      const harmless = /^Failed to load resource|^Blocked script execution in 'about:srcdoc'/
      expect(complaints.filter((text) => !harmless.test(text))).toEqual([])
    },
    { auto: true },
  ],
})

/** One of the addresses that belong to nobody. */
export function someAddress(): string {
  const part = () => Math.floor(Math.random() * 256)
  return `198.18.${part()}.${part()}`
}

export async function expectAccessible(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([])
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
