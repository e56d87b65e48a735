import type { Page } from '@playwright/test'
import { elsewhere, enterAsSomebody } from '../../../tests/support/enter.ts'
import { expect, expectAccessible, signIn, test } from '../../../tests/support/journey.ts'
import type { Kind } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'

const enterAs = (role: Kind['role'], page: Page, password: string) => enterAsSomebody(page, password, { role })

/** Begins a post, and returns its address for editors. */
async function begin(page: Page, title: string): Promise<string> {
  await page.goto('/content')
  await page.getByLabel('New post').fill(title)
  await page.getByRole('button', { name: 'Begin' }).click()
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  return new URL(page.url()).pathname
}

const text = (page: Page) => page.getByLabel('Text', { exact: true })
const standing = (page: Page) =>
  page
    .locator('form')
    .filter({ has: text(page) })
    .getByRole('status')
const someTitle = (about: string) => `${about} ${crypto.randomUUID().slice(0, 8)}`
const slugOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an editor writes, saves and publishes, and everybody reads it', async ({ page, password, appUrl }) => {
      await enterAs('editor', page, password)
      const title = someTitle('Sea and stones')
      const address = await begin(page, title)
      await text(page).fill('# Waves\n\nThey **come** and go.')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.goto(address)
      await expect(text(page)).toHaveValue('# Waves\n\nThey **come** and go.')
      const reader = await elsewhere(page, appUrl)
      expect((await reader.goto(`/posts/${slugOf(title)}`))?.status()).toBe(404)

      await page.getByLabel('Tags').fill(`sea, ${slugOf(title)}`)
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await expect(page.getByText('Published', { exact: true })).toBeVisible()
      await reader.goto('/posts')
      await reader.getByRole('link', { name: title }).click()
      await expect(reader.getByRole('heading', { level: 1, name: title })).toBeVisible()
      await expect(reader.getByRole('heading', { level: 2, name: 'Waves' })).toBeVisible()
      await expect(reader.locator('strong')).toHaveText('come')
      await reader
        .getByRole('list', { name: 'Tags' })
        .getByRole('link', { name: slugOf(title) })
        .click()
      await expect(reader.getByRole('link', { name: title })).toBeVisible()
      await reader.getByLabel('Search posts').fill(`stone ${title.split(' ').at(-1)}`)
      await reader.getByRole('button', { name: 'Search' }).click()
      await expect(reader.getByText('Found for')).toBeVisible()
      await expect(reader.getByRole('link', { name: title })).toBeVisible()

      await page.getByRole('button', { name: 'Unpublish' }).click()
      await expect(page.getByText('Draft', { exact: true })).toBeVisible()
      expect((await reader.goto(`/posts/${slugOf(title)}`))?.status()).toBe(404)
    })

    test('of two editors the second is asked whose text goes on, and both texts stay', async ({
      page,
      password,
      appUrl,
    }) => {
      await enterAs('editor', page, password)
      const address = await begin(page, someTitle('Two at once'))
      const other = await elsewhere(page, appUrl)
      await enterAs('editor', other, password)
      await other.goto(address)
      for (const choice of ['mine', 'theirs']) {
        await page.goto(address)
        await other.goto(address)
        const [first, second] = [`first before ${choice}`, `second before ${choice}`]
        await text(page).fill(first)
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await expect(page.getByRole('link', { name: /^Version/ })).toBeVisible()
        await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeEnabled()
        if (javaScriptEnabled) await expect(standing(page)).toHaveText(/^Saved/)
        await text(other).fill(second)
        await other.getByRole('button', { name: 'Save', exact: true }).click()
        await expect(other.getByText('This post was changed elsewhere since you opened it.')).toBeVisible()
        await expect(text(other)).toHaveValue(second)
        await other.getByRole('button', { name: `Go on with ${choice === 'mine' ? 'mine' : 'the other'}` }).click()
        await expect(other.getByText('This post was changed elsewhere')).toBeHidden()
        await expect(text(other)).toHaveValue(choice === 'mine' ? second : first)
        const id = address.split('/').at(-1)
        const bodies = await query<{ body: string }>('select body from content_revisions where post_id = $1', [id])
        expect(bodies.map(({ body }) => body)).toEqual(expect.arrayContaining([first, second]))
      }
      await other.goto(`${address}/versions`)
      await expect(other.getByText('set aside')).toBeVisible()
    })
  })
}

