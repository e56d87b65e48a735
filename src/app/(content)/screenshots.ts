import type { Page } from '@playwright/test'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'
import { type Shot, signInTo } from '../../../tests/support/shots.ts'

/** Every page of the module, in each state that looks different. */
export function shots(app: string, password: string): Shot[] {
  const enter = async (page: Page) => {
    const email = await newPerson()
    await query(`update users set role = 'editor', name = 'Ada Lovelace' where email = $1`, [email])
    await signInTo(page, email, password)
    return email
  }
  const open = (title: string) => async (page: Page) => {
    await page.getByRole('link', { name: title }).first().click()
    await page.getByLabel('Text', { exact: true }).waitFor()
  }
  const shot = (name: string, path: string, after?: Shot['after']): Shot => ({
    name: `content-${name}`,
    url: `${app}${path}`,
    before: enter,
    ...(after && { after }),
  })
  return [
    shot('posts', '/posts'),
    shot('posts_found', '/posts?search=versions'),
    shot('posts_nothing', '/posts?search=nothing+at+all'),
    shot('post', '/posts/your-first-change'),
    shot('list', '/content'),
    shot('editor', '/content', open('How a post is made')),
    shot('conflict', '/content', async (page) => {
      await open('Who may do what')(page)
      await query(`update content_posts set version = version + 1 where title = 'Who may do what'`)
      await page.getByLabel('Summary').fill('Roles, and what they may do.')
      await page.getByRole('button', { name: 'Go on with mine' }).waitFor()
      await page.evaluate(() => scrollTo(0, 0))
    }),
    shot('versions', '/content', async (page) => {
      await open('Before you go live')(page)
      await page.getByRole('link', { name: /^Version/ }).click()
      await page.getByRole('heading', { name: 'Versions of' }).waitFor()
    }),
  ]
}
