import type { Locator, Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../../../tests/app/support/e2e-test.ts'
import { query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'
import { saveStatus, text } from './e2e-editor.ts'

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
/** The layer behind the text that shows it with colors. */
const mirror = (page: Page) => page.locator('[data-slot="mirror"]')
const transparent = 'rgba(0, 0, 0, 0)'
const uniqueTitle = (about: string) => `${about} ${crypto.randomUUID().slice(0, 8)}`

/** Inserts a draft of the user, and returns its id. */
async function insertDraft(email: string, title: string, body = ''): Promise<string> {
  const [post] = await query<{ id: string }>(
    `with post as (
       insert into content_posts (author_id, title) select id, $2::text from users where email = $1
       returning id, author_id
     ), revision as (
       insert into content_revisions (post_id, number, author_id, title, slug, summary, body, tags)
       select id, 1, author_id, $2::text, '', '', $3::text, '{}'::text[] from post
     )
     select id from post`,
    [email, title, body],
  )
  if (!post) throw new Error('the post was not inserted')
  return post.id
}

/** Signs in as a new editor and opens a draft of theirs. */
async function openDraft(page: Page, password: string, body = ''): Promise<string> {
  const email = await signInAsNewUser(page, password, { role: 'editor' })
  const id = await insertDraft(email, uniqueTitle('Edited'), body)
  // All scripts, because most of the tests need them.
  await page.goto(`/content/${id}`, { waitUntil: 'networkidle' })
  return id
}

test('the toolbar inserts Markdown at the selection, and Undo removes it', async ({ page, password }) => {
  await openDraft(page, password, 'one two')
  await expect(preview(page)).toContainText('one two')
  await text(page).press('ControlOrMeta+a')
  await page.getByRole('button', { name: 'Bold', exact: true }).click()
  await expect(text(page)).toHaveValue('**one two**')
  await expect(text(page)).toBeFocused()
  await expect(preview(page).locator('strong')).toHaveText('one two')
  await page.keyboard.press('ControlOrMeta+z')
  await expect(text(page)).toHaveValue('one two')
  await page.getByRole('button', { name: 'Heading', exact: true }).click()
  await expect(text(page)).toHaveValue('## one two')
})

test('the toolbar is one stop for Tab, and the arrow keys move in it', async ({ page, password }) => {
  await openDraft(page, password)
  await page.getByLabel('Title', { exact: true }).focus()
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('button', { name: 'Heading', exact: true })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('button', { name: 'Bold' })).toBeFocused()
  await page.keyboard.press('End')
  const last = page.getByRole('toolbar').getByRole('button', { name: 'Image' })
  await expect(last).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Title', { exact: true })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(last).toBeFocused()
})

test('keys format the text and continue lists, and Tab is never trapped', async ({ page, password }) => {
  await openDraft(page, password)
  await text(page).focus()
  await page.keyboard.type('- one')
  await page.keyboard.press('Enter')
  await page.keyboard.type('two')
  await page.keyboard.press('Tab')
  await expect(text(page)).toHaveValue('- one\n  - two')
  // It cannot go deeper, so the focus moves on.
  await page.keyboard.press('Tab')
  await expect(text(page)).not.toBeFocused()
  await text(page).focus()
  await page.keyboard.press('Shift+Tab')
  await expect(text(page)).toHaveValue('- one\n- two')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(text(page)).toHaveValue('- one\n- two\n')
  await page.keyboard.press('ControlOrMeta+b')
  await page.keyboard.type('bold')
  await expect(text(page)).toHaveValue('- one\n- two\n**bold**')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(text(page)).toHaveValue('[- one\n- two\n**bold**](https://)')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+s')
  await expect(saveStatus(page)).toHaveText(/^Saved/)
})

test('the preview is what the public page shows, without scripts of the text', async ({ page, password }) => {
  const id = await openDraft(page, password)
  const body = '# Waves\n\n<script>window.ran = 1</script> [a](javascript:window.ran=1) **b**\n\n| a |\n|---|\n| b |'
  await text(page).fill(body)
  await expect(preview(page).getByRole('heading', { level: 2, name: 'Waves' })).toBeVisible()
  const textOf = (container: Locator) => container.locator('h2').locator('..').innerHTML()
  const shown = await textOf(preview(page))
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('button', { name: 'Publish now' }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  const [row] = await query<{ slug: string }>('select slug from content_published where post_id = $1', [id])
  await page.goto(`/posts/${row?.slug}`)
  expect(await textOf(page.locator('article'))).toBe(shown)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
})

test('a change renders only the blocks of the preview that it changes', async ({ page, password }) => {
  await openDraft(page, password, 'One\n\nTwo\n\nThree')
  const blocks = preview(page).locator('p', { hasText: /^(One|Two|Three|New|Four)$/ })
  await expect(blocks).toHaveText(['One', 'Two', 'Three'])
  await blocks.evaluateAll((all) => {
    for (const block of all) Object.assign(block, { isOld: true })
  })
  await text(page).fill('One\n\nNew\n\nFour\n\nThree')
  await expect(blocks).toHaveText(['One', 'New', 'Four', 'Three'])
  expect(await blocks.evaluateAll((all) => all.map((block) => 'isOld' in block))).toEqual([true, false, false, true])
  await text(page).fill('One')
  await expect(blocks).toHaveText(['One'])
  await text(page).fill('One\n\nTwo\n\nThree')
  await expect(blocks).toHaveText(['One', 'Two', 'Three'])
})

test('text and preview can be shown alone, and the choice stays after a reload', async ({ page, password }) => {
  await openDraft(page, password, 'Some text')
  await expect(preview(page)).toBeVisible()
  await page.getByRole('link', { name: 'Write', exact: true }).click()
  await expect(preview(page)).toBeHidden()
  await page.getByRole('link', { name: 'Preview', exact: true }).click()
  await expect(text(page)).toBeHidden()
  await page.reload({ waitUntil: 'networkidle' })
  await expect(preview(page)).toContainText('Some text')
  await expect(text(page)).toBeHidden()
  await page.keyboard.press('ControlOrMeta+Shift+p')
  await expect(text(page)).toBeVisible()
})

test('the preview can be as narrow as a phone', async ({ page, password }) => {
  await openDraft(page, password, 'Some text')
  const paragraph = preview(page).getByText('Some text')
  await page.getByRole('link', { name: 'Preview', exact: true }).click()
  await preview(page).getByRole('button', { name: 'Phone' }).click()
  expect((await paragraph.boundingBox())?.width).toBeLessThan(390)
  await preview(page).getByRole('button', { name: 'Desktop' }).click()
  expect((await paragraph.boundingBox())?.width).toBeGreaterThan(390)
})

test('before publishing, the editor says what is missing', async ({ page, password }) => {
  await openDraft(page, password)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const menu = page.getByRole('group', { name: 'Publish' })
  await expect(menu.getByRole('listitem')).toHaveText([/body/, /cover/, /summary/])
  await page.keyboard.press('Escape')
  await text(page).fill('![](/posts/covers/1)')
  await page.getByLabel('Summary').fill('Short')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(menu.getByRole('listitem')).toHaveText([/cover/, /alt text/])
})

test('in a conflict, the editor shows who wrote what', async ({ page, password, appUrl }) => {
  const id = await openDraft(page, password, 'the first text')
  const other = await newBrowserPage(page, appUrl)
  await signInAsNewUser(other, password, { role: 'editor' })
  await other.goto(`/content/${id}`, { waitUntil: 'networkidle' })
  await text(other).fill('the second text')
  await expect(saveStatus(other)).toHaveText(/^Saved/)
  await text(page).fill('the third text')
  await expect(page.getByText('This post was edited elsewhere')).toBeVisible()
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByText('The other draft is by Test User, just now')).toBeVisible()
  await expect(page.locator('del')).toHaveText('second')
  await expect(page.locator('ins')).toHaveText('third')
  await expectAccessible(page)
  // Enter in a field makes no choice.
  await page.getByLabel('Title', { exact: true }).press('Enter')
  await page.waitForLoadState('networkidle')
  await expect(page.getByText('This post was edited elsewhere')).toBeVisible()
  await expect(text(page)).toHaveValue('the third text')
})

test('a time to publish that was only typed stays when the text is saved', async ({ page, password }) => {
  await openDraft(page, password, 'Some text')
  const time = page.getByLabel('Publish on (UTC)')
  await time.fill('2030-06-01T09:00')
  await expect(saveStatus(page)).toHaveText('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(saveStatus(page)).toHaveText(/^Saved/)
  await expect(time).toHaveValue('2030-06-01T09:00')
})

test('a second click on a button of the form does nothing', async ({ page, password }) => {
  await openDraft(page, password, 'Some text')
  await text(page).press('End')
  await page.keyboard.type(' and more')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('button', { name: 'Publish now' }).dblclick()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(page.getByText('This post was edited elsewhere')).toBeHidden()
})

test('a post is scheduled in the time zone of the author', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password, { role: 'editor' })
  await query(`update users set time_zone = 'Asia/Tokyo' where email = $1`, [email])
  const id = await insertDraft(email, uniqueTitle('Far away'))
  await page.goto(`/content/${id}`)
  const hour = () => new Date().toLocaleTimeString('en', { hour: '2-digit', hourCycle: 'h23', timeZone: 'Asia/Tokyo' })
  const before = hour()
  await text(page).fill('Some text')
  await expect(saveStatus(page)).toHaveText(/^Saved \d\d:/)
  const [, saved] = /^Saved (\d\d):/.exec(await saveStatus(page).innerText()) ?? []
  expect([before, hour()]).toContain(saved)
  const year = new Date().getFullYear() + 1
  await page.getByLabel('Publish on (Asia/Tokyo)').fill(`${year}-06-01T09:00`)
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await expect(page.getByText('Scheduled', { exact: true })).toBeVisible()
  const [row] = await query<{ at: Date }>('select scheduled_at as at from content_posts where id = $1', [id])
  expect(row?.at.toISOString()).toBe(`${year}-06-01T00:00:00.000Z`)
  await expect(page.getByLabel('Publish on (Asia/Tokyo)')).toHaveValue(`${year}-06-01T09:00`)
})

