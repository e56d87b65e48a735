import { expect, test } from '../support/e2e-test.ts'

test('every page links icons and a manifest that exist', async ({ page, request }) => {
  await page.goto('/signed-out')
  const links = page.locator('link[rel="icon"], link[rel="apple-touch-icon"], link[rel="manifest"]')
  await expect(links).toHaveCount(3)
  const urls = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  for (const url of urls) expect((await request.get(url)).status(), url).toBe(200)
  const manifest = await (await request.get('/manifest.webmanifest')).json()
  expect(manifest.name).not.toBe('')
  for (const { src, type } of manifest.icons)
    expect((await request.get(src)).headers()['content-type'], src).toContain(type)
})

test('the icon has colors for both themes', async ({ request }) => {
  expect(await (await request.get('/icon')).text()).toContain('prefers-color-scheme:dark')
})

test('the image of shared links is a PNG of the size that sites expect', async ({ request }) => {
  const response = await request.get('/opengraph-image')
  expect(response.headers()['content-type']).toBe('image/png')
  const bytes = await response.body()
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
})

test('a page of a build without a public origin names no other one', async ({ request }) => {
  for (const path of ['/', '/signin']) {
    const html = await (await request.get(path)).text()
    expect(html, path).toContain('property="og:title"')
    expect(html, path).not.toMatch(/(og:image"|rel="canonical")[^>]*localhost/)
  }
})
