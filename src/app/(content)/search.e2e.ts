import { expect, test } from '../../../tests/app/support/e2e-test.ts'
import { openPalette, waitForShortcuts } from '../../../tests/app/support/palette.ts'
import { query } from '../../../tests/app/support/query.ts'
import { signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

/** Creates a draft with a unique title. */
async function createDraft(authorEmail: string): Promise<{ id: string; title: string }> {
  const title = `Tides ${crypto.randomUUID().slice(0, 8)}`
  const [post] = await query<{ id: string }>(
    'insert into content_posts (author_id, title) select id, $2 from users where email = $1 returning id',
    [authorEmail, title],
  )
  if (!post) throw new Error('the author was not found')
  await query(
    `insert into content_revisions (post_id, number, title, slug, summary, body, tags) values ($1, 1, $2, '', '', '', '{}')`,
    [post.id, title],
  )
  return { id: post.id, title }
}

test('an editor finds a draft by a part of its title, and opens it with the keyboard', async ({ page, password }) => {
  const { id, title } = await createDraft(await signInAsNewUser(page, password, { role: 'editor' }))
  await page.goto('/dashboard')
  await openPalette(page)
  await page.keyboard.type(title.slice(3))
  const found = page.getByRole('group', { name: 'Posts' }).getByRole('option', { name: title })
  await expect(found).toHaveAttribute('aria-selected', 'true')
  await expect(found).toContainText('Draft · Test User')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/content/${id}$`))
})

test('keys go to the list of posts', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  await page.goto('/dashboard')
  await waitForShortcuts(page)
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await expect(page).toHaveURL(/\/content$/)
})

test('a viewer does not find drafts', async ({ page, password }) => {
  const { title } = await createDraft(await signInAsNewUser(page, password, { role: 'viewer' }))
  const response = await page.request.get(`/api/search?q=${encodeURIComponent(title)}`)
  expect(await response.json()).toEqual({ groups: [], isComplete: true })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('an editor finds a draft on the search page', async ({ page, password }) => {
    const { id, title } = await createDraft(await signInAsNewUser(page, password, { role: 'editor' }))
    await page.goto(`/search?q=${encodeURIComponent(title)}`)
    await page.getByRole('region', { name: 'Posts' }).getByRole('link', { name: title }).click()
    await expect(page).toHaveURL(new RegExp(`/content/${id}$`))
  })
})
