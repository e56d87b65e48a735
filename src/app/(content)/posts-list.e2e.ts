import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../../../tests/app/support/e2e-test.ts'
import { waitForShortcuts } from '../../../tests/app/support/palette.ts'
import { query } from '../../../tests/app/support/query.ts'
import { signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

const uniqueWord = () => `word${crypto.randomUUID().slice(0, 8)}`

/** Inserts drafts of the user, the last one as the newest. */
async function insertDrafts(email: string, titles: string[]): Promise<void> {
  for (const title of titles)
    await query(
      `with post as (
         insert into content_posts (author_id, title) select id, $2::text from users where email = $1
         returning id, author_id
       )
       insert into content_revisions (post_id, number, author_id, title, slug, summary, body, tags)
       select id, 1, author_id, $2::text, '', 'A summary', 'A text', '{}'::text[] from post`,
      [email, title],
    )
}

const rows = (page: Page) => page.getByRole('table').locator('tbody').getByRole('row')
const statusesOf = async (word: string) =>
  (
    await query<{ status: string }>('select status from content_posts where title like $1 order by title', [
      `%${word}%`,
    ])
  ).map(({ status }) => status)

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an editor publishes, unpublishes and deletes several posts at once', async ({ page, password }) => {
      const email = await signInAsNewUser(page, password, { role: 'editor' })
      const word = uniqueWord()
      await insertDrafts(email, [`One ${word}`, `Two ${word}`, `Three ${word}`])
      await page.goto(`/content?search=${word}`)
      const select = async () => {
        await page.getByRole('checkbox', { name: `Select One ${word}` }).check()
        await page.getByRole('checkbox', { name: `Select Two ${word}` }).check()
      }
      const bar = page.getByRole('region', { name: 'Selected posts' })
      await expect(bar).toBeHidden()
      await select()
      await bar.getByRole('button', { name: 'Publish', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Publish 2 posts?' })).toBeVisible()
      await expect(page.getByRole('list', { name: 'Selected posts' }).getByRole('listitem')).toHaveCount(2)
      await page.getByRole('button', { name: 'Publish 2 posts' }).click()
      await expect(page.getByText('2 posts published.')).toBeVisible()
      await expect(page).toHaveURL(new RegExp(`/content\\?search=${word}&done=posts_published`))
      expect(await statusesOf(word)).toEqual(['published', 'draft', 'published'])

      await select()
      await bar.getByRole('button', { name: 'Unpublish' }).click()
      await page.getByRole('button', { name: 'Unpublish 2 posts' }).click()
      await expect(page.getByText('2 posts unpublished.')).toBeVisible()
      expect(await statusesOf(word)).toEqual(['draft', 'draft', 'draft'])

      await select()
      await bar.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('link', { name: 'Cancel' }).click()
      await expect(page).toHaveURL(/\/content(\?|$)/)
      await expect(rows(page)).toHaveCount(3)
      await page.goto(`/content?search=${word}`)
      await select()
      await bar.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete 2 posts' }).click()
      await expect(page.getByText('2 posts deleted.')).toBeVisible()
      expect(await statusesOf(word)).toEqual(['draft'])
    })

    test('an editor duplicates a post from its menu', async ({ page, password }) => {
      const email = await signInAsNewUser(page, password, { role: 'editor' })
      const title = `Once ${uniqueWord()}`
      await insertDrafts(email, [title])
      await page.goto('/content?mine=1')
      await page.getByRole('button', { name: `Actions for ${title}` }).click()
      await page.getByRole('button', { name: 'Duplicate' }).click()
      await expect(page.getByLabel('Title', { exact: true })).toHaveValue(`Copy of ${title}`)
      await expect(page.getByLabel('Body', { exact: true })).toHaveValue('A text')
    })

    test('a search finds posts by parts of their titles', async ({ page, password }) => {
      const email = await signInAsNewUser(page, password, { role: 'editor' })
      const word = uniqueWord()
      await insertDrafts(email, [`Tides of ${word}`, `Winds of ${word}`])
      await page.goto('/content')
      await page.getByLabel('Search posts').fill(`tide ${word}`)
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click()
      await expect(rows(page)).toHaveCount(1)
      await expect(page.getByRole('link', { name: `Tides of ${word}` })).toBeVisible()
      await page.goto(`/content?search=${word}+nothing`)
      await expect(page.getByText('No posts match')).toBeVisible()
      await page.getByRole('link', { name: 'Clear search' }).click()
      await expect(page).toHaveURL('/content')
    })
  })
}

test('the tabs show how many posts they have', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password, { role: 'editor' })
  await insertDrafts(email, [`One ${uniqueWord()}`, `Two ${uniqueWord()}`])
  await page.goto('/content')
  const tabs = page.getByRole('navigation', { name: 'Posts' })
  await expect(tabs.getByRole('link', { name: 'Mine' })).toHaveText('Mine2')
  await tabs.getByRole('link', { name: 'Mine' }).click()
  await expect(rows(page)).toHaveCount(2)
})

test('an editor cannot delete the posts of others, and the menu says so', async ({ page, password }) => {
  const word = uniqueWord()
  await insertDrafts('editor@example.com', [`Not mine ${word}`])
  await signInAsNewUser(page, password, { role: 'editor' })
  await page.goto(`/content?search=${word}`)
  await page.getByRole('button', { name: `Actions for Not mine ${word}` }).click()
  await expect(page.getByText('Only its author or an admin can delete it')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('checkbox', { name: `Select Not mine ${word}` }).check()
  await page.getByRole('region', { name: 'Selected posts' }).getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('You can’t change these posts, or they no longer exist.')).toBeVisible()
  await query('delete from content_posts where title = $1', [`Not mine ${word}`])
})

for (const width of [1280, 390]) {
  test(`the list with a selection is accessible and fits, ${width} pixels wide`, async ({ page, password }) => {
    await page.setViewportSize({ width, height: 800 })
    const email = await signInAsNewUser(page, password, { role: 'editor' })
    await insertDrafts(email, [`A title that is much longer than a narrow screen is wide ${uniqueWord()}`])
    await page.goto('/content?mine=1')
    await page.getByRole('checkbox', { name: /^Select A title/ }).check()
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  })
}

test('c begins a post', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  await page.goto('/content')
  await waitForShortcuts(page)
  await page.keyboard.press('c')
  await expect(page).toHaveURL(/\/content\/[\w-]{36}$/)
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Untitled post')
})
