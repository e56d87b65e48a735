import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import {
  expect,
  expectAccessible,
  expectNoLayoutShift,
  signIn,
  startSession,
  test,
} from '../../../tests/app/support/e2e-test.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, sessionOf } from '../../../tests/app/support/sign-in.ts'
import {
  alertMessage,
  createUser,
  createUsers,
  expectNoHorizontalScroll,
  notFoundHeading,
  reauthenticate,
  rows,
  search,
  searchField,
  section,
  signInAsAdmin,
  uniqueWord,
} from './e2e-users.ts'

const userCheckbox = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
const pageLink = (page: Page, label: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: label })
const statusTab = (page: Page, label: string) =>
  page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: label })
const total = (page: Page) => page.locator('[data-slot="total"]')
const toast = (page: Page) => page.getByRole('status').locator('[data-slot="toast"]')
const selectionBar = (page: Page) => section(page, 'Selected users')
const filterButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const rowOf = (page: Page, name: string) => rows(page).filter({ hasText: name })
const names = (page: Page) => rows(page).getByRole('link')

async function suspendSelected(page: Page, count: number): Promise<void> {
  await selectionBar(page).getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('button', { name: count === 1 ? 'Suspend 1 user' : `Suspend ${count} users` }).click()
  await expect(toast(page)).toContainText(count === 1 ? 'User suspended.' : `${count} users suspended.`)
}

/** The texts or times of a column. */
async function cellsOf(page: Page, heading: Locator): Promise<string[]> {
  const at = await heading.evaluate((element: HTMLTableCellElement) => element.cellIndex)
  const cells = await rows(page)
    .locator(`td:nth-child(${at + 1})`)
    .evaluateAll((all) =>
      all.map((cell) => {
        const part = cell.querySelector('time')?.dateTime ?? cell.querySelector('a')?.textContent ?? cell.textContent
        return part?.toLowerCase() ?? ''
      }),
    )
  // Users who were never seen sort before all others.
  return cells.map((cell) => (cell.endsWith('never') ? '' : cell))
}

