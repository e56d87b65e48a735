import sharp from 'sharp'
import { expect, expectAccessible, expectNoLayoutShift, test } from '../../../tests/app/support/e2e-test.ts'
import { query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

const html =
  '<h2>Tides</h2>\n<p>They <strong>come</strong> and go.</p>\n<pre tabindex="0"><code class="language-ts"><span class="k">const</span> tide = <span class="s">&quot;high&quot;</span> <span class="c">// twice a day</span>\n</code></pre>\n<h2>Stones</h2>\n<h3>Small &amp; round</h3>\n'

/** Publishes a post without the editor, a year ago, so that it is never the newest. Its tag is its slug. */
async function publishPost({ hasCover = false } = {}): Promise<{ id: string; slug: string; title: string }> {
  const slug = `tides-${crypto.randomUUID()}`
  const title = `Tides ${slug}`
  const [post] = await query<{ id: string }>(
    `insert into content_posts (title, status) values ($1, 'published') returning id`,
    [title],
  )
  const id = post?.id ?? ''
  await query(
    `insert into content_revisions (post_id, number, is_open, title, slug, summary, body, tags)
     values ($1, 1, false, $2, $3, 'About the sea', '', array[left($3, 30)])`,
    [id, title, slug],
  )
  const data = await sharp({ create: { width: 320, height: 400, channels: 3, background: 'teal' } })
    .webp()
    .toBuffer()
  const [cover] = hasCover
    ? await query<{ id: string }>('insert into content_covers (post_id, data) values ($1, $2) returning id', [id, data])
    : []
  await query(
    `insert into content_published
       (post_id, number, slug, title, summary, html, tags, cover_id, published_at, updated_at, search)
     select post_id, number, slug, title, summary, $2::text, tags, $3::uuid, at, at, to_tsvector('english', title)
     from content_revisions, (select now() - interval '1 year' as at) moment where post_id = $1`,
    [id, html, cover?.id ?? null],
  )
  await query('insert into content_slugs (slug, post_id) values ($2, $1)', [id, slug])
  await query(
    `insert into content_tags (tag, published_at, post_id)
     select left(slug, 30), published_at, post_id from content_published where post_id = $1`,
    [id],
  )
  return { id, slug, title }
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a reader finds posts by tag, by words and by parts of a title', async ({ page }) => {
      await page.goto('/posts')
      const tags = page.getByRole('navigation', { name: 'Filter by tag' })
      await expect(tags.getByRole('link', { name: 'All' })).toHaveAttribute('aria-current', 'page')
      await tags.getByRole('link', { name: 'guide', exact: true }).click()
      await expect(page).toHaveURL('/posts?tag=guide')
      await expect(page.getByRole('status')).toHaveText('Tagged “guide”')
      await expect(tags.getByRole('link', { name: 'guide', exact: true })).toHaveAttribute('aria-current', 'page')
      const firstGuide = page.getByRole('link', { name: 'Your first change' })
      await expect(firstGuide).toBeVisible()
      await page.getByRole('link', { name: 'Clear filter' }).click()
      await expect(page).toHaveURL('/posts')

      const field = page.getByLabel('Search posts')
      const button = page.getByRole('button', { name: 'Search' })
      const search = async (words: string) => {
        await field.fill(words)
        // With JavaScript the search runs at once, and the reader can type on.
        if (javaScriptEnabled) await expect(button).toHaveCount(0)
        else await button.click()
        await expect(page.getByRole('status')).toHaveText(`Results for “${words}”`)
        if (javaScriptEnabled) await expect(field).toBeFocused()
      }
      for (const words of ['your fir', 'authenticator']) {
        await search(words)
        await expect(firstGuide).toBeVisible()
      }
      await search('xyzzy')
      await expect(page.getByText('No posts found')).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page)
      await page.getByRole('link', { name: 'Clear search' }).click()
      await expect(page).toHaveURL('/posts')
      await expect(field).toHaveValue('')
    })

    test('a post has links to its parts, and to the posts before and after it', async ({ page }) => {
      await page.goto('/posts/who-may-do-what')
      const article = page.getByRole('article')
      await expect(article.getByText(/^\d+ min read$/)).toBeVisible()
      await expect(page.getByRole('navigation', { name: 'On this page' })).toHaveCount(0)
      const more = page.getByRole('navigation', { name: 'More posts' })
      await expect(more.getByRole('link', { name: 'Previous post Modules come and go' })).toBeVisible()
      await more.getByRole('link', { name: 'Next post Your first change' }).click()
      await expect(page).toHaveURL('/posts/your-first-change')

      const outline = page.getByRole('navigation', { name: 'On this page' })
      await expect(outline.getByRole('link')).toHaveText([
        'Name it',
        'Change a color',
        'Change a page',
        'Check your work',
      ])
      await outline.getByRole('link', { name: 'Check your work' }).click()
      await expect(page).toHaveURL('/posts/your-first-change#h-check-your-work')
      await expect(page.getByRole('heading', { level: 2, name: 'Check your work', exact: true })).toBeInViewport()
      const heading = page.getByRole('heading', { level: 2, name: 'Name it', exact: true })
      await heading.hover()
      await page.getByRole('link', { name: 'Link to Name it' }).click()
      await expect(page).toHaveURL('/posts/your-first-change#h-name-it')
      await page.setViewportSize({ width: 390, height: 800 })
      await expect(outline).toBeHidden()
      await expect(heading).toBeVisible()
    })
  })
}

