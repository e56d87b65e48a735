import type { Page } from '@playwright/test'
import { greeting } from '../../../tests/app/support/greeting.ts'
import { openPalette } from '../../../tests/app/support/palette.ts'
import { query } from '../../../tests/app/support/query.ts'
import { newAda, type Screenshot, signInTo, waitForAlert } from '../../../tests/app/support/screenshots.ts'

/** Every page of the module, in each visually different state. */
export function shots(app: string, password: string): Screenshot[] {
  const signInAsNewAdmin = async (page: Page) => {
    await insertSampleData()
    const email = await newAda({ role: 'admin' })
    await signInTo(page, email, password)
    return email
  }
  const shot: MakeShot = (name, path, after) => ({
    name: `admin-${name}`,
    url: `${app}/admin/${path}`,
    before: signInAsNewAdmin,
    ...(after && { after }),
  })
  return [
    { name: 'dashboard-admin', url: `${app}/dashboard`, before: signInAsNewAdmin },
    {
      name: 'palette',
      url: `${app}/dashboard`,
      before: signInAsNewAdmin,
      after: async (page) => {
        await openPalette(page)
        await page.getByRole('combobox').fill('gra')
        await page
          .getByRole('option', { name: /Grace Hopper/ })
          .first()
          .waitFor()
      },
    },
    {
      ...shot('error', 'audit'),
      before: async (page) => {
        await signInAsNewAdmin(page)
        await query('alter table audit_events rename to audit_events_away')
      },
      after: () => query('alter table audit_events_away rename to audit_events'),
    },
    shot('overview', 'overview'),
    ...listShots(shot),
    {
      ...shot('users_picture', 'users?role=viewer,editor&view=compact', openRowMenu),
      picture: 'users',
      // The seeded admin, who has a short email.
      before: async (page) => {
        await insertSampleData()
        await signInTo(page, 'admin@example.com', password)
      },
    },
    ...userShots(shot, app),
    shot('import', 'users/import'),
    shot('import_report', 'users/import', async (page) => {
      const rows = [`ada-${Date.now()}@example.com,editor`, 'ada', 'admin@example.com', 'grace@example.com,owner']
      const buffer = Buffer.from(['email,role', ...rows].join('\n'))
      await page.getByLabel('File').setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('button', { name: 'Check file' }).click()
      await page.getByRole('region', { name: 'Skipped rows' }).waitFor()
    }),
    shot('invitations', 'invitations'),
    shot('invitations_new', 'invitations', async (page) => {
      await page.getByRole('link', { name: 'Invite users' }).first().click()
      await page.getByLabel('Emails').waitFor()
    }),
    shot('invitations_sent', 'invitations/new', async (page) => {
      await page.getByLabel('Emails').fill(`ada-${Date.now()}@example.com, grace-${Date.now()}@example.com`)
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await page.locator('[data-slot="toast"]').waitFor()
    }),
    shot('invitations_refused', 'invitations/new', async (page) => {
      await page.getByLabel('Emails').fill('ada')
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await waitForAlert(page)
    }),
    shot('audit', 'audit'),
    shot('audit_found', 'audit?kind=session.started&from=2026-01-01'),
    shot('permissions', 'permissions'),
  ]
}

type MakeShot = (name: string, path: string, after?: Screenshot['after']) => Screenshot

const openRowMenu = (page: Page) =>
  page
    .getByRole('button', { name: /^Actions for/ })
    .nth(2)
    .click()

const listShots = (shot: MakeShot): Screenshot[] => [
  shot('users', 'users'),
  shot('users_found', 'users?search=gra&role=viewer&status=active'),
  shot('users_nobody', 'users?search=nobody-at-all'),
  shot('users_suspended', 'users?search=ka', async (page) => {
    await page
      .getByRole('checkbox', { name: /^Select Kath/ })
      .first()
      .check()
    await page.getByRole('region', { name: 'Selected users' }).getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('button', { name: 'Suspend 1 user' }).click()
    await page.locator('[data-slot="toast"]').waitFor()
  }),
  shot('users_selected', 'users', async (page) => {
    for (const index of [1, 3, 5])
      await page
        .getByRole('checkbox', { name: /^Select (?!all)/ })
        .nth(index)
        .check()
  }),
  shot('users_menu', 'users?role=viewer,editor&view=compact', openRowMenu),
  shot('users_filter', 'users?role=viewer', async (page) => {
    await page.getByRole('button', { name: /^Role/ }).click()
  }),
]

