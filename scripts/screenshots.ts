// npm run screenshots: every page in both themes, wide and narrow, into .data/screenshots. Look at them before you call
// a page done. Needs a production build. The pictures in docs/images are made here too.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import config from '../playwright.config.ts'
import setup from '../tests/support/journey-setup.ts'
import { root } from './root.ts'

const out = join(root, '.data', 'screenshots')
mkdirSync(out, { recursive: true })
const teardown = await setup()
const { APP_URL: app = '', DEV_URL: dev = '', DEV_PASSWORD: password = '' } = process.env
const browser = await chromium.launch(config.use?.launchOptions)

const pages = [
  { name: 'start', url: `${app}/` },
  { name: 'welcome', url: `${app}/welcome` },
  { name: 'welcome-development', url: `${dev}/welcome` },
  { name: 'signin', url: `${app}/signin` },
  { name: 'signin-development', url: `${dev}/signin` },
  { name: 'signin-refused', url: `${app}/signin`, refuse: true },
  { name: 'dashboard', url: `${app}/dashboard`, signedIn: true },
  { name: 'not-found', url: `${app}/no-such-page` },
  { name: 'interface', url: `${dev}/dev/ui` },
]

try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const context = await browser.newContext({ baseURL: app, colorScheme, viewport: { width, height: 800 } })
      const page = await context.newPage()
      for (const { name, url, refuse, signedIn } of pages) {
        if (refuse || signedIn) {
          await page.goto(`${app}/signin`)
          await page.getByLabel('E-mail').fill('editor@example.com')
          await page.getByLabel('Password').fill(signedIn ? password : 'wrong')
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page.waitForURL(signedIn ? '**/dashboard' : '**/signin')
          if (refuse) await page.getByRole('main').getByRole('alert').waitFor()
        } else await page.goto(url, { waitUntil: 'networkidle' })
        await page.screenshot({ path: join(out, `${name}-${colorScheme}-${width}.png`), fullPage: true })
        if (signedIn) await context.clearCookies()
        if (name === 'start' && width === 1280) await page.screenshot({ path: join(out, `readme-${colorScheme}.png`) })
      }
      await context.close()
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