test('only those who may write posts can render or compare one', async ({ page, password, request }) => {
  const id = await openDraft(page, password)
  const input = { title: '', slug: '', summary: '', tags: '', body: 'a' }
  for (const path of [`/api/content/posts/${id}/preview`, `/api/content/posts/${id}/compare`]) {
    expect((await request.post(path, { data: input })).status()).toBe(401)
    expect((await page.request.post(path, { data: input })).status()).toBe(200)
    const missing = path.replace(id, crypto.randomUUID())
    expect((await page.request.post(missing, { data: input })).status()).toBe(404)
  }
  await signInAsNewUser(page, password, { role: 'viewer' })
  const response = await page.request.post(`/api/content/posts/${id}/preview`, { data: { body: 'a' } })
  expect(response.status()).toBe(403)
})

/** Runs in the page: the text of the field and of the mirror behind it, and where their lines are. */
function lookAt(area: Element) {
  const layer = area.previousElementSibling
  const lastLine = layer?.lastElementChild
  if (!layer || !lastLine) return null
  const placeOf = (element: Element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return { x, y, width, height, top: element.scrollTop, textHeight: element.scrollHeight }
  }
  const place = placeOf(layer)
  // A box that is as high as the text should be has the same scroll height if lines are missing: find the last one.
  const end = lastLine.getBoundingClientRect().bottom - place.y + place.top
  const isHigh = area.scrollHeight > 0.6 * innerHeight + 1
  if (isHigh) place.textHeight = Math.round(end + Number.parseFloat(getComputedStyle(layer).paddingBottom))
  return {
    field: { text: `${(area as HTMLTextAreaElement).value}\n`, ...placeOf(area) },
    layer: { text: layer.textContent, ...place },
  }
}