const inOrder = (texts: string[]) => texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin finds users by a prefix of the email or of a word of the name, and by id', {
      tag: '@smoke',
    }, async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const word = uniqueWord()
      const [one, two] = [await createUser({ name: `Grace Brewster ${word}` }), await createUser({ name: word })]
      await page.goto('/admin/users')
      await search(page, word.slice(0, -1).toUpperCase())
      await expect(total(page)).toHaveText('2 users')
      await expect(rows(page)).toHaveCount(2)
      await search(page, one.email.slice(0, -'@example.com'.length))
      await expect(total(page)).toHaveText('1 user')
      await expect(names(page)).toHaveText([one.name])
      await expect(rows(page)).toContainText([one.email])
      await expect(rows(page)).toContainText([/Viewer.*Active/])
      await search(page, two.id)
      await expect(rows(page).getByRole('link', { name: word, exact: true })).toBeVisible()
      await expect(total(page)).toHaveText('1 user')
      // Only prefixes match, not the middle of a word.
      await search(page, word.slice(1))
      await expect(page.getByText('No users match')).toBeVisible()
      await expect(rows(page)).toHaveCount(0)
      await page.getByRole('link', { name: 'Clear filters' }).click()
      await expect(page).toHaveURL('/admin/users')
      await expect(total(page)).toHaveText(/\d users$/)
      await expect(searchField(page)).toHaveValue('')
      await expect(rows(page).first()).toBeVisible()
    })

    test('an admin pages through search results, forward and back', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const word = uniqueWord()
      await createUsers(word, 5)
      const pages = [[`${word} 1`, `${word} 2`], [`${word} 3`, `${word} 4`], [`${word} 5`]] as const
      await page.goto(`/admin/users?search=${word}&limit=2`)
      await expect(total(page)).toHaveText('1–2 of 5 users')
      await expect(names(page)).toHaveText([...pages[0]])
      await expect(pageLink(page, 'Previous')).toHaveCount(0)
      await pageLink(page, 'Next').click()
      await expect(names(page)).toHaveText([...pages[1]])
      await expect(total(page)).toHaveText('2 of 5 users')
      await pageLink(page, 'Next').click()
      await expect(names(page)).toHaveText([...pages[2]])
      await expect(pageLink(page, 'Next')).toHaveCount(0)
      await page.reload()
      await expect(names(page)).toHaveText([...pages[2]])
      await pageLink(page, 'Previous').click()
      await expect(names(page)).toHaveText([...pages[1]])
      await pageLink(page, 'Previous').click()
      await expect(names(page)).toHaveText([...pages[0]])
      await expect(pageLink(page, 'Previous')).toHaveCount(0)
    })

    test('each column sorts in both directions, and aria-sort shows which', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      await createUsers(uniqueWord(), 3)
      await page.goto('/admin/users')
      const heading = (label: string) => page.getByRole('columnheader', { name: label })
      await expect(heading('Joined')).toHaveAttribute('aria-sort', 'descending')
      for (const label of ['User', 'Role', 'Joined', 'Last active']) {
        const seen = new Set<string>()
        for (let press = 0; press < 2; press++) {
          const before = page.url()
          await heading(label).getByRole('link').click()
          await page.waitForURL((url) => url.href !== before)
          await expect(heading(label)).toHaveAttribute('aria-sort', /^(a|de)scending$/)
          const direction = (await heading(label).getAttribute('aria-sort')) ?? ''
          await expect(page.locator('th[aria-sort]')).toHaveCount(1)
          expect(page.url(), label).toContain(direction === 'ascending' ? 'order=asc' : 'order=desc')
          const keys = await cellsOf(page, heading(label))
          expect(keys.length, label).toBeGreaterThan(3)
          const sorted = inOrder(keys)
          expect(keys, `${label}, ${direction}`).toEqual(direction === 'ascending' ? sorted : sorted.toReversed())
          seen.add(direction)
        }
        expect([...seen].sort(), label).toEqual(['ascending', 'descending'])
      }
      await page.reload()
      await expect(heading('Last active')).toHaveAttribute('aria-sort', /ending$/)
    })

    test('the menu "View" sorts by what has no column, and sets the size of rows; their number is below the list', async ({
      page,
      password,
    }) => {
      await signInAsAdmin(page, password)
      await createUsers(uniqueWord(), 3)
      await page.goto('/admin/users')
      const choose = async (label: string, param: string, { button = 'View', id = 'view' } = {}) => {
        await filterButton(page, button).press('Enter')
        await page.locator(`#${id}`).getByRole('link', { name: label, exact: true }).click()
        await page.waitForURL((url) => url.search.includes(param))
        await expect(page.locator(`#${id}`)).toBeHidden()
      }
      await choose('Email', 'sort=email')
      await choose('Descending', 'order=desc')
      // The focus on the last item of a menu does not scroll the page under it.
      await page.setViewportSize({ width: 1280, height: 640 })
      await filterButton(page, 'View').press('Enter')
      const last = page.locator('#view').getByRole('link', { name: 'Compact', exact: true })
      const focusLast = (link: HTMLElement | SVGElement) => {
        link.focus()
        return scrollY
      }
      expect(await last.evaluate(focusLast)).toBe(0)
      await page.keyboard.press('Escape')
      const emails = await rows(page).locator('td:first-child a + span').allTextContents()
      expect(emails.length).toBeGreaterThan(3)
      expect(emails).toEqual(inOrder(emails).toReversed())
      const rowHeight = async () => (await rows(page).first().boundingBox())?.height
      expect(await rowHeight()).toBeCloseTo(52, -1)
      await choose('Compact', 'view=compact')
      await expect.poll(rowHeight).toBeLessThan(46)
      await choose('50', 'limit=50', { button: 'Rows per page: 25', id: 'rows-per-page' })
      expect(page.url()).toContain('sort=email')
      expect(page.url()).toContain('view=compact')
    })

    test('an admin suspends several users at once: they are signed out, and cannot sign in until restored', async ({
      page,
      password,
      appUrl,
    }) => {
      await signInAsAdmin(page, password)
      const word = uniqueWord()
      const [one, two, three] = [
        await createUser({ name: `One ${word}` }),
        await createUser({ name: `Two ${word}` }),
        await createUser({ name: `Three ${word}` }),
      ]
      const other = await newBrowserPage(page, appUrl)
      await startSession(other, one.email, password)
      await page.goto('/admin/users')
      await search(page, word)
      await userCheckbox(page, one.name).check()
      await userCheckbox(page, two.name).check()
      await suspendSelected(page, 2)
      await expect(page).toHaveURL(new RegExp(`search=${word}`))
      await expect(rowOf(page, one.name)).toContainText('Suspended')
      await expect(rowOf(page, two.name)).toContainText('Suspended')
      await expect(rowOf(page, three.name)).toContainText('Active')
      await expect(userCheckbox(page, one.name)).not.toBeChecked()
      await expect(selectionBar(page)).toBeHidden()

      expect(await sessionOf(other)).toBeNull()
      await other.goto('/dashboard')
      await expect(other).toHaveURL('/signin')
      await signIn(other, one.email, password)
      await expect(alertMessage(other)).toBeVisible()
      expect(await sessionOf(other)).toBeNull()

      if (javaScriptEnabled) await page.getByRole('button', { name: `Actions for ${one.name}` }).click()
      // The menu of a row needs JavaScript. The page of the user has the same actions.
      else {
        await expect(page.getByRole('button', { name: `Actions for ${one.name}` })).toBeHidden()
        await page.getByRole('link', { name: one.name }).click()
        await page.getByRole('button', { name: 'More actions' }).click()
      }
      await page.getByRole('link', { name: 'Restore…' }).click()
      await page.getByRole('button', { name: 'Restore' }).click()
      await expect(toast(page)).toContainText('User restored.')
      if (!javaScriptEnabled) await page.goto(`/admin/users?search=${word}`)
      await expect(rowOf(page, one.name)).toContainText('Active')
      await startSession(other, one.email, password)
      expect((await sessionOf(other)).user.email).toBe(one.email)
      await other.context().close()
    })

    test('with no user selected there is nothing to do with them', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const { name } = await createUser()
      await page.goto('/admin/users')
      await search(page, name)
      await expect(selectionBar(page)).toBeHidden()
      await userCheckbox(page, name).check()
      await expect(selectionBar(page)).toBeVisible()
      await selectionBar(page).getByRole('button', { name: 'Clear selection' }).click()
      await expect(userCheckbox(page, name)).not.toBeChecked()
      await expect(selectionBar(page)).toBeHidden()
      if (javaScriptEnabled) await expect(userCheckbox(page, name)).toBeFocused()
      await page.goto('/admin/users/suspend')
      await expect(page).toHaveURL('/admin/users')
      await search(page, name)
      await expect(rows(page)).toContainText(['Active'])
    })

    test('the list can be filtered by status, role and last activity, and each filter can be cleared on its own', async ({
      page,
      password,
    }) => {
      await signInAsAdmin(page, password)
      const word = uniqueWord()
      const created = [
        await createUser({ name: `Ann ${word}`, role: 'editor' }),
        await createUser({ name: `Bea ${word}`, role: 'editor' }),
        await createUser({ name: `Cid ${word}` }),
        await createUser({ name: `Dot ${word}`, role: 'admin' }),
      ]
      await query('update users set suspended_at = now() where id = $1', [created[0]?.id])
      // On the first page, however many others are active.
      await query(`update users set last_seen_at = now() + interval '1 hour' where id = $1`, [created[3]?.id])
      const chooseRoles = async (button: string, ...chosen: string[]) => {
        await filterButton(page, button).click()
        const menu = page.locator('#filter-role')
        for (const role of chosen) await menu.getByRole('checkbox', { name: role }).check()
        if (!javaScriptEnabled) await menu.getByRole('button', { name: 'Apply' }).click()
      }
      await page.goto('/admin/users')
      await search(page, word)
      await expect(rows(page)).toHaveCount(4)
      await chooseRoles('Role', 'Editor', 'Viewer')
      await expect(filterButton(page, 'Role Viewer, Editor')).toBeVisible()
      await expect(rows(page)).toHaveCount(3)
      await page.keyboard.press('Escape')
      await statusTab(page, 'Suspended').click()
      await expect(names(page)).toHaveText([`Ann ${word}`])
      await expect(statusTab(page, 'Suspended')).toHaveAttribute('aria-current', 'page')
      // A number on a tab is what it shows: with other filters only the current one is counted.
      await expect(statusTab(page, 'Suspended')).toHaveText('Suspended1')
      await expect(statusTab(page, 'Active')).toHaveText('Active')
      await page.reload()
      await expect(names(page)).toHaveText([`Ann ${word}`])
      await expect(searchField(page)).toHaveValue(word)

      await statusTab(page, 'All').click()
      await expect(rows(page)).toHaveCount(3)
      await page.getByRole('link', { name: 'Clear Role' }).click()
      await expect(rows(page)).toHaveCount(4)
      await expect(filterButton(page, 'Role')).toBeVisible()
      await page.goBack()
      await expect(rows(page)).toHaveCount(3)
      await expect(filterButton(page, 'Role Viewer, Editor')).toBeVisible()
      await page.getByRole('link', { name: 'Clear all' }).click()
      await expect(page).toHaveURL('/admin/users')
      await expect(searchField(page)).toHaveValue('')
      await expect(page.getByRole('link', { name: 'Clear all' })).toHaveCount(0)
      await chooseRoles('Role', 'Admin')
      await expect(filterButton(page, 'Role Admin')).toBeVisible()
      const roleCells = await cellsOf(page, page.getByRole('columnheader', { name: 'Role' }))
      expect(new Set(roleCells)).toEqual(new Set(['admin']))
      await page.keyboard.press('Escape')

      await filterButton(page, 'Last active').click()
      await page.getByRole('link', { name: 'Never' }).click()
      await expect(filterButton(page, 'Last active Never')).toBeVisible()
      const activity = await cellsOf(page, page.getByRole('columnheader', { name: 'Last active' }))
      expect(new Set(activity)).toEqual(new Set(['']))
      await filterButton(page, 'Last active Never').click()
      await page.getByRole('link', { name: 'Last 24 hours' }).click()
      await expect(rowOf(page, `Dot ${word}`)).toBeVisible()
      await page.getByRole('link', { name: 'Clear Last active' }).click()
      await expect(page).toHaveURL('/admin/users?role=admin')
    })
  })
}