test('what is written is saved by itself, and survives a closed tab, a lost network and an ended session', async ({
  page,
  password,
}) => {
  await enterAs('editor', page, password)
  const address = await begin(page, someTitle('By itself'))
  await text(page).pressSequentially('one ')
  await expect(standing(page)).toHaveText(/^Saved \d\d:\d\d/)
  await page.reload()
  await expect(text(page)).toHaveValue('one ')

  await text(page).press('End')
  await text(page).pressSequentially('two ')
  await page.close()
  const second = await page.context().newPage()
  await second.goto(address)
  await expect(text(second)).toHaveValue('one two ')
  await expect(standing(second)).toHaveText(/^Saved/)

  await second.context().setOffline(true)
  await text(second).press('End')
  await text(second).pressSequentially('three ')
  await expect(standing(second)).toHaveText('Offline. Kept in this browser')
  await second.context().setOffline(false)
  await expect(standing(second)).toHaveText(/^Saved/, { timeout: 15_000 })

  const id = address.split('/').at(-1)
  await query(`delete from sessions where user_id = (select author_id from content_posts where id = $1)`, [id])
  await text(second).press('End')
  await text(second).pressSequentially('four')
  await expect(standing(second)).toContainText('Not saved. Kept in this browser. You are not signed in')
  const [{ email } = { email: '' }] = await query<{ email: string }>(
    'select email from users join content_posts on author_id = users.id where content_posts.id = $1',
    [id],
  )
  await signIn(second, email, password)
  await expect(second).toHaveURL('/dashboard')
  await second.goto(address)
  await expect(text(second)).toHaveValue('one two three four')
  await expect(standing(second)).toHaveText(/^Saved/)
  const [row] = await query<{ body: string }>('select body from content_revisions where post_id = $1', [id])
  expect(row?.body).toBe('one two three four')
})

test('what a browser kept goes when its owner signs out, and not before', async ({ page, password }) => {
  await enterAs('editor', page, password)
  const id = (await begin(page, someTitle('Left behind'))).split('/').at(-1)
  await query(`delete from sessions where user_id = (select author_id from content_posts where id = $1)`, [id])
  await text(page).pressSequentially('for nobody else')
  await expect(standing(page)).toContainText('Not saved. Kept in this browser')
  const other = await page.context().newPage()
  await other.goto('/signin')
  const kept = () => other.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('plinth.')))
  expect(await kept()).toHaveLength(1)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL('/signed-out')
  expect(await kept()).toEqual([])
})

test('a button pressed in the middle of writing publishes all of it, and coming back shows it', async ({
  page,
  password,
}) => {
  await enterAs('editor', page, password)
  const title = someTitle('In a hurry')
  await begin(page, title)
  await text(page).pressSequentially('quick ')
  await page.waitForTimeout(1_050)
  await text(page).pressSequentially('brown fox')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  const [row] = await query<{ html: string }>('select html from content_published where title = $1', [title])
  expect(row?.html).toBe('<p>quick brown fox</p>\n')
  await expect(page.getByText('This post was changed elsewhere')).toBeHidden()

  await text(page).press('End')
  await text(page).pressSequentially(' jumps')
  await expect(standing(page)).toHaveText(/^Saved/)
  await page.getByRole('link', { name: /^Version/ }).click()
  await expect(page.getByRole('heading', { name: 'Versions of' })).toBeVisible()
  await page.goBack()
  await expect(text(page)).toHaveValue('quick brown fox jumps')
  await text(page).press('End')
  await text(page).pressSequentially(' over')
  await expect(standing(page)).toHaveText(/^Saved/)
  // Whoever leaves before the pause is over has saved all the same.
  await text(page).pressSequentially(' it')
  await page.getByRole('link', { name: 'All posts' }).click()
  await expect(page.getByRole('heading', { name: 'Write' })).toBeVisible()
  await expect
    .poll(
      async () =>
        (
          await query<{ body: string }>(
            'select body from content_revisions where title = $1 order by number desc limit 1',
            [title],
          )
        )[0]?.body,
    )
    .toBe('quick brown fox jumps over it')
})

