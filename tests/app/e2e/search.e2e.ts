import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'
import { openPalette, waitForShortcuts } from '../support/palette.ts'
import { signInAsNewUser } from '../support/sign-in.ts'

const searchField = (page: Page) => page.getByRole('searchbox', { name: 'Search' })
const help = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })
const selected = (page: Page) => page.getByRole('option', { selected: true })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the search page finds commands, and leads to them', async ({ page, password }) => {
      await signInAsNewUser(page, password)
      await page.goto('/search')
      await searchField(page).fill('DASH')
      await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
      await expect(page).toHaveURL(/\/search\?q=DASH$/)
      await expect(searchField(page)).toHaveValue('DASH')
      await page.getByRole('region', { name: 'Commands' }).getByRole('link', { name: 'Dashboard' }).click()
      await expect(page).toHaveURL(/\/dashboard$/)
    })

    test('a search without results says so, and shows the text as text', async ({ page, password }) => {
      await signInAsNewUser(page, password)
      await page.goto(`/search?q=${encodeURIComponent('<b>xyzzyx</b>')}`)
      await expect(page.getByText('No results')).toBeVisible()
      await expect(page.getByText('Nothing matches “<b>xyzzyx</b>”')).toBeVisible()
    })
  })
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the search button is a link to the search page', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Search or jump to…' }).click()
    await expect(page).toHaveURL(/\/search$/)
    await expect(page.getByRole('region', { name: 'Commands' }).getByRole('link')).not.toHaveCount(0)
  })
})

test('an unauthenticated caller is sent to sign in, and back to the search', async ({ page, request }) => {
  await page.goto('/search?q=dash')
  await expect(page).toHaveURL(/\/signin\?callbackUrl=%2Fsearch%3Fq%3Ddash$/)
  expect((await request.get('/api/search?q=dash')).status()).toBe(401)
})

test.describe('the command palette', () => {
  test('opens a page with the keyboard alone', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/search')
    await openPalette(page)
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('dash')
    await expect(selected(page)).toHaveText(/^Dashboard/)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/dashboard$/)
    await expect(page.getByRole('dialog')).toBeHidden()
    await openPalette(page)
    await expect(page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Dashboard' })).toBeVisible()
  })

  test('moves with the arrow keys, and tells assistive technology where it is', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/dashboard')
    await openPalette(page)
    const options = page.getByRole('option')
    const expectActive = async (option: typeof options) => {
      await expect(option).toHaveAttribute('aria-selected', 'true')
      await expect(selected(page)).toHaveCount(1)
      const id = (await option.getAttribute('id')) ?? 'none'
      await expect(page.getByRole('combobox')).toHaveAttribute('aria-activedescendant', id)
    }
    await expectActive(options.first())
    await page.keyboard.press('ArrowDown')
    await expectActive(options.nth(1))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expectActive(options.last())
  })

  test('opens by a click, and Escape returns the focus', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/dashboard')
    await waitForShortcuts(page)
    const button = page.getByRole('link', { name: 'Search or jump to…' })
    await button.click()
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(button).toBeFocused()
    await expect(page).toHaveURL(/\/dashboard$/)
  })

  test('opens a page in a new tab', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/search')
    await openPalette(page)
    await page.keyboard.type('dash')
    await expect(selected(page)).toHaveText(/^Dashboard/)
    const [tab] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')])
    await expect(tab).toHaveURL(/\/dashboard$/)
    await expect(page).toHaveURL(/\/search$/)
  })

  test('changes the theme', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/dashboard')
    await openPalette(page)
    await page.keyboard.type('dark')
    await expect(selected(page)).toHaveText(/^Dark theme/)
    await page.keyboard.press('Enter')
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  })

  test('keeps the previous results until the next ones arrive, and says when some are missing', async ({
    page,
    password,
  }) => {
    await signInAsNewUser(page, password)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/search?*', async (route) => {
      const text = new URL(route.request().url()).searchParams.get('q')
      if (text === 'third') return route.fulfill({ status: 503, json: {} })
      if (text === 'second') await released
      const results = [{ label: `Thing of ${text}`, hint: 'A hint', href: '/dashboard' }]
      return route.fulfill({ json: { groups: [{ title: 'Things', results }], isComplete: true } })
    })
    await page.goto('/search')
    await openPalette(page)
    const field = page.getByRole('combobox')
    await field.fill('first')
    const first = page.getByRole('group', { name: 'Things' }).getByRole('option', { name: 'Thing of first' })
    await expect(first).toBeVisible()
    await field.fill('second')
    await expect(page.getByRole('option', { name: 'All results for “second”' })).toBeVisible()
    await expect(first).toBeVisible()
    release()
    await expect(page.getByRole('option', { name: 'Thing of second' })).toBeVisible()
    await expect(first).toBeHidden()
    await field.fill('third')
    await expect(page.getByText('Some results couldn’t be loaded.')).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/search\?q=third$/)
  })
})