test('the menu of a row leads to everything that an admin can do, and says what is not possible', async ({
  page,
  password,
}) => {
  const admin = await signInAsAdmin(page, password)
  const word = uniqueWord()
  const user = await createUser({ name: `User ${word}` })
  const suspended = await createUser({ name: `Suspended ${word}` })
  await query('update users set name = $2 where id = $1', [admin.id, `Myself ${word}`])
  await query('update users set suspended_at = now() where id = $1', [suspended.id])
  const list = `/admin/users?search=${word}`
  await page.goto(list)
  const menu = (name: string) => page.getByRole('group', { name: `Actions for ${name}` })
  const open = async (name: string) => page.getByRole('button', { name: `Actions for ${name}` }).click()
  const paths = (name: string) =>
    menu(name)
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname.split('/').slice(4).join('/')))

  await expect(menu(user.name)).toBeHidden()
  await open(user.name)
  expect(await paths(user.name)).toEqual(['', 'role', 'reset', 'impersonate', 'sign-out', 'suspend', 'delete'])
  await expect(menu(user.name).getByRole('link', { name: 'Change role…' })).toHaveAttribute(
    'href',
    `/admin/users/${user.id}/role?from=${encodeURIComponent(list)}`,
  )
  await page.keyboard.press('Escape')
  await expect(menu(user.name)).toBeHidden()
  await open(`Suspended ${word}`)
  expect(await paths(`Suspended ${word}`)).toEqual(['', 'role', 'sign-out', 'restore', 'delete'])
  await expect(menu(`Suspended ${word}`).getByText('Restore this user first')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await open(`Myself ${word}`)
  expect(await paths(`Myself ${word}`)).toEqual(['', 'role', 'reset', 'sign-out'])
  await expect(menu(`Myself ${word}`)).toContainText('Admins can’t be impersonated')
  await expect(menu(`Myself ${word}`)).toContainText('You can’t suspend yourself')
  await page.keyboard.press('Escape')
  await open(user.name)
  await menu(user.name).getByRole('link', { name: 'View profile' }).click()
  await expect(page).toHaveURL(`/admin/users/${user.id}`)
})

