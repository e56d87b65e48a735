import { expect, test } from '../../../tests/app/support/e2e-test.ts'
import { content } from './content.ts'

test('the page shows its highlights, figures and comparison', async ({ page }) => {
  await page.goto('/')
  const { signIn, audit, remove, write } = content.highlights
  for (const { title } of [signIn, audit, remove, write, ...content.modules])
    await expect(page.getByRole('heading', { name: title, exact: true })).toBeVisible()
  for (const { value, source } of content.figures) {
    await expect(page.getByText(value, { exact: true })).toBeVisible()
    await expect(page.getByText(source, { exact: true }).first()).toBeVisible()
  }
  for (const { about } of content.comparison.rows)
    await expect(page.getByRole('rowheader', { name: about })).toBeVisible()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme })

    test('only the picture of the theme is shown, and it loads', async ({ page }) => {
      await page.goto('/')
      const picture = page.getByRole('img', { name: content.picture })
      await expect(picture).toHaveCount(1)
      await expect(picture).toHaveAttribute('data-theme-of', colorScheme)
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    })
  })
}

for (const viewport of [
  { width: 360, height: 740 },
  { width: 390, height: 844 },
  { width: 412, height: 823 },
]) {
  test.describe(`on a phone of ${viewport.width} by ${viewport.height}`, () => {
    test.use({ viewport })

    test('the largest content of the first screen is text', async ({ page }) => {
      await page.goto('/')
      const picture = page.getByRole('img', { name: content.picture })
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
      const painted = await page.evaluate(
        () =>
          new Promise<(string | undefined)[]>((resolve) => {
            new PerformanceObserver((list) =>
              resolve(
                list.getEntries().map((entry) => (entry as PerformanceEntry & { element?: Element }).element?.tagName),
              ),
            ).observe({ type: 'largest-contentful-paint', buffered: true })
          }),
      )
      expect(painted.at(-1)).toBe('P')
    })
  })
}

test('the picture follows the theme that the reader chooses', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/')
  await page.getByRole('button', { name: 'Dark' }).click()
  await expect(page.getByRole('img', { name: content.picture })).toHaveAttribute('data-theme-of', 'dark')
})

test('the command can be copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/')
  const [command] = content.commands
  await page
    .getByRole('button', { name: `Copy ${command}` })
    .first()
    .click()
  await expect(page.locator('[data-copied]')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the tabs of the code show one file at a time, also by keyboard', async ({ page }) => {
      await page.goto('/')
      const [first, second] = content.examples
      const radio = (name: string) => page.getByRole('radio', { name })
      await expect(radio(first.file)).toBeChecked()
      await expect(page.getByText(first.code[0])).toBeVisible()
      await radio(first.file).focus()
      await page.keyboard.press('ArrowRight')
      await expect(radio(second.file)).toBeChecked()
      await expect(page.getByText(second.code[0])).toBeVisible()
      await expect(page.getByText(first.code[0])).toBeHidden()
    })
  })
}