test('without a network a button says so, and the text stays; another window of the same person is not disturbed', async ({
  page,
  password,
}) => {
  await enterAs('editor', page, password)
  const address = await begin(page, someTitle('Two windows'))
  const other = await page.context().newPage()
  await other.goto(address)
  await page.context().setOffline(true)
  await text(page).fill('of the first window')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(standing(page)).toHaveText('Offline. Kept in this browser')
  await expect(text(page)).toHaveValue('of the first window')
  await page.close()
  await other.context().setOffline(false)
  await text(other).fill('of the second window')
  await expect(standing(other)).toHaveText(/^Saved/)
  await other.close()
  const third = await page.context().newPage()
  await third.goto(address)
  await expect(third.getByText('This post was changed elsewhere since you opened it.')).toBeVisible()
  await expect(text(third)).toHaveValue('of the first window')
  await third.getByRole('button', { name: 'Go on with mine' }).click()
  await expect(third.getByText('This post was changed elsewhere')).toBeHidden()
  const id = address.split('/').at(-1)
  const bodies = await query<{ body: string }>(
    'select body from content_revisions where post_id = $1 order by number',
    [id],
  )
  expect(bodies.map(({ body }) => body)).toEqual(['of the second window', 'of the first window'])
})

test('a long text is refused and sent again with what was wrong mended', async ({ page, password }) => {
  await enterAs('editor', page, password)
  await begin(page, someTitle('Long'))
  const long = 'word and word '.repeat(3_300)
  await text(page).fill(long)
  await page.getByLabel('Address').fill('Not An Address')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Use small letters, digits and single hyphens').first()).toBeVisible()
  await page.getByLabel('Address').fill('')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  await expect(text(page)).toHaveValue(long)
  await text(page).fill(long + long)
  await expect(standing(page)).toContainText('This is too long for one post')
})

test('text that a browser kept is not put over what somebody else has saved meanwhile', async ({
  page,
  password,
  appUrl,
}) => {
  await enterAs('editor', page, password)
  const address = await begin(page, someTitle('Kept'))
  await page.context().setOffline(true)
  await text(page).fill('kept')
  await expect(standing(page)).toHaveText('Offline. Kept in this browser')
  await page.close()
  await page.context().setOffline(false)
  const other = await elsewhere(page, appUrl)
  await enterAs('editor', other, password)
  await other.goto(address)
  await text(other).fill('newer')
  await expect(standing(other)).toHaveText(/^Saved/)
  const again = await page.context().newPage()
  await again.goto(address)
  await expect(again.getByText('This post was changed elsewhere since you opened it.')).toBeVisible()
  await expect(text(again)).toHaveValue('kept')
  await again.getByRole('button', { name: 'Go on with the other' }).click()
  await expect(text(again)).toHaveValue('newer')
})

test('versions are compared and gone back to; an address that changes leads to the new one', async ({
  page,
  password,
}) => {
  await enterAs('editor', page, password)
  const title = someTitle('Versions')
  const address = await begin(page, title)
  await text(page).fill('the first text')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  await text(page).fill('the second text')
  await page.getByLabel('Address').fill(`${slugOf(title)}-moved`)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByRole('link', { name: 'Version 2' })).toBeVisible()
  await page.goto(`/posts/${slugOf(title)}`)
  await expect(page).toHaveURL(`/posts/${slugOf(title)}-moved`)

  await page.goto(`${address}/versions`)
  await expectAccessible(page)
  await page.getByRole('link', { name: '1', exact: true }).click()
  await expect(page.locator('del')).toContainText(['first'])
  await expect(page.locator('ins')).toContainText(['second'])
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Go on from version 1' }).click()
  await expect(page.getByText('The old text is the newest version now.')).toBeVisible()
  await expect(text(page)).toHaveValue('the first text')
  await expect(page.getByText('Published, with changes')).toBeVisible()
})

test('a version is published at the time that was chosen', async ({ page, password }) => {
  await enterAs('editor', page, password)
  const title = someTitle('Tomorrow')
  const address = await begin(page, title)
  await page.getByText('Later …').click()
  await page.getByLabel('Publish at (UTC)').fill('2020-01-01T00:00')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await expect(page.getByText('Choose a time to come')).toBeVisible()
  // A field of a browser knows minutes only.
  await page.getByLabel('Publish at (UTC)').evaluate((field: HTMLInputElement) => {
    field.type = 'text'
    field.value = new Date(Date.now() + 4_000).toISOString()
  })
  await page.getByRole('button', { name: 'Schedule' }).click()
  await expect(page.getByText('Scheduled', { exact: true })).toBeVisible()
  await expect(async () => {
    await page.goto(address)
    await expect(page.getByText('Published', { exact: true })).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 30_000 })
  expect((await page.goto(`/posts/${slugOf(title)}`))?.status()).toBe(200)
})

