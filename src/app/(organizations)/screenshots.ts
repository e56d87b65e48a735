import type { Page } from '@playwright/test'
import { linkIn, waitForEmail } from '../../../tests/app/support/inbox.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { query } from '../../../tests/app/support/query.ts'
import { newAda, type Screenshot, signInTo, waitForAlert } from '../../../tests/app/support/screenshots.ts'

const colleagues = [
  { name: 'Grace Hopper', email: 'grace.hopper@example.com', role: 'admin' },
  { name: 'Alan Turing', email: 'alan.turing@example.com', role: 'editor' },
  { name: 'Katherine Johnson', email: 'katherine.johnson@example.com', role: 'editor' },
  { name: 'Margaret Hamilton', email: 'margaret.hamilton@example.com', role: 'viewer' },
] as const

/** Every page of the module, in each visually different state. */
export function shots(app: string, password: string): Screenshot[] {
  const signInAsMember = async (page: Page) => {
    const email = await newAda({ role: 'editor' })
    await addColleagues(email)
    await signInTo(page, email, password)
    return email
  }
  const shot = (name: string, path: string, after?: Screenshot['after']): Screenshot => ({
    name: `organizations-${name}`,
    url: `${app}${path}`,
    before: signInAsMember,
    ...(after && { after }),
  })
  const signInAsNewUser = async (page: Page) => signInTo(page, await newAda(), password)
  const signInAsAppAdmin = async (page: Page) => signInTo(page, await newAda({ role: 'admin' }), password)
  return [
    { ...shot('none', '/organizations'), before: signInAsNewUser },
    shot('own', '/organizations'),
    shot('new', '/organizations/new'),
    shot('new_refused', '/organizations/new', async (page) => {
      await page.getByLabel('Name').fill('www.example.com')
      await page.getByRole('button', { name: 'Create organization' }).click()
      await waitForAlert(page)
    }),
    shot('switcher', '/o/acme/members', async (page) => {
      const menu = page.getByRole('button', { name: 'Menu' })
      if (await menu.isVisible()) await menu.click()
      await page
        .getByRole('button', { name: /Switch organization/ })
        .first()
        .click()
    }),
    shot('members', '/o/acme/members'),
    shot('member_menu', '/o/acme/members', async (page) => {
      await page.getByRole('button', { name: 'Actions for Alan Turing' }).click()
    }),
    shot('invite', '/o/acme/members/invite'),
    shot('invited', '/o/acme/members/invite', async (page) => {
      await page.getByLabel('Emails').fill(`barbara-${Date.now()}@example.com`)
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await page.waitForURL('**/members/invited**')
    }),
    {
      ...shot('join', '/organizations'),
      after: async (page) => {
        const email = await newAda()
        await page.goto(`${app}/o/acme/members/invite`)
        await page.getByLabel('Emails').fill(email)
        await page.getByRole('button', { name: 'Send invitations' }).click()
        const link = linkIn(await waitForEmail(email, 'Ada Lovelace invited you to Acme'))
        await page.context().clearCookies()
        await signInTo(page, email, password)
        await page.goto(link)
      },
    },
    shot('join_gone', '/organizations/join/x'),
    shot('settings', '/o/acme/settings'),
    shot('transfer', '/o/acme/settings/transfer'),
    shot('leave', '/o/acme/settings/leave'),
    shot('delete', '/o/acme/settings/delete'),
    shot('audit', '/o/acme/audit'),
    shot('posts', '/o/acme/content'),
    { ...shot('all', '/admin/organizations'), before: signInAsAppAdmin },
  ]
}

/** Makes the user an admin of Acme, which the seed creates, and gives it members with names. */
async function addColleagues(admin: string): Promise<void> {
  for (const { role, ...colleague } of colleagues) {
    if ((await query('select 1 from users where email = $1', [colleague.email])).length === 0) await newUser(colleague)
    await addMember(colleague.email, role)
  }
  // Only this Ada, whose screenshot is taken.
  await query(
    `delete from organizations_members using users
    where user_id = users.id and starts_with(email, 'ada.lovelace') and email <> $1`,
    [admin],
  )
  await addMember(admin, 'admin')
}

const addMember = (email: string, role: string) =>
  query(
    `insert into organizations_members (scope_id, user_id, role)
     select organizations_organizations.id, users.id, $2 from organizations_organizations, users
     where slug = 'acme' and email = $1 on conflict do nothing`,
    [email, role],
  )
