import type { Page } from '@playwright/test'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'
import { answered, refused, type Shot, signInTo } from '../../../tests/support/shots.ts'

/** Every page of the module, in each state that looks different. */
export function shots(app: string, password: string): Shot[] {
  const enter = async (page: Page) => {
    await crowd()
    const email = await newPerson()
    await query(`update users set role = 'admin', name = 'Ada Lovelace' where email = $1`, [email])
    await signInTo(page, email, password)
    return email
  }
  const shot = (name: string, path: string, after?: Shot['after']): Shot => ({
    name: `admin-${name}`,
    url: `${app}/admin/${path}`,
    before: enter,
    ...(after && { after }),
  })
  const openPerson = async (page: Page) => {
    await page.getByRole('link', { name: 'Grace Hopper' }).first().click()
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
  }
  return [
    shot('overview', 'overview'),
    shot('users', 'users'),
    shot('users_found', 'users?search=gra&role=viewer&status=active'),
    shot('users_nobody', 'users?search=nobody-at-all'),
    shot('users_suspended', 'users?search=ka', async (page) => {
      await page
        .getByRole('checkbox', { name: /^Choose Kath/ })
        .first()
        .check()
      await page.getByRole('button', { name: 'Suspend those chosen' }).click()
      await answered(page)
    }),
    shot('person', 'users?search=grace', openPerson),
    shot('person_refused', 'users?search=grace', async (page) => {
      await openPerson(page)
      await page.getByLabel('Type their e-mail').fill('x')
      await page.getByRole('button', { name: /^Delete/ }).click()
      await refused(page)
    }),
    shot('acting', 'users?search=grace', async (page) => {
      await openPerson(page)
      await page.getByRole('button', { name: /^Act for/ }).click()
      await page.getByRole('heading', { name: 'Hello, Grace Hopper' }).waitFor()
    }),
    shot('acting_static', 'users?search=grace', async (page) => {
      await openPerson(page)
      await page.getByRole('button', { name: /^Act for/ }).click()
      await page.getByRole('heading', { name: 'Hello, Grace Hopper' }).waitFor()
      await page.goto(`${app}/signed-out`)
    }),
    shot('invitations', 'invitations'),
    shot('invitations_sent', 'invitations', async (page) => {
      await page.getByLabel('E-mail addresses').fill(`ada-${Date.now()}@example.com, grace-${Date.now()}@example.com`)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await answered(page)
    }),
    shot('invitations_refused', 'invitations', async (page) => {
      await page.getByLabel('E-mail addresses').fill('ada')
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await refused(page)
    }),
    shot('audit', 'audit'),
    shot('audit_found', 'audit?kind=session.started&from=2026-01-01'),
    shot('permissions', 'permissions'),
  ]
}

/** Some people to look at. */
async function crowd(): Promise<void> {
  await query(
    `insert into users (email, name, role, suspended_at, last_seen_at, created_at, email_verified_at)
     select lower(replace(name, ' ', '.')) || number || '@example.com', name,
       case when number % 9 = 0 then 'editor' else 'viewer' end,
       case when number % 13 = 0 then now() end,
       case when number % 3 > 0 then now() - number * interval '7 hours' end,
       now() - number * interval '3 days', now()
     from generate_series(1, 8) number,
       unnest(array['Grace Hopper', 'Katherine Johnson', 'Alan Turing', 'Émilie du Châtelet', 'Barbara Liskov']) name
     on conflict do nothing`,
  )
  await query(
    `insert into admin_days (day, kind, count)
     select current_date - age, kind, (40 - age * 0.5 + 15 * sin(age) + 9 * sin(age * age)) * weight
     from generate_series(1, 59) age,
       (values ('person.joined', 0.3), ('session.started', 9), ('signin.failed', 0.2)) as kinds (kind, weight)
     on conflict do nothing`,
  )
}
