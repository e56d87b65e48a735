import type { Page } from '@playwright/test'
import type { Shot } from '../../../tests/support/shots.ts'

/** Every page of the module, in each state that looks different. */
export function shots(app: string): Shot[] {
  const open = (page: Page) => page.goto(`${app}/docs/api#getAuthSession`)
  return [
    { name: 'docs-api', url: `${app}/docs/api` },
    { name: 'docs-api_open', url: `${app}/docs/api`, after: open },
    {
      name: 'docs-api_tried',
      url: `${app}/docs/api`,
      after: async (page) => {
        await open(page)
        const form = page.getByRole('form', { name: 'Try GET /api/auth/session' })
        await form.getByRole('button', { name: 'Send' }).click()
        await form.getByText(/^200/).waitFor()
      },
    },
    { name: 'docs-calling', url: `${app}/docs/api/calling` },
  ]
}
