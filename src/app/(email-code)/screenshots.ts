import type { Page } from '@playwright/test'
import { newAda, openEmailLink, type Screenshot, waitForAlert } from '../../../tests/app/support/screenshots.ts'
import { appName } from '../../brand.ts'

async function askForCode(page: Page, app: string): Promise<string> {
  const email = await newAda()
  await page.goto(`${app}/signin/email`)
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.waitForURL('**/code')
  return email
}

/** Every page of the module, in each visually different state. */
export function shots(app: string): Screenshot[] {
  const url = `${app}/signin/email`
  return [
    { name: 'email-code', url },
    { name: 'email-code_sent', url: `${url}/code`, before: (page) => askForCode(page, app) },
    {
      name: 'email-code_wrong',
      url: `${url}/code`,
      before: (page) => askForCode(page, app),
      after: async (page) => {
        await page.getByLabel('Code', { exact: true }).fill('000000')
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await waitForAlert(page)
      },
    },
    {
      name: 'email-code_link',
      url,
      after: async (page) => openEmailLink(page, await askForCode(page, app), `Sign in to ${appName}`),
    },
    {
      name: 'email-code_other-browser',
      url,
      after: async (page) => {
        const email = await askForCode(page, app)
        await page.context().clearCookies()
        await openEmailLink(page, email, `Sign in to ${appName}`)
      },
    },
    { name: 'email-code_gone', url: `${url}/link?token=x` },
  ]
}
