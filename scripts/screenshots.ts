// npm run screenshots: every page in both themes, wide and narrow, into .data/screenshots. Review them before a page is
// done. Needs a production build. A module lists its pages in its screenshots.ts; those that nobody lists are taken as an admin
// sees them, as page-…. "-- account" takes only those whose name begins with "account". "-- --readme" replaces the pictures of
// the product in docs/images and in `_images` of modules; build again afterwards.
import { globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import config from '../playwright.config.ts'
import { appSlug } from '../src/brand.ts'
import setup from '../tests/app/support/e2e-setup.ts'
import { randomIp, startSession, waitForHydration } from '../tests/app/support/e2e-test.ts'
import { fillPath, makePageSamples, owners, pathsOf } from '../tests/app/support/page-samples.ts'
import {
  fillAndSubmit,
  newAda,
  openEmailLink,
  type Screenshot,
  signInTo,
  waitForAlert,
  waitForStatus,
} from '../tests/app/support/screenshots.ts'
import { type RunningServer, startServer } from '../tests/app/support/server.ts'
import { takeEmailScreenshots } from './email-screenshots.ts'
import { findFreePort } from './ports.ts'
import { root } from './root.ts'
import { showUsage } from './show-usage.mjs'

showUsage('npm run screenshots [-- <name prefix> …] [--readme]')

const out = join(root, '.data', 'screenshots')
mkdirSync(out, { recursive: true })
const teardown = await setup()
const { APP_URL: app = '', DEV_URL: dev = '', DEV_PASSWORD: password = '' } = process.env
const browser = await chromium.launch(config.use?.launchOptions)

const signIn = (page: Page) => signInTo(page, 'editor@example.com', password)
/** A server without its database, for the pages it then shows. */
let outage: Promise<RunningServer> | undefined
const startOutage = async () =>
  startServer('start', {
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await findFreePort()}/none`,
    AUTH_SECRET: 'only-for-screenshots-0123456789-abcdef',
  })
const newUser = () => ({ Name: 'Ada', Email: `ada-${Date.now()}@example.com`, Password: 'a long walk by the sea' })
/** Each page, with the steps before the screenshot. */
const pages: Screenshot[] = [
  { name: 'start', url: `${app}/` },
  { name: 'welcome-development', url: `${dev}/welcome` },
  { name: 'signin', url: `${app}/signin` },
  { name: 'signin-development', url: `${dev}/signin` },
  {
    name: 'signin-refused',
    url: `${app}/signin`,
    after: async (page) => {
      await fillAndSubmit(page, { Email: 'nobody@example.com', Password: 'wrong' })
      await waitForAlert(page)
    },
  },
  { name: 'signup', url: `${app}/signup` },
  {
    name: 'signup-refused',
    url: `${app}/signup`,
    after: async (page) => {
      await fillAndSubmit(page, { ...newUser(), Email: 'ada', Password: 'password1234' })
      await waitForAlert(page)
    },
  },
  {
    name: 'signup-sent',
    url: `${app}/signup`,
    after: async (page) => {
      await fillAndSubmit(page, newUser())
      await waitForStatus(page)
    },
  },
  {
    name: 'verify',
    url: `${app}/signup`,
    after: async (page) => {
      const ada = newUser()
      await fillAndSubmit(page, ada)
      await waitForStatus(page)
      await openEmailLink(page, ada.Email, 'Confirm your email')
    },
  },
  {
    name: 'verify-elsewhere',
    url: `${app}/signup`,
    after: async (page) => {
      const ada = newUser()
      await fillAndSubmit(page, ada)
      await waitForStatus(page)
      await page.context().clearCookies()
      await openEmailLink(page, ada.Email, 'Confirm your email')
    },
  },
  { name: 'verify-gone', url: `${app}/verify?token=x` },
  { name: 'forgot', url: `${app}/forgot` },
  {
    name: 'forgot-sent',
    url: `${app}/forgot`,
    after: async (page) => {
      await fillAndSubmit(page, { Email: 'editor@example.com' })
      await waitForStatus(page)
    },
  },
  {
    name: 'reset',
    url: `${app}/forgot`,
    after: (page) => openEmailLink(page, 'editor@example.com', 'Reset your password'),
  },
  { name: 'reset-gone', url: `${app}/reset?token=x` },
  { name: 'signed-out', url: `${app}/signed-out` },
  { name: 'dashboard', url: `${app}/dashboard`, before: signIn },
  { name: 'connect', url: `${app}/connect/google`, before: signIn },
  { name: 'connect-done', url: `${app}/connect/google?done`, before: signIn },
  { name: 'not-found', url: `${app}/no-such-page` },
  { name: 'not-found-signed-in', url: `${app}/no-such-page`, before: signIn },
  {
    name: 'unavailable',
    url: `${app}/`,
    after: async (page) => {
      outage ??= startOutage()
      const { url } = await outage
      await page.context().addCookies([{ name: `${appSlug}.session`, value: 'x'.repeat(43), url }])
      await page.goto(`${url}/dashboard`)
    },
  },
  {
    name: 'offline',
    url: `${app}/dashboard`,
    before: signIn,
    after: async (page) => {
      await page.context().setOffline(true)
      await page.getByText('You’re offline').waitFor()
    },
  },
  {
    name: 'stand-in',
    url: `${app}/signin`,
    after: async (page) => {
      await page.getByRole('button', { name: 'Continue with Google' }).click()
      await page.getByRole('heading', { name: 'Sign in as…' }).waitFor()
    },
  },
  { name: 'interface', url: `${dev}/dev/ui` },
  { name: 'emails', url: `${dev}/dev/emails` },
  { name: 'emails-dark', url: `${dev}/dev/emails?view=dark` },
  { name: 'routes', url: `${dev}/dev/routes` },
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
const prefixes = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isForReadme = process.argv.includes('--readme')
const isSelected = ({ name, picture }: Screenshot) =>
  isForReadme ? picture !== undefined : prefixes.length === 0 || prefixes.some((word) => name.startsWith(word))

/** Writes the picture to each file of that name, in the format of the file. It has two pixels for each of the page. */
async function replacePictures(name: string, png: Buffer): Promise<void> {
  for (const file of globSync(`{docs/images,src/app/*/_images}/${name}.{png,avif}`, { cwd: root })) {
    const picture = file.endsWith('.avif')
      ? sharp(png).avif({ quality: 50, effort: 6 })
      : sharp(png).resize({ width: 1280 }).png({ palette: true })
    await picture.toFile(join(root, file))
    console.log(`Replaced ${file}`)
  }
}

/** Pages that need a setting, or lead elsewhere. */
const withoutPicture = [
  '/account',
  '/admin',
  '/connect/[provider]',
  '/o/[scope]',
  '/signin/set-up',
  ...pathsOf('(content)').filter((path) => path.startsWith('/o/')),
]
const visited = new Set<string>()
const missing = new Set<string>()

/** The pages of which there is no picture yet, as an admin sees them. */
function findOtherPages(): Screenshot[] {
  const paths = owners.flatMap(pathsOf).filter((path) => !withoutPicture.includes(path))
  const parametersIn = (path: string) => path.split('[').length
  const patternOf = (visitedPath: string) =>
    paths
      .filter((path) => new RegExp(`^${path.replaceAll(/\[\w+\]/g, '[^/]+')}$`).test(visitedPath))
      .toSorted((a, b) => parametersIn(a) - parametersIn(b))[0]
  const seen = new Set([...visited].map(patternOf))
  return paths
    .filter((path) => !seen.has(path))
    .map((path) => ({
      name: `page${path.replaceAll(/\[(\w+)\]/g, '$1').replaceAll('/', '-')}`,
      url: `${app}/dashboard`,
      before: async (page) => startSession(page, await newAda({ role: 'admin' }), password),
      after: async (page) => {
        const { user } = await (await page.request.get('/api/auth/session')).json()
        const filled = fillPath(path, await makePageSamples(user.id))
        const status = (await page.goto(filled))?.status()
        if (status !== 200 || new URL(page.url()).pathname !== filled.split('?')[0])
          missing.add(`No picture of ${path}: it is in no screenshots.ts, and an admin gets ${status} ${page.url()}`)
        await waitForHydration(page)
      },
    }))
}

async function take(shots: Screenshot[]): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of isForReadme ? [1280] : [1280, 390]) {
      for (const { name, url, picture, before, after } of shots) {
        const context = await browser.newContext({
          baseURL: app,
          colorScheme,
          // Menus and dialogs as they are when they have opened.
          reducedMotion: 'reduce',
          viewport: { width, height: 800 },
          deviceScaleFactor: isForReadme ? 2 : 1,
          extraHTTPHeaders: { 'x-forwarded-for': randomIp() },
        })
        const page = await context.newPage()
        page.on('framenavigated', (frame) => visited.add(new URL(frame.url()).pathname))
        await before?.(page)
        await page.goto(url)
        await waitForHydration(page)
        await after?.(page)
        if (isForReadme) await replacePictures(`${picture}-${colorScheme}`, await page.screenshot())
        else
          await page.screenshot({
            path: join(out, `${name}-${colorScheme}-${width}.png`),
            fullPage: true,
            // Also what is laid out only when it is scrolled to.
            style: '* { content-visibility: visible !important; }',
          })
        await context.close()
      }
    }
  }
}

try {
  await take(pages.filter(isSelected))
  if (!isForReadme && prefixes.length === 0) await take(findOtherPages())
  if (isSelected({ name: 'email-samples', url: dev })) await takeEmailScreenshots(browser, dev, out)
} finally {
  await browser.close()
  await (await outage)?.stop()
  await teardown()
}

for (const problem of missing) console.error(problem)
if (missing.size > 0) process.exitCode = 1
if (!isForReadme) console.log(`Saved screenshots to ${out}`)
