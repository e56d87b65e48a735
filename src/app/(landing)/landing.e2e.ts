import { expect, test } from '../../../tests/support/journey.ts'
import { content } from './content.ts'

test('the page says what the content file says, under one heading', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(content.title)
  for (const { title } of content.features) await expect(page.getByRole('heading', { name: title })).toBeVisible()
})

test('the demo endpoint serves the same content to anybody, and lets caches keep it', async ({ request }) => {
  const response = await request.get('/api/demo/landing')
  expect(response.status()).toBe(200)
  expect(await response.json()).toEqual(content)
  expect(response.headers()['cache-control']).toBe('public, max-age=3600')
  expect(response.headers()['set-cookie']).toBeUndefined()
})

test('the links in the page lead somewhere', async ({ page, request }) => {
  await page.goto('/')
  const targets = await page
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  for (const target of new Set(targets)) {
    if (target.startsWith('#')) await expect(page.locator(target)).toBeAttached()
    else expect((await request.get(target)).status(), target).toBe(200)
  }
})
