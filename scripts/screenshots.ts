// npm run screenshots: every page in both themes, wide and narrow, into .data/screenshots. Look at them before you call
// a page done. Needs a production build. The pictures in docs/images are made here too. A module's own pages are listed in
// its screenshots.ts. "-- account" takes only those whose name begins so.
import { copyFileSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from '@playwright/test'
import config from '../playwright.config.ts'
import { someAddress } from '../tests/support/journey.ts'
import setup from '../tests/support/journey-setup.ts'
import { answered, fill, follow, refused, type Shot, signInTo } from '../tests/support/shots.ts'
import { root } from './root.ts'

const out = join(root, '.data', 'screenshots')
mkdirSync(out, { recursive: true })
const teardown = await setup()
const { APP_URL: app = '', DEV_URL: dev = '', DEV_PASSWORD: password = '' } = process.env
const browser = await chromium.launch(config.use?.launchOptions)

const signIn = (page: Page) => signInTo(page, 'editor@example.com', password)
const newcomer = () => ({ Name: 'Ada', 'E-mail': `ada-${Date.now()}@example.com`, Password: 'a long walk by the sea' })
/** Each page, and what to do there before the picture is taken. */
const pages: Shot[] = [
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

for (const file of globSync('src/app/*/screenshots.ts', { cwd: root })) {
  const { shots } = await import(pathToFileURL(join(root, file)).href)
  pages.push(...shots(app, password))
}
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isWanted = (name: string) => wanted.length === 0 || wanted.some((word) => name.startsWith(word))

try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      for (const { name, url, before, after } of pages.filter((shot) => isWanted(shot.name))) {
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