test('a preview link shows the draft to somebody without an account, until it is ended', async ({
  page,
  password,
  appUrl,
}) => {
  await enterAs('editor', page, password)
  await begin(page, someTitle('Not yet'))
  await text(page).fill('secret until now')
  await expect(standing(page)).toHaveText(/^Saved/)
  await page.getByRole('button', { name: 'Make a link' }).click()
  const link = await page.locator('code').filter({ hasText: '/posts/preview?token=' }).innerText()
  const reader = await elsewhere(page, appUrl)
  await reader.goto(link)
  await expect(reader.getByText('secret until now')).toBeVisible()
  await expect(reader.locator('meta[name="robots"]')).toHaveAttribute('content', /noindex/)
  await expectAccessible(reader)
  await page.getByRole('button', { name: 'End all links' }).click()
  await expect(page.getByText('No link shows this post any more.')).toBeVisible()
  expect((await reader.goto(link))?.status()).toBe(404)
})

test('a cover is sent, shown to readers and to other sites, and taken away', async ({ page, password }) => {
  await enterAs('editor', page, password)
  const title = someTitle('With a cover')
  const address = await begin(page, title)
  await page
    .getByLabel('Picture')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await expect(page.getByText('Use a JPEG, PNG, WebP, GIF or AVIF picture')).toBeVisible()
  const png = await page.screenshot()
  await page.getByLabel('Picture').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png })
  await expect(page.getByRole('button', { name: 'Remove the cover' })).toBeVisible()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  await page.goto(`/posts/${slugOf(title)}`)
  const cover = page.locator('article img')
  await expect(cover).toBeVisible()
  expect(await cover.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await expect(page.locator('meta[property="og:image"]')).toHaveAttribute('content', /\/posts\/covers\//)
  await expect(page.locator('meta[property="og:type"]')).toHaveAttribute('content', 'article')
  await page.goto(address)
  await page.getByRole('button', { name: 'Remove the cover' }).click()
  await expect(page.getByRole('button', { name: 'Remove the cover' })).toBeHidden()
})

test('posts are deleted by who wrote them, and by admins', async ({ page, password, appUrl }) => {
  await enterAs('editor', page, password)
  const address = await begin(page, someTitle('To go'))
  const other = await elsewhere(page, appUrl)
  await enterAs('editor', other, password)
  await other.goto(address)
  await expect(text(other)).toBeVisible()
  await expect(other.getByText('Delete this post')).toBeHidden()
  await page.getByText('Delete this post').click()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await expect(page.getByText('The post is deleted.')).toBeVisible()
  expect((await page.goto(address))?.status()).toBe(404)
})

test('viewers and strangers find nothing to write with', async ({ page, password }) => {
  await page.goto('/content')
  await expect(page).toHaveURL('/signin?callbackUrl=%2Fcontent')
  await enterAs('viewer', page, password)
  for (const path of ['/content', `/content/${crypto.randomUUID()}`])
    expect((await page.goto(path))?.status()).toBe(404)
  await page.goto('/dashboard')
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Posts' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Write' })).toBeHidden()
})

test('programs read what is published', async ({ page, password, request }) => {
  await enterAs('editor', page, password)
  const title = someTitle('For programs')
  await begin(page, title)
  await text(page).fill('**bold** & <b>')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  const list = await (await request.get('/api/posts')).json()
  const listed = list.posts.find((one: { slug: string }) => one.slug === slugOf(title))
  expect(listed).toMatchObject({ title, cover: null, tags: [] })
  const post = await (await request.get(`/api/posts/${slugOf(title)}`)).json()
  expect(post.html).toBe('<p><strong>bold</strong> &amp; &lt;b&gt;</p>\n')
  expect((await request.get('/api/posts/no-such-post')).status()).toBe(404)

  const feed = await request.get('/posts/feed.xml')
  expect(feed.headers()['content-type']).toBe('application/atom+xml; charset=utf-8')
  const entries = await page.evaluate(
    (xml) => {
      const read = new DOMParser().parseFromString(xml, 'application/xml')
      return [...read.querySelectorAll('entry')].map((entry) => ({
        title: entry.querySelector('title')?.textContent,
        content: entry.querySelector('content')?.textContent,
      }))
    },
    await feed.text(),
  )
  expect(entries[0]).toEqual({ title, content: '<p><strong>bold</strong> &amp; &lt;b&gt;</p>\n' })
  const index = await (await request.get('/sitemap.xml')).text()
  const month = new URL(/<loc>([^<]+)<\/loc>/.exec(index)?.[1] ?? '')
  const addresses = await (await request.get(month.pathname)).text()
  expect(addresses).toContain(`/posts/${slugOf(title)}</loc>`)
})

