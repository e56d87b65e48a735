import { join } from 'node:path'
import type { Browser } from '@playwright/test'

/** Every kind of email with sample data, as HTML in both themes and as text, at the widths of a computer and of a phone. */
export async function takeEmailScreenshots(browser: Browser, dev: string, out: string): Promise<void> {
  // Without JavaScript: the development server may reload the page at any time.
  const context = await browser.newContext({ javaScriptEnabled: false })
  const [samples, email] = [await context.newPage(), await context.newPage()]
  await samples.goto(`${dev}/dev/emails`)
  const links = await samples.getByRole('main').getByRole('listitem').getByRole('link').all()
  const urls = await Promise.all(links.map(async (link) => new URL((await link.getAttribute('href')) ?? '', dev)))
  for (const url of urls) {
    for (const view of ['light', 'dark', 'text']) {
      url.searchParams.set('view', view)
      await samples.goto(url.href)
      const html =
        view === 'text'
          ? `<pre style="white-space:pre-wrap">${await samples.locator('article pre').innerHTML()}</pre>`
          : ((await samples.locator('iframe').getAttribute('srcdoc')) ?? '')
      await email.setContent(html)
      for (const width of [600, 360]) {
        await email.setViewportSize({ width, height: 700 })
        const name = `email-${url.searchParams.get('email')}-${view}-${width}.png`
        await email.screenshot({ path: join(out, name), fullPage: true })
      }
    }
  }
  await context.close()
}