test.describe('keyboard shortcuts', () => {
  test('are listed, and can be turned off and on again', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/search')
    await waitForShortcuts(page)
    await page.keyboard.press('?')
    await expect(help(page).getByText('Show keyboard shortcuts')).toBeVisible()
    const setting = help(page).getByRole('checkbox', { name: 'Single-key shortcuts' })
    await expect(setting).toBeChecked()
    await setting.uncheck()
    await help(page).getByRole('button', { name: 'Close' }).click()
    await expect(help(page)).toBeHidden()

    await page.reload()
    // Chromium stores it in another process, which may take longer than the reload.
    await expect.poll(() => page.evaluate(() => localStorage.getItem('shortcuts'))).toBe('off')
    await waitForShortcuts(page)
    for (const key of ['?', 'g', 'd', '/']) await page.keyboard.press(key)
    await openPalette(page)
    await expect(help(page)).toBeHidden()
    await expect(page).toHaveURL(/\/search$/)

    await page.keyboard.type('shortcuts')
    await expect(selected(page)).toHaveText(/^Keyboard shortcuts/)
    await page.keyboard.press('Enter')
    await setting.check()
    await page.keyboard.press('Escape')
    await expect(help(page)).toBeHidden()
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await expect(page).toHaveURL(/\/dashboard$/)
  })

  test('a slash focuses the search of the page, or opens the palette', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/search?q=dash')
    await waitForShortcuts(page)
    await page.keyboard.press('/')
    await expect(searchField(page)).toBeFocused()
    await page.keyboard.type('x')
    await expect(searchField(page)).toHaveValue('x')
    await page.goto('/dashboard')
    await waitForShortcuts(page)
    await page.keyboard.press('/')
    await expect(page.getByRole('combobox')).toBeFocused()
    await expect(page.getByRole('combobox')).toHaveValue('')
  })

  test('do nothing while the user types', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/search')
    await waitForShortcuts(page)
    await searchField(page).focus()
    await page.keyboard.type('g d?/x')
    await expect(searchField(page)).toHaveValue('g d?/x')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(page).toHaveURL(/\/search$/)
  })

  test('arrow keys move in a menu, and Escape returns the focus to its button', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/dashboard')
    await waitForShortcuts(page)
    const button = page.getByRole('button', { name: /Account menu$/ })
    const signOut = page.getByRole('button', { name: 'Sign out' })
    await button.focus()
    await page.keyboard.press('ArrowDown')
    await expect(signOut).toBeVisible()
    await expect(button).not.toBeFocused()
    await page.keyboard.press('End')
    await expect(signOut).toBeFocused()
    await page.keyboard.press('Home')
    await expect(signOut).not.toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(signOut).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(signOut).toBeHidden()
    await expect(button).toBeFocused()
  })
})

test('the search page, the palette and the help pass axe', async ({ page, password }) => {
  await signInAsNewUser(page, password)
  await page.goto('/search?q=dash')
  await expectAccessible(page)
  const palette = await openPalette(page)
  await expectAccessible(page)
  await page.keyboard.type('dash')
  await expect(selected(page)).toHaveText(/^Dashboard/)
  await expectAccessible(page)
  await palette.getByRole('button', { name: 'all shortcuts' }).click()
  await expect(help(page)).toBeVisible()
  await expectAccessible(page)
})

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 320, height: 640 } })

  test('the search button of the top bar opens the palette, and nothing scrolls horizontally', async ({
    page,
    password,
  }) => {
    await signInAsNewUser(page, password)
    await page.goto('/search?q=dash')
    await waitForShortcuts(page)
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(await overflow()).toBeLessThanOrEqual(0)
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    const palette = page.getByRole('dialog', { name: 'Search', exact: true })
    await expect(palette).toBeVisible()
    expect(await overflow()).toBeLessThanOrEqual(0)
    const box = await palette.boundingBox()
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 320).toBe(true)
  })
})