test('the list follows the search while the admin types, and the field keeps the focus', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  const [one] = await createUsers(word, 8)
  await page.goto('/admin/users')
  await expect(page.getByRole('button', { name: 'Apply' })).toHaveCount(0)
  await searchField(page).pressSequentially(word)
  await expect(rows(page)).toHaveCount(8)
  await searchField(page).pressSequentially('-1')
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText([one?.email ?? ''])
  await expect(searchField(page)).toBeFocused()
  await expect(searchField(page)).toHaveValue(`${word}-1`)
  await searchField(page).fill(uniqueWord())
  await expect(page.getByText('No users match')).toBeVisible()
  // The search replaces its page in the history.
  await page.goto('/admin/overview')
  await page.goBack()
  await expect(page.getByText('No users match')).toBeVisible()
})

test('a user who is unverified or has a second factor is shown as such', async ({ page, password }) => {
  const [account] = await query<{ table: string | null }>(`select to_regclass('account_totp')::text as table`)
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  const [on, off] = [await createUser({ name: `On ${word}` }), await createUser({ name: `Off ${word}` })]
  await query('update users set email_verified_at = null where id = $1', [off.id])
  if (account?.table)
    await query(`insert into account_totp (user_id, secret, confirmed_at) values ($1, 'encrypted', now())`, [on.id])
  await page.goto(`/admin/users?search=${word}`)
  await expect(rowOf(page, on.name)).toContainText('Active')
  await expect(rowOf(page, off.name)).toContainText('Unverified')
  const heading = page.getByRole('columnheader', { name: '2FA' })
  if (!account?.table) return expect(heading).toHaveCount(0)
  const at = await heading.evaluate((element: HTMLTableCellElement) => element.cellIndex)
  for (const [{ name }, text] of [
    [on, 'On'],
    [off, 'Off'],
  ] as const)
    await expect(rowOf(page, name).locator(`td:nth-child(${at + 1})`)).toHaveText(text)
})