const evil = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 1">',
  '<svg/onload=window.ran=1>',
  '"><script>window.ran = 1</script>',
  "'-(window.ran=1)-'",
  '</title><script>window.ran = 1</script>',
  '</script><script>window.ran = 1</script>',
  ']]><script>window.ran = 1</script>',
  '<a href="javascript:window.ran=1">a</a>',
  '[a](javascript:window.ran=1)',
  '[a](JaVaScRiPt:window.ran=1)',
  '[a](java\tscript:window.ran=1)',
  '[a](&#x6A;avascript:window.ran=1)',
  '![a](x" onerror="window.ran=1)',
  '![a](javascript:window.ran=1)',
  '[a](data:text/html;base64,PHNjcmlwdD53aW5kb3cucmFuPTE8L3NjcmlwdD4=)',
  '<iframe srcdoc="<script>parent.ran=1</script>"></iframe>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=window.ran=1>',
  '<style>@import url("javascript:window.ran=1")</style>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=javascript:window.ran=1">',
  '{{constructor.constructor("window.ran=1")()}}',
  '```"><img src=x onerror=window.ran=1>\ncode\n```',
]

test('nothing that is written runs, wherever it is shown', async ({ page, password, request }) => {
  await enterAs('editor', page, password)
  const mark = crypto.randomUUID().slice(0, 8)
  const address = await begin(page, `${evil.slice(0, 4).join(' ')} ${mark}`.slice(0, 200))
  await text(page).fill(evil.join('\n\n'))
  await page.getByLabel('Summary').fill(evil.slice(4, 9).join(' ').slice(0, 300))
  for (const [label, value] of [
    ['Tags', '<script>window.ran=1</script>'],
    ['Address', '"><script>window.ran=1</script>'],
  ] as const) {
    await page.getByLabel(label).fill(value)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await expect(page.getByText(/Use letters and digits for tags|Use small letters/).first()).toBeVisible()
    await page.getByLabel(label).fill('')
  }
  await page.getByLabel('Tags').fill('c++, c#')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  const id = address.split('/').at(-1)
  const [row] = await query<{ slug: string }>('select slug from content_published where post_id = $1', [id])
  const places = [
    address,
    '/content',
    `${address}/versions`,
    `${address}/versions/1`,
    '/posts',
    '/posts?tag=c%2B%2B',
    `/posts?search=${encodeURIComponent(`${evil[0]} ${mark}`)}`,
    `/posts?tag=${encodeURIComponent(evil[3] ?? '')}`,
    `/posts/${row?.slug}`,
    '/dashboard',
  ]
  for (const place of places) {
    await page.goto(place)
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate(() => 'ran' in window), place).toBe(false)
    expect(
      await page.locator('main script, main iframe, main base, main meta, main style, main math').count(),
      place,
    ).toBe(0)
    for (const link of await page.locator('main a[href]').all())
      expect(await link.getAttribute('href')).toMatch(/^(https?:|mailto:|#|\/(?!\/)|\?)/)
  }
  const feed = await (await request.get('/posts/feed.xml')).text()
  const isWhole = await page.evaluate(
    (xml) => new DOMParser().parseFromString(xml, 'application/xml').querySelector('parsererror, script') === null,
    feed,
  )
  expect(isWhole).toBe(true)
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`in the ${colorScheme} theme every page is accessible, and fits a narrow screen`, async ({ page, password }) => {
    await page.emulateMedia({ colorScheme })
    await page.goto('/posts')
    await expectAccessible(page)
    await page.goto('/posts/how-a-post-is-made')
    await expectAccessible(page)
    await enterAs('editor', page, password)
    const address = await begin(page, someTitle('Accessible'))
    await page.setViewportSize({ width: 390, height: 800 })
    for (const path of ['/posts', '/posts/your-first-change', '/content', address, `${address}/versions`]) {
      await page.goto(path)
      await expectAccessible(page)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, path).toBeLessThanOrEqual(390)
    }
  })
}

test('with the keyboard alone a post is begun, written and published', async ({ page, password }) => {
  await enterAs('editor', page, password)
  await page.goto('/content')
  await page.getByLabel('New post').focus()
  const title = someTitle('By keyboard')
  await page.keyboard.type(title)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await page.getByLabel('Title').focus()
  await page.keyboard.press('Tab')
  await expect(text(page)).toBeFocused()
  await page.keyboard.type('Typed.')
  for (let presses = 0; presses < 12; presses++) {
    await page.keyboard.press('Tab')
    if (
      await page
        .getByRole('button', { name: 'Publish', exact: true })
        .evaluate((button) => button === document.activeElement)
    )
      break
  }
  await page.keyboard.press('Enter')
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
})
