import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { root } from '../../../scripts/root.ts'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'

const barOf = (page: Page) => page.getByRole('complementary', { name: 'Development' })

const emailOfSession = async (page: Page, url: string) =>
  (await (await page.request.get(`${url}/api/auth/session`)).json())?.user.email

/** Puts an email into the inbox that all tests share. Returns its subject. */
function putEmail(): string {
  const subject = `A subject ${crypto.randomUUID()}`
  const id = `${Date.now()}-${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}`
  const lines = [
    'From: plinth@example.com',
    'To: reader@example.com',
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary="part"',
    '',
    '--part',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'The plain text of it.',
    '--part',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<html><head></head><body><p>As HTML: <a href="https://example.com/a?b=1&amp;c=2">a link</a></p></body></html>',
    '--part--',
    '',
  ]
  writeFileSync(join(process.env.DEV_INBOX ?? '', `${id}.eml`), lines.join('\r\n'))
  return subject
}

/** Polls, because the development server can send the styles after the page. */
const expectNoOverflow = (page: Page) =>
  expect.poll(() => page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth)).toBeLessThanOrEqual(0)

test('the start page shows what the doctor finds, and opens files in the editor', async ({ page, devUrl }) => {
  await page.goto(`${devUrl}/welcome`)
  const checklist = page.getByRole('region', { name: 'Checklist' })
  await expect(checklist).toContainText('No problems')
  await expect(checklist).toContainText('Settings are valid for development')
  await expect(checklist).toContainText(/Connected to PostgreSQL \d+/)
  await expect(checklist).toContainText('All migrations are applied')
  await expect(checklist).toContainText('Emails are stored in the development inbox')
  await expect(checklist).toContainText('Sign-in with Google and GitHub uses stand-ins')
  const styles = page.getByRole('link', { name: 'src/app/globals.css' })
  await expect(styles).toHaveAttribute('href', /^vscode:\/\/file\/.+\/src\/app\/globals\.css$/)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(`on a phone ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
    test.use({ javaScriptEnabled, viewport: { width: 390, height: 800 } })

    test('one click signs in as a seeded user, and another one as the next', async ({ page, devUrl }) => {
      await page.goto(`${devUrl}/welcome`)
      await expectNoOverflow(page)
      await page.getByRole('button', { name: 'Sign in as Edith Editor' }).click()
      await expect(page).toHaveURL(`${devUrl}/dashboard`)
      expect(await emailOfSession(page, devUrl)).toBe('editor@example.com')

      await page.goto(`${devUrl}/search?q=x`)
      await barOf(page).getByRole('button', { name: 'Users' }).click()
      await barOf(page).getByRole('button', { name: 'Victor Viewer' }).click()
      // The same page, as the other user.
      await expect.poll(() => emailOfSession(page, devUrl)).toBe('viewer@example.com')
      await expect(page).toHaveURL(`${devUrl}/search?q=x`)
    })

    test('the inbox shows an email as HTML, text, source and links, and finds it by a word', async ({
      page,
      devUrl,
    }) => {
      const subject = putEmail()
      const list = page.getByRole('list', { name: 'Emails' })
      await page.goto(`${devUrl}/dev/inbox`)
      await page.getByLabel('Search emails').fill(subject)
      await page.getByRole('button', { name: 'Search' }).click()
      await expect(list.getByRole('link')).toHaveCount(1)
      await expect(list).toContainText('Unread')
      await list.getByRole('link', { name: subject }).click()
      const email = page.getByRole('article', { name: subject })
      await expect(email.frameLocator('iframe').getByRole('link', { name: 'a link' })).toBeVisible()
      await expect(list).not.toContainText('Unread')
      await expectNoOverflow(page)

      await email.getByRole('link', { name: 'Phone' }).click()
      await expect(email.locator('iframe')).toHaveCSS('max-width', '390px')
      await email.getByRole('link', { name: 'Text' }).click()
      await expect(email.locator('pre')).toContainText('The plain text of it.')
      await email.getByRole('link', { name: 'Source' }).click()
      await expect(email.locator('pre')).toContainText('MIME-Version: 1.0')
      await expectNoOverflow(page)
      await email.getByRole('link', { name: 'Links' }).click()
      await expect(email.getByRole('link', { name: 'https://example.com/a?b=1&c=2' })).toBeVisible()

      await page.goto(`${devUrl}/dev/inbox?q=${crypto.randomUUID()}`)
      await expect(page.getByText('No emails match')).toBeVisible()
    })
  })
}

test('an open email passes axe', async ({ page, devUrl }) => {
  const subject = putEmail()
  await page.goto(`${devUrl}/dev/inbox?q=${encodeURIComponent(subject)}`)
  await page.getByRole('link', { name: subject }).click()
  for (const view of ['Text', 'Links']) {
    await page.getByRole('article', { name: subject }).getByRole('link', { name: view }).click()
    // axe can’t run in the frame with the HTML, which allows no scripts.
    await expect(page.locator('iframe')).toHaveCount(0)
    await expectAccessible(page)
  }
})

test('an email that arrives is counted in the development bar of an open page', async ({ page, devUrl }) => {
  const countUnread = async () => {
    const text = await barOf(page).getByRole('link', { name: 'Inbox' }).innerText()
    return Number(/\d+/.exec(text)?.[0] ?? 0)
  }
  // The development server compiles the route at the first request.
  const firstCount = page.waitForResponse(`${devUrl}/dev/inbox/unread`)
  await page.goto(`${devUrl}/welcome`)
  await firstCount
  const before = await countUnread()
  putEmail()
  await expect.poll(countUnread).toBeGreaterThan(before)
})

test('the development bar leads to every page of development', async ({ page, devUrl }) => {
  await page.goto(`${devUrl}/welcome`)
  const links = await barOf(page).getByRole('link').all()
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')))
  expect(paths).toEqual(expect.arrayContaining(['/welcome', '/dev/inbox', '/dev/routes', '/dev/ui']))
  for (const path of paths) expect((await page.request.get(`${devUrl}${path}`)).status(), path ?? '').toBe(200)
})

test('only a form of this app signs in with one click, and only as a seeded user', async ({ page, devUrl }) => {
  const post = async (email: string, headers: Record<string, string>) =>
    (await page.request.post(`${devUrl}/dev/sign-in`, { form: { email }, headers, maxRedirects: 0 })).status()
  const crossSite = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
  const sameOrigin = { Origin: devUrl, 'Sec-Fetch-Site': 'same-origin' }
  expect(await post('admin@example.com', crossSite)).toBe(403)
  expect(await post('someone@example.com', sameOrigin)).toBe(422)
  expect(await emailOfSession(page, devUrl)).toBeUndefined()
  expect(await post('admin@example.com', sameOrigin)).toBe(303)
})

/** Texts of the code that only development may have, one from each part. */
const markers = [
  'vscode://file',
  '/dev/sign-in',
  '/dev/inbox',
  '/dev/routes',
  '/dev/welcome',
  'DEV_INBOX',
  'development-users',
  'openedEmails',
  'Checked just now',
  'Dev only',
]

test('a site that points its own host name at this machine gets nothing from the development server', async ({
  request,
  devUrl,
}) => {
  for (const path of ['/signin', '/dev/inbox', '/api/auth/session']) {
    const response = await request.get(devUrl + path, { headers: { Host: 'evil.example' } })
    expect([path, response.status()]).toEqual([path, 403])
    expect(await response.text()).toContain('DEV_HOSTS=evil.example')
  }
})

test('nothing of development is in the production build', async ({ request }) => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const sources = [
    'next.config.ts',
    ...globSync('src/app/{dev/**/*.{ts,tsx},signin/one-click-sign-in.tsx}', { cwd: root }),
  ]
    .map(read)
    .join('\n')
  expect(
    markers.filter((text) => !sources.includes(text)),
    'markers that the source does not have',
  ).toEqual([])

  const built = globSync(['.next/*.json', '.next/{server,static}/**/*.{html,js,json,rsc}'], { cwd: root }).filter(
    (file) => statSync(join(root, file)).isFile(),
  )
  expect(built.length).toBeGreaterThan(100)
  // Not the lists of files that a server needs, which name folders that a page reads from.
  const found = built
    .filter((file) => !file.endsWith('.nft.json'))
    .flatMap((file) => markers.filter((text) => read(file).includes(text)).map((text) => `${file}: ${text}`))
  expect(found).toEqual([])

  const pages = globSync('src/app/dev/**/{page,route}.dev.{ts,tsx}', { cwd: root })
  expect(pages.length).toBeGreaterThan(4)
  for (const file of pages) {
    const path = file.replaceAll('\\', '/').replace(/^src\/app|\/(page|route)\.dev\.tsx?$/g, '')
    expect((await request.get(path)).status(), path).toBe(404)
    expect([404, 405], path).toContain((await request.post(path)).status())
  }
})