test('invalid query parameters are ignored: the first page is shown, not an error', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  await createUsers(word, 3)
  for (const broken of [
    'sort=nonsense',
    'cursor=nonsense',
    'limit=0',
    'role=king',
    'order=up',
    'role=editor&role=king',
    'seen=tomorrow',
    'view=huge',
  ])
    for (const rest of ['', `&search=${word}`]) {
      const response = await page.goto(`/admin/users?${broken}${rest}`)
      expect(response?.status(), broken).toBe(200)
      if (rest) await expect(rows(page), broken).toHaveCount(3)
      else await expect(rows(page).first(), broken).toBeVisible()
    }
  // A cursor of another sort order.
  await page.goto('/admin/users?sort=name&order=asc&limit=1')
  const cursor = new URL((await pageLink(page, 'Next').getAttribute('href')) ?? '', page.url()).searchParams.get(
    'cursor',
  )
  expect(cursor).toBeTruthy()
  await page.goto(`/admin/users?search=${word}&cursor=${cursor}`)
  await expect(rows(page)).toHaveCount(3)
  await page.goto(`/admin/users?search=${word}%00`)
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
})

test('the table header shows the default sort order of each column', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  for (const [sort, label, direction] of [
    ['seen', 'Last active', 'descending'],
    ['created', 'Joined', 'descending'],
    ['name', 'User', 'ascending'],
  ] as const) {
    await page.goto(`/admin/users?sort=${sort}`)
    await expect(page.getByRole('columnheader', { name: label })).toHaveAttribute('aria-sort', direction)
  }
})