const openUser = async (page: Page) => {
  await page.getByRole('link', { name: 'Grace Hopper' }).first().click()
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
}

const userShots = (shot: MakeShot, app: string): Screenshot[] => [
  shot('user', 'users?search=grace', openUser),
  shot('user_activity', 'users?search=grace', async (page) => {
    await openUser(page)
    await page.getByRole('link', { name: 'Activity', exact: true }).click()
    await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor()
  }),
  shot('user_refused', 'users?search=grace', async (page) => {
    await openUser(page)
    await page.getByRole('link', { name: 'Delete', exact: true }).click()
    await page.getByLabel('Type their email').fill('x')
    await page.getByRole('button', { name: 'Delete user' }).click()
    await waitForAlert(page)
  }),
  shot('impersonating', 'users?search=grace', async (page) => {
    await openUser(page)
    await page.getByRole('link', { name: 'Impersonate' }).click()
    await page.getByRole('button', { name: 'Impersonate', exact: true }).click()
    await greeting(page, 'Grace').waitFor()
  }),
  shot('impersonating_static', 'users?search=grace', async (page) => {
    await openUser(page)
    await page.getByRole('link', { name: 'Impersonate' }).click()
    await page.getByRole('button', { name: 'Impersonate', exact: true }).click()
    await greeting(page, 'Grace').waitFor()
    await page.goto(`${app}/signed-out`)
  }),
]

const sampleNames = [
  ...['Grace Hopper', 'Katherine Johnson', 'Alan Turing', 'Émilie du Châtelet', 'Barbara Liskov', 'Margaret Hamilton'],
  ...['Donald Knuth', 'Radia Perlman', 'Edsger Dijkstra', 'Frances Allen', 'Dennis Ritchie', 'Joan Clarke'],
  ...['Tony Hoare', 'Annie Easley', 'Niklaus Wirth', 'Karen Spärck Jones', 'John McCarthy', 'Dorothy Vaughan'],
  ...['Leslie Lamport', 'Mary Jackson', 'Claude Shannon', 'Sophie Wilson', 'Ken Thompson', 'Lynn Conway'],
  ...['Kathleen Booth', 'Adele Goldberg', 'Peter Naur', 'Shafi Goldwasser', 'Robin Milner', 'Hedy Lamarr'],
]

const sampleDevices = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
]

/** Inserts sample users and daily counts. */
async function insertSampleData(): Promise<void> {
  await query(
    `insert into users (email, name, role, suspended_at, last_seen_at, created_at, email_verified_at)
     select translate(lower(name), ' éâä', '.eaa') || '@example.com', name,
       case when number % 9 = 0 then 'editor' else 'viewer' end,
       case when number % 13 = 0 then now() end,
       case when number % 3 > 0 then now() - number * interval '7 hours' end,
       now() - number * interval '3 days', now()
     from unnest($1::text[]) with ordinality as sample (name, number)
     on conflict do nothing`,
    [sampleNames],
  )
  // On two devices each, since their last activity.
  await query(
    `with started as (
       insert into sessions (user_id, token_hash, user_agent, ip, created_at, last_seen_at)
       select id, sha256(convert_to(id || ip, 'UTF8')), device, ip::inet, last_seen_at - interval '2 hours', last_seen_at
       from users, (values ($2, '203.0.113.7'), ($3, '198.51.100.24')) as sample (device, ip)
       where name = any($1::text[]) and last_seen_at is not null
       on conflict do nothing returning *
     )
     insert into audit_events (at, kind, actor_id, ip, user_agent, details)
     select created_at, 'session.started', user_id, ip, user_agent, '{"way": "password"}' from started`,
    [sampleNames, ...sampleDevices],
  )
  const [account] = await query<{ name: string | null }>(`select to_regclass('account_totp') as name`)
  if (account?.name)
    await query(
      `insert into account_totp (user_id, secret, confirmed_at)
       select id, 'sample', now() from users where name = any($1::text[]) on conflict do nothing`,
      [sampleNames.filter((_, index) => index % 3 !== 1)],
    )
  await query(
    `insert into admin_days (day, kind, count)
     select current_date - age, kind, (40 - age * 0.5 + 15 * sin(age) + 9 * sin(age * age)) * weight
     from generate_series(1, 59) age,
       (values ('person.joined', 0.04), ('session.started', 9), ('signin.failed', 0.2)) as kinds (kind, weight)
     on conflict do nothing`,
  )
}