test('the code and the link of a post can be copied; without JavaScript there are no buttons for it', async ({
  page,
  context,
  appUrl,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { slug } = await publishPost()
  await page.goto(`/posts/${slug}`)
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('figure').hover()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await copied()).toBe('const tide = "high" // twice a day\n')
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect.poll(copied).toMatch(new RegExp(`^https?://.+/posts/${slug}$`))

  const withoutScripts = await context.browser()?.newContext({ baseURL: appUrl, javaScriptEnabled: false })
  const reader = await withoutScripts?.newPage()
  await reader?.goto(`/posts/${slug}`)
  if (reader) await expect(reader.locator('main').getByRole('button')).toHaveCount(0)
})

test('only users who may edit a post see the link to its editor', async ({ page, password, appUrl }) => {
  const { id, slug } = await publishPost()
  const edit = page.getByRole('main').getByRole('link', { name: 'Edit', exact: true })
  await page.goto(`/posts/${slug}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(edit).toHaveCount(0)
  await signInAsNewUser(page, password, { role: 'editor' })
  await page.reload()
  await expect(edit).toHaveAttribute('href', `/content/${id}`)
  const other = await newBrowserPage(page, appUrl)
  await signInAsNewUser(other, password, { role: 'viewer' })
  await other.goto(`/posts/${slug}`)
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(other.getByRole('main').getByRole('link', { name: 'Edit', exact: true })).toHaveCount(0)
})

test('a post describes itself to search engines, and names its feeds', async ({ page }) => {
  const { slug, title } = await publishPost({ hasCover: true })
  await page.goto(`/posts/${slug}`)
  const text = await page.locator('script[type="application/ld+json"]').textContent()
  expect(JSON.parse(text ?? '')).toMatchObject({
    '@type': 'BlogPosting',
    headline: title,
    url: expect.stringMatching(new RegExp(`/posts/${slug}$`)),
    image: expect.stringMatching(/\/posts\/covers\/[\w-]+$/),
  })
  for (const [type, path] of [
    ['application/atom+xml', /\/posts\/feed\.xml$/],
    ['application/feed+json', /\/posts\/feed\.json$/],
  ] as const)
    await expect(page.locator(`link[rel="alternate"][type="${type}"]`)).toHaveAttribute('href', path)
})

test('nothing moves while the blog or a post loads, with or without a cover', async ({ page }) => {
  for (const hasCover of [true, false]) {
    const { slug } = await publishPost({ hasCover })
    const path = `/posts/${slug}`
    await expectNoLayoutShift(page, path)
    await expectNoLayoutShift(page, `/posts?tag=${slug.slice(0, 30)}`)
    await expect(page.locator('[data-slot="post-card"] img')).toHaveCount(hasCover ? 1 : 0)
  }
  await expectNoLayoutShift(page, '/posts')
})

test('a post and its card are accessible, wide and narrow', async ({ page }) => {
  const { slug } = await publishPost({ hasCover: true })
  for (const path of [`/posts/${slug}`, `/posts?tag=${slug.slice(0, 30)}`]) {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(path)
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width)
    }
  }
})