test('select all skips the admin, and the result is shown even when the list becomes empty', async ({
  page,
  password,
}) => {
  const admin = await signInAsAdmin(page, password)
  const word = uniqueWord()
  await createUsers(word, 3)
  await query('update users set name = $2 where id = $1', [admin.id, `Myself ${word}`])
  await page.goto(`/admin/users?search=${word}`)
  const selectAll = page.getByRole('checkbox', { name: 'Select all on this page' })
  await selectAll.check()
  await expect(rows(page).getByRole('checkbox', { checked: true })).toHaveCount(3)
  await expect(userCheckbox(page, `Myself ${word}`)).toBeDisabled()
  await expect(userCheckbox(page, `Myself ${word}`)).not.toBeChecked()
  await userCheckbox(page, `${word} 1`).uncheck()
  await expect(selectAll).not.toBeChecked()
  expect(await selectAll.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true)
  await expect(page.getByText('2 selected', { exact: true })).toBeAttached()
  await userCheckbox(page, `${word} 1`).check()
  await expect(selectAll).toBeChecked()
  await selectAll.uncheck()
  await expect(rows(page).getByRole('checkbox', { checked: true })).toHaveCount(0)

  await page.goto(`/admin/users?search=${word}&role=viewer&status=active`)
  await selectAll.check()
  await suspendSelected(page, 3)
  await expect(page.getByText('No users match')).toBeVisible()
  await statusTab(page, 'All').click()
  await expect(rows(page).filter({ hasText: 'Suspended' })).toHaveCount(3)
  expect((await sessionOf(page)).user.id).toBe(admin.id)
})

test('a dialog that is canceled keeps the selection', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  await createUsers(word, 3)
  await page.goto(`/admin/users?search=${word}`)
  await userCheckbox(page, `${word} 1`).check()
  await userCheckbox(page, `${word} 2`).check()
  for (const button of ['Change role', 'Sign out', 'Suspend']) {
    await selectionBar(page).getByRole('button', { name: button }).click()
    await expect(page.getByRole('dialog')).toContainText('2 users')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(rows(page).getByRole('checkbox', { checked: true })).toHaveCount(2)
  }
})

test('an admin exports the filtered users as CSV, and a name cannot become a formula', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  const word = uniqueWord()
  const formula = await createUser({ name: `=1+1 ${word}`, role: 'editor' })
  const plain = await createUser({ name: `Plain, "quoted" ${word}`, role: 'editor' })
  await createUser({ name: `Other ${word}` })
  await page.goto(`/admin/users?search=${word}&role=editor`)
  const exportLink = page.getByRole('link', { name: 'Export', exact: true })
  const downloadCsv = async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), exportLink.click()])
    expect(download.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/)
    return (await readFile(await download.path(), 'utf8')).split('\r\n')
  }
  const [head, ...lines] = await downloadCsv()
  expect(head).toBe('id,name,email,role,status,created,last seen')
  const expectStart = (line: string | undefined, start: string) => expect(line?.slice(0, start.length)).toBe(start)
  expect(lines).toHaveLength(3)
  expect(lines[2]).toBe('')
  const [first, second] = lines
    .slice(0, 2)
    .toSorted((a, b) => Number(a.includes('Plain')) - Number(b.includes('Plain')))
  expectStart(first, `${formula.id},'=1+1 ${word},${formula.email},editor,active,20`)
  expectStart(second, `${plain.id},"Plain, ""quoted"" ${word}",${plain.email},editor,active,20`)

  await expireReauthentication(admin.email)
  expect((await page.request.get(`/api/admin/users/export?search=${word}`)).status()).toBe(403)
  await page.reload()
  await exportLink.click()
  await reauthenticate(page, password)
  await expect(page).toHaveURL(`/admin/users?search=${word}&role=editor`)
  expect(await downloadCsv()).toHaveLength(4)
  // Several roles, as the list shows them.
  await page.goto(`/admin/users?search=${word}&role=editor&role=viewer`)
  await expect(rows(page)).toHaveCount(3)
  expect(await downloadCsv()).toHaveLength(5)
})

