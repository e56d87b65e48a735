// npm run screenshots: every page in both themes, wide and narrow, into .data/screenshots. Look at them before you call
// a page done. Needs a production build. The pictures in docs/images are made here too.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import config from '../playwright.config.ts'
import { linkIn, mailTo } from '../tests/support/inbox.ts'
import { someAddress } from '../tests/support/journey.ts'
import setup from '../tests/support/journey-setup.ts'
import { root } from './root.ts'

const out = join(root, '.data', 'screenshots')
mkdirSync(out, { recursive: true })
const teardown = await setup()
const { APP_URL: app = '', DEV_URL: dev = '', DEV_PASSWORD: password = '' } = process.env
const browser = await chromium.launch(config.use?.launchOptions)

/** Fills in the page's form and sends it. */
async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
  await page.locator('main form').last().locator('[type="submit"]').click()
}
const refused = (page: Page) => page.getByRole('main').getByRole('alert').waitFor()
const answered = (page: Page) => page.getByRole('main').getByRole('status').waitFor()
const signIn = async (page: Page) => {
  await page.goto(`${app}/signin`)
  await fill(page, { 'E-mail': 'editor@example.com', Password: password })
  await page.waitForURL('**/dashboard')
}
const newcomer = () => ({ Name: 'Ada', 'E-mail': `ada-${Date.now()}@example.com`, Password: 'a long walk by the sea' })
/** A link of a mail that was just sent. */
const follow = async (page: Page, address: string, subject: string) =>
  void (await page.goto(linkIn(await mailTo(address, subject))))

/** Each page, and what to do there before the picture is taken. */
const pages: {
  name: string
  url: string
  before?: (page: Page) => Promise<void>
  after?: (page: Page) => Promise<void>
}[] = [
  { name: 'start', url: `${app}/` },
  { name: 'welcome', url: `${app}/welcome` },
  { name: 'welcome-development', url: `${dev}/welcome` },
  { name: 'signin', url: `${app}/signin` },
  { name: 'signin-development', url: `${dev}/signin` },
  {
    name: 'signin-refused',
    url: `${app}/signin`,
    after: async (page) => {
      await fill(page, { 'E-mail': 'nobody@example.com', Password: 'wrong' })
      await refused(page)
    },
  },
  { name: 'signup', url: `${app}/signup` },
  {
    name: 'signup-refused',
    url: `${app}/signup`,
    after: async (page) => {
      await fill(page, { ...newcomer(), 'E-mail': 'ada', Password: 'password1234' })
      await refused(page)
    },
  },
  {
    name: 'signup-sent',
    url: `${app}/signup`,
    after: async (page) => {
      await fill(page, newcomer())
      await answered(page)
    },
  },
  {
    name: 'verify',
    url: `${app}/signup`,
    after: async (page) => {
      const ada = newcomer()
      await fill(page, ada)
      await answered(page)
      await follow(page, ada['E-mail'], 'Confirm your e-mail address')
    },
  },
  {
    name: 'verify-elsewhere',
    url: `${app}/signup`,
    after: async (page) => {
      const ada = newcomer()
      await fill(page, ada)
      await answered(page)
      await page.context().clearCookies()
      await follow(page, ada['E-mail'], 'Confirm your e-mail address')
    },
  },
  { name: 'verify-gone', url: `${app}/verify?token=x` },
  { name: 'forgot', url: `${app}/forgot` },
  {
    name: 'forgot-sent',
    url: `${app}/forgot`,
    after: async (page) => {
      await fill(page, { 'E-mail': 'editor@example.com' })
      await answered(page)
    },
  },
  {
    name: 'reset',
    url: `${app}/forgot`,
    after: (page) => follow(page, 'editor@example.com', 'Choose a new password'),
  },
  { name: 'reset-gone', url: `${app}/reset?token=x` },
  { name: 'signed-out', url: `${app}/signed-out` },
  { name: 'dashboard', url: `${app}/dashboard`, before: signIn },
  { name: 'connect', url: `${app}/connect/google`, before: signIn },
  { name: 'connect-done', url: `${app}/connect/google?done`, before: signIn },
  { name: 'not-found', url: `${app}/no-such-page` },
  { name: 'interface', url: `${dev}/dev/ui` },
  {
    name: 'inbox',
    url: `${dev}/dev/inbox`,
    after: async (page) => {
      await page.getByRole('main').getByRole('link').first().click()
      await page.frameLocator('iframe').locator('p').first().waitFor()
    },
  },
]

try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      for (const { name, url, before, after } of pages) {
        const context = await browser.newContext({
          baseURL: app,
          colorScheme,
          viewport: { width, height: 800 },
          extraHTTPHeaders: { 'x-forwarded-for': someAddress() },
        })
        const page = await context.newPage()
        await before?.(page)
        await page.goto(url, { waitUntil: 'networkidle' })
        await after?.(page)
        await page.screenshot({ path: join(out, `${name}-${colorScheme}-${width}.png`), fullPage: true })
        if (name === 'start' && width === 1280) await page.screenshot({ path: join(out, `readme-${colorScheme}.png`) })
        await context.close()
      }
    }
  }
} finally {
  await browser.close()
  await teardown()
}

const images = join(root, 'docs', 'images')
if (process.argv.includes('--readme') && existsSync(join(out, 'readme-light.png'))) {
  mkdirSync(images, { recursive: true })
  for (const theme of ['light', 'dark'])
    copyFileSync(join(out, `readme-${theme}.png`), join(images, `start-${theme}.png`))
}
console.log(`Pictures are in ${out}`)