/** The mirror has the text of the field, each line of it at the same place. It ends each line, also the last. */
async function expectMirrored(page: Page): Promise<void> {
  await expect(async () => {
    const found = await text(page).evaluate(lookAt)
    expect(found).not.toBeNull()
    expect(found?.layer).toEqual(found?.field)
  }).toPass({ timeout: 20_000 })
}

const sentence = 'Words, **bold words**, _others_, `code`, a [link](/posts/a-path?with=a&b), https://example.com/a_b. '
const sample = [
  '# WWW iii: a heading that is long enough to need more than one line of the field, with **bold** and `code` in it',
  sentence.repeat(4),
  '',
  'x'.repeat(300),
  '**Жирный текст, 太字のテキスト, نص عريض, 😀 and ệ̃ in letters that the font may not have** '.repeat(3),
  '- an item\twith\ttabs, and spaces at its end          ',
  '  - [x] another\u00a0one <img src="/x" onerror="window.ran = 1">',
  '> a quote',
  '| a | b |\n|---|---|\n| c | d |',
  '```ts\nconst a = `b`\n```',
  '',
].join('\n')

test('the text has colors, and its letters stay where the caret is', async ({ page, password }) => {
  await openDraft(page, password, sample.repeat(3))
  await expectMirrored(page)
  await expect(text(page)).toHaveCSS('color', transparent)
  await expect(text(page)).not.toHaveCSS('caret-color', transparent)
  await expect(mirror(page)).not.toHaveCSS('color', transparent)
  await expect(mirror(page).getByText('link', { exact: true }).first()).toHaveClass('text-primary-text')
  await expect(mirror(page).locator(':not(div, span)')).toHaveCount(0)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  for (const width of [1440, 1000, 640, 390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    await expectMirrored(page)
  }
  // Higher than its smallest height, so that the test compares the heights of the texts.
  expect((await text(page).boundingBox())?.height).toBeGreaterThan(700)
})

test('the colors follow every change of the text', async ({ page, password }) => {
  await openDraft(page, password, sample)
  await text(page).press('ControlOrMeta+End')
  await page.keyboard.type('typed **here**\n```\n# code')
  await expectMirrored(page)
  const typed = await text(page).inputValue()
  expect(typed).toContain('# code')
  await page.keyboard.press('ControlOrMeta+a')
  await page.getByRole('button', { name: 'Bold', exact: true }).click()
  await expect(text(page)).toHaveValue(`**${typed}**`)
  await expectMirrored(page)
  await page.keyboard.press('ControlOrMeta+z')
  await expect(text(page)).toHaveValue(typed)
  await expectMirrored(page)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('ControlOrMeta+x')
  await expect(text(page)).toHaveValue('')
  await expectMirrored(page)
  await page.keyboard.press('ControlOrMeta+v')
  await page.keyboard.press('ControlOrMeta+v')
  await expect(text(page)).toHaveValue(typed + typed)
  await expectMirrored(page)
  // Not saved yet: the autosave restores it.
  await text(page).fill('# Restored')
  await page.reload()
  await expect(text(page)).toHaveValue('# Restored')
  await expectMirrored(page)
})

test('the colors follow a text that another user has saved', async ({ page, password, appUrl }) => {
  const id = await openDraft(page, password, 'the first text')
  await expectMirrored(page)
  const other = await newBrowserPage(page, appUrl)
  await signInAsNewUser(other, password, { role: 'editor' })
  await other.goto(`/content/${id}`, { waitUntil: 'networkidle' })
  await text(other).fill('## the second text')
  await expect(saveStatus(other)).toHaveText(/^Saved/)
  await text(page).fill('the third text')
  await page.getByRole('button', { name: 'Use the other' }).click()
  await expect(text(page)).toHaveValue('## the second text')
  await expectMirrored(page)
})

test('the colors scroll with the text where the field does not grow', async ({ page, password }) => {
  await openDraft(page, password, sample.repeat(3))
  await expectMirrored(page)
  await text(page).evaluate((area) => {
    area.style.cssText += '; field-sizing: fixed; height: 200px; min-height: 0'
    area.scrollTop = 150
  })
  await expectMirrored(page)
  expect(await mirror(page).evaluate((layer) => layer.scrollTop)).toBe(150)
})

test('with forced colors, the field shows its text itself', async ({ page, password }) => {
  await openDraft(page, password, '# One')
  await expectMirrored(page)
  await page.emulateMedia({ forcedColors: 'active' })
  await expect(mirror(page)).toHaveText('')
  await expect(text(page)).not.toHaveCSS('color', transparent)
  await page.emulateMedia({ forcedColors: 'none' })
  await expect(text(page)).toHaveCSS('color', transparent)
  await expectMirrored(page)
})

for (const width of [1280, 390]) {
  test(`the editor is accessible and fits, ${width} pixels wide`, async ({ page, password }) => {
    await page.setViewportSize({ width, height: 800 })
    const id = await openDraft(page, password, '# One\n\n```\nlong code '.concat('wide '.repeat(60), '\n```'))
    for (const view of ['write', 'split', 'preview']) {
      await page.goto(`/content/${id}?view=${view}`)
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBeLessThanOrEqual(width)
    }
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await expectAccessible(page)
  })
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the preview shows the saved text, and the toolbar is not there', async ({ page, password }) => {
    const id = await openDraft(page, password, 'Some **text**')
    await expect(page.getByRole('toolbar')).toBeHidden()
    await expect(preview(page).locator('strong')).toHaveText('text')
    await page.getByRole('link', { name: 'Preview', exact: true }).click()
    await expect(page).toHaveURL(`/content/${id}?view=preview`)
    await expect(text(page)).toBeHidden()
    await expect(preview(page)).toBeVisible()
  })

  test('a post is published, restored to an earlier version, scheduled, shared and deleted', async ({
    page,
    password,
    appUrl,
  }) => {
    const id = await openDraft(page, password, 'the first text')
    const publish = async () => {
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByRole('button', { name: 'Publish now' }).click()
    }
    await publish()
    await expect(page.getByText('Published', { exact: true })).toBeVisible()
    await text(page).fill('the second text')
    await publish()
    await expect(page.getByRole('link', { name: 'Version 2' })).toBeVisible()
    await page.goto(`/content/${id}/versions/1`)
    await page.getByRole('button', { name: 'Restore this version' }).click()
    await expect(text(page)).toHaveValue('the first text')

    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1_000).toISOString().slice(0, 16)
    await page.getByLabel('Publish on (UTC)').fill(tomorrow)
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await expect(page.getByText(/scheduled for/i).first()).toBeVisible()

    await page.getByRole('button', { name: 'Share preview' }).click()
    await page.getByRole('button', { name: 'Create preview link' }).click()
    const link = await page.locator('code').filter({ hasText: '/posts/preview?token=' }).innerText()
    const reader = await newBrowserPage(page, appUrl)
    await reader.goto(link)
    await expect(reader.getByText('the first text')).toBeVisible()
    await reader.context().close()

    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete post' }).click()
    await expect(page.getByText('Post deleted.')).toBeVisible()
    expect((await page.goto(`/content/${id}`))?.status()).toBe(404)
  })

  test('the field shows its text itself', async ({ page, password }) => {
    await openDraft(page, password, 'Some **text**')
    await expect(text(page)).toHaveValue('Some **text**')
    await expect(text(page)).not.toHaveCSS('color', transparent)
    await expect(mirror(page)).toBeEmpty()
  })
})