test('suspending requires reauthentication within the last hour, and returns to the list', async ({
  page,
  password,
}) => {
  const admin = await signInAsAdmin(page, password)
  const { name } = await createUser()
  await page.goto('/admin/users')
  await search(page, name)
  await userCheckbox(page, name).check()
  await expireReauthentication(admin.email)
  await selectionBar(page).getByRole('button', { name: 'Suspend' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password', { exact: true }).fill('wrong')
  await dialog.getByRole('button', { name: 'Suspend 1 user' }).click()
  await expect(dialog.getByLabel('Your password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  expect(await query('select suspended_at from users where name = $1', [name])).toEqual([{ suspended_at: null }])
  await expectAccessible(page)
  await dialog.getByLabel('Your password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Suspend 1 user' }).click()
  await expect(toast(page)).toContainText('User suspended.')
  await page.waitForURL((url) => url.searchParams.get('search') === name)
  await expect(rows(page)).toContainText(['Suspended'])
})

for (const role of ['viewer', 'editor']) {
  test(`the admin pages are 404 for a user with the role ${role}`, async ({ page, password }) => {
    const { id, email } = await createUser({ role })
    await startSession(page, email, password)
    await page.goto('/dashboard')
    const main = page.getByRole('navigation', { name: 'Main' })
    await expect(main.getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expect(main.getByRole('link', { name: /^(Overview|Users|Invitations|Audit log|Roles)/ })).toHaveCount(0)
    for (const path of [
      '/admin',
      '/admin/overview',
      '/admin/users',
      `/admin/users/${id}`,
      '/admin/invitations',
      '/admin/audit',
      '/admin/permissions',
    ]) {
      const response = await page.goto(path)
      await expect(notFoundHeading(page), path).toBeVisible()
      expect(response?.status(), path).toBe(404)
      expect(await page.content(), path).not.toMatch(/What each role can do|Everyone with an account|User ID/)
    }
    for (const path of ['/api/admin/users/export', '/api/admin/audit/export', '/api/demo/admin/users'])
      expect((await page.request.get(path)).status(), path).toBe(403)
  })
}

test('unauthenticated callers are redirected to sign in, and then to the page they requested', async ({
  page,
  password,
}) => {
  const admin = await createUser({ role: 'admin' })
  const { id, name } = await createUser()
  for (const path of [
    '/admin/permissions',
    `/admin/users/${id}`,
    `/admin/users?search=${encodeURIComponent(name).replace('%20', '+')}&role=viewer`,
  ]) {
    await page.context().clearCookies()
    await page.goto(path)
    await expect(page, path).toHaveURL(/\/signin\?callbackUrl=/)
    await page.getByLabel('Email').fill(admin.email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(path)
  }
  await page.goto('/admin')
  await expect(page).toHaveURL('/admin/overview')
})

test('the sidebar links to the admin pages, and marks the current one', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  await page.goto('/dashboard')
  const main = page.getByRole('navigation', { name: 'Main' })
  for (const [label, path] of [
    ['Overview', '/admin/overview'],
    ['Users', '/admin/users'],
    ['Roles & permissions', '/admin/permissions'],
  ] as const) {
    await main.getByRole('link', { name: label }).click()
    await expect(page).toHaveURL(path)
    await expect(main.getByRole('link', { name: label })).toHaveAttribute('aria-current', 'page')
    await expect(main.locator('[aria-current]')).toHaveCount(1)
  }
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'users.delete' }) })
  await expect(row.getByRole('cell', { name: /^(Yes|No)$/ })).toHaveText(['No', 'No', 'Yes'])
  await expectAccessible(page)
})

