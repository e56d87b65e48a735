import type { Page } from '@playwright/test'
import type { Screenshot } from '../../../tests/app/support/screenshots.ts'

/** Screenshots of every page of the module, in each visually different state. */
export function shots(app: string): Screenshot[] {
  const open = (page: Page) => page.goto(`${app}/docs/api#getAuthSession`)
  return [
    { name: 'docs-api', url: `${app}/docs/api` },
    { name: 'docs-api_open', url: `${app}/docs/api`, after: open },
    {
      name: 'docs-api_tried',
      url: `${app}/docs/api`,
      after: async (page) => {
        await open(page)
        await page.locator('#getAuthSession').getByText('Try it', { exact: true }).click()
        const form = page.getByRole('form', { name: 'Try GET /api/auth/session' })
        await form.getByRole('button', { name: 'Send' }).click()
        await form.getByText(/^200/).waitFor()
      },
    },
    { name: 'docs-search', url: `${app}/docs/api/search?q=sign` },
    { name: 'docs-calling', url: `${app}/docs/api/calling` },
  ]
}