test('the user list is accessible in each of its states', async ({ page, password }) => {
  test.slow()
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  const [one] = await createUsers(word, 3)
  for (const queryString of [
    '',
    `?search=${word}&role=viewer&status=active`,
    `?search=${uniqueWord()}`,
    '?seen=never&role=viewer&view=compact',
    '?done=deleted',
  ]) {
    await page.goto(`/admin/users${queryString}`)
    await expectAccessible(page)
  }
  await page.goto(`/admin/users?search=${word}&limit=2`)
  for (const name of ['Role', 'View', `Actions for ${one?.name}`]) {
    await filterButton(page, name).click()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
  }
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await expect(selectionBar(page)).toBeVisible()
  await expectAccessible(page)
  await suspendSelected(page, 2)
  await expectAccessible(page)
})

for (const width of [320, 390]) {
  test.describe(`on a screen of ${width} pixels`, () => {
    test.use({ viewport: { width, height: 844 } })

    test('no page scrolls horizontally, and the table is a list', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const { id, name } = await createUser({
        name: `${'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)} ${uniqueWord()}`,
      })
      for (const path of ['users', `users?search=${name}&role=viewer&status=active`, 'permissions', `users/${id}`]) {
        await page.goto(`/admin/${path}`)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectNoHorizontalScroll(page)
      }
      await page.goto(`/admin/users?search=${name}`)
      const frame = section(page, 'Users')
      expect(await frame.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
      for (const text of ['Viewer', 'Active', 'Never'])
        await expect(rows(page).getByText(text).first()).toBeInViewport()
      await userCheckbox(page, name).check()
      await expect(selectionBar(page)).toBeInViewport()
      await expectNoHorizontalScroll(page)
      await page.getByRole('button', { name: 'Clear selection' }).click()
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await expect(page.getByRole('link', { name: 'Suspend…' })).toBeInViewport()
      await expectNoHorizontalScroll(page)
    })
  })
}

test('nothing on the pages of users moves while they load', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const { id } = await createUser()
  for (const path of ['users', `users/${id}`]) await expectNoLayoutShift(page, `/admin/${path}`)
})

test('the first user is at most 12 Tab stops from the skip link', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  await page.goto('/admin/users')
  await expect(page.getByRole('checkbox', { name: 'Select all on this page' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  const first = rows(page).first()
  let stops = 0
  do {
    await page.keyboard.press('Tab')
    stops++
  } while (stops < 20 && !(await first.evaluate((element) => element.contains(document.activeElement))))
  expect(stops).toBeLessThanOrEqual(12)
})

test('a user can be found and their role changed with the keyboard alone', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const { name } = await createUser()
  const tabTo = async (target: Locator) => {
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press('Tab')
      if (await target.evaluate((element) => element === document.activeElement)) return
    }
    await expect(target, 'reachable with Tab').toBeFocused()
  }
  await page.goto('/admin/users')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(searchField(page))
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(1)
  await tabTo(page.getByRole('button', { name: `Actions for ${name}` }))
  await page.keyboard.press('Enter')
  await tabTo(page.getByRole('link', { name: 'Change role…' }))
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await tabTo(dialog.getByLabel('Role', { exact: true }))
  await page.keyboard.type('editor')
  await expect(dialog.getByLabel('Role', { exact: true })).toHaveValue('editor')
  await tabTo(dialog.getByRole('button', { name: 'Change role' }))
  await page.keyboard.press('Enter')
  await expect(toast(page)).toContainText('Role changed to Editor.')
  await expect(rows(page)).toContainText(['Editor'])
  expect(await query('select role from users where name = $1', [name])).toEqual([{ role: 'editor' }])
})
