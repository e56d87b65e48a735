import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { elsewhere, sessionOf } from '../../../tests/support/enter.ts'
import { expect, signIn, test } from '../../../tests/support/journey.ts'
import { query } from '../../../tests/support/query.ts'
import {
  ageConfirmation,
  confirmIdentity,
  crowdOf,
  enter,
  enterAsAdmin,
  expectAccessibleInBothThemes,
  expectNoSidewaysScrolling,
  nothingHere,
  rows,
  said,
  search,
  section,
  somebody,
  someWord,
  trouble,
} from './journey-people.ts'

const chip = (page: Page, label: string) =>
  page.getByRole('link', { name: new RegExp(`^${label}\\s*, remove this filter$`) })
const choose = (page: Page, name: string) => page.getByRole('checkbox', { name: `Choose ${name}` })
const turn = (page: Page, label: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: label })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin finds people by the beginning of an address or of a word of the name, and by id', async ({
      page,
      password,
    }) => {
      await enterAsAdmin(page, password)
      const word = someWord()
      const [one, two] = [await somebody({ name: `Grace Brewster ${word}` }), await somebody({ name: word })]
      await page.goto('/admin/users')
      await search(page, word.slice(0, -1).toUpperCase())
      await expect(page.getByText('2 people found')).toBeVisible()
      await expect(rows(page)).toHaveCount(2)
      await search(page, one.email.slice(0, -'@example.com'.length))
      await expect(page.getByText('1 person found')).toBeVisible()
      await expect(rows(page)).toHaveText([new RegExp(`${one.name}${one.email}vieweractive`)])
      await search(page, two.id)
      await expect(rows(page).getByRole('link', { name: word, exact: true })).toBeVisible()
      await expect(page.getByText('1 person found')).toBeVisible()
      // Not from the middle of a word.
      await search(page, word.slice(1))
      await expect(page.getByText('0 people found')).toBeVisible()
      await expect(page.getByText('Nobody matches')).toBeVisible()
      await page.getByRole('link', { name: 'Clear the filter' }).click()
      await expect(page).toHaveURL('/admin/users')
      await expect(page.getByText(/^[\d,]+ people$/)).toBeVisible()
      await expect(page.getByLabel('Search')).toHaveValue('')
      await expect(rows(page).first()).toBeVisible()
    })

    test('an admin turns the pages of what was found, forwards and back', async ({ page, password }) => {
      await enterAsAdmin(page, password)
      const word = someWord()
      await crowdOf(word, 5)
      const pages = [[`${word} 1`, `${word} 2`], [`${word} 3`, `${word} 4`], [`${word} 5`]] as const
      await page.goto(`/admin/users?search=${word}&limit=2`)
      await expect(page.getByText('5 people found')).toBeVisible()
      await expect(rows(page).getByRole('link')).toHaveText([...pages[0]])
      await expect(turn(page, 'Previous')).toHaveCount(0)
      await turn(page, 'Next').click()
      await expect(rows(page).getByRole('link')).toHaveText([...pages[1]])
      await turn(page, 'Next').click()
      await expect(rows(page).getByRole('link')).toHaveText([...pages[2]])
      await expect(turn(page, 'Next')).toHaveCount(0)
      await page.reload()
      await expect(rows(page).getByRole('link')).toHaveText([...pages[2]])
      await turn(page, 'Previous').click()
      await expect(rows(page).getByRole('link')).toHaveText([...pages[1]])
      await turn(page, 'Previous').click()
      await expect(rows(page).getByRole('link')).toHaveText([...pages[0]])
      await expect(turn(page, 'Previous')).toHaveCount(0)
    })

    test('each column sorts, one way and the other, and says so', async ({ page, password }) => {
      await enterAsAdmin(page, password)
      await crowdOf(someWord(), 3)
      const columns = [
        { label: 'Name', at: 2 },
        { label: 'E-mail', at: 3 },
        { label: 'Role', at: 4 },
        { label: 'Joined', at: 6 },
        { label: 'Last seen', at: 7 },
      ]
      await page.goto('/admin/users')
      const heading = (label: string) => page.getByRole('columnheader', { name: label })
      await expect(heading('Joined')).toHaveAttribute('aria-sort', 'descending')
      for (const { label, at } of columns) {
        const seen = new Set<string>()
        for (let press = 0; press < 2; press++) {
          const before = page.url()
          await heading(label).getByRole('link').click()
          await page.waitForURL((url) => url.href !== before)
          await expect(heading(label)).toHaveAttribute('aria-sort', /^(a|de)scending$/)
          const way = (await heading(label).getAttribute('aria-sort')) ?? ''
          await expect(page.locator('th[aria-sort]')).toHaveCount(1)
          expect(page.url(), label).toContain(way === 'ascending' ? 'order=asc' : 'order=desc')
          const cells = await rows(page)
            .locator(`td:nth-child(${at})`)
            .evaluateAll((all) =>
              all.map((cell) => cell.querySelector('time')?.dateTime ?? cell.textContent?.toLowerCase() ?? ''),
            )
          // Whoever was never seen comes before everybody who was.
          const keys = cells.map((cell) => (cell === 'never' ? '' : cell))
          const inOrder = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
          expect(keys.length, label).toBeGreaterThan(3)
          expect(keys, `${label}, ${way}`).toEqual(way === 'ascending' ? inOrder : inOrder.toReversed())
          seen.add(way)
        }
        expect([...seen].sort(), label).toEqual(['ascending', 'descending'])
      }
      await page.reload()
      await expect(heading('Last seen')).toHaveAttribute('aria-sort', /ending$/)
    })

    test('an admin suspends several at once: they are out, and stay out until they are restored', async ({
      page,
      password,
      appUrl,
    }) => {
      await enterAsAdmin(page, password)
      const word = someWord()
      const [one, two, three] = [
        await somebody({ name: `One ${word}` }),
        await somebody({ name: `Two ${word}` }),
        await somebody({ name: `Three ${word}` }),
      ]
      const other = await elsewhere(page, appUrl)
      await enter(other, one.email, password)
      await page.goto('/admin/users')
      await search(page, word)
      await choose(page, one.name).check()
      await choose(page, two.name).check()
      await page.getByRole('button', { name: 'Suspend those chosen' }).click()
      await expect(said(page)).toHaveText('Suspended, and signed out everywhere.')
      const row = (name: string) => rows(page).filter({ hasText: name })
      await expect(row(one.name)).toContainText('suspended')
      await expect(row(two.name)).toContainText('suspended')
      await expect(row(three.name)).toContainText('active')
      await expect(choose(page, one.name)).not.toBeChecked()

      expect(await sessionOf(other)).toBeNull()
      await other.goto('/dashboard')
      await expect(other).toHaveURL('/signin')
      await signIn(other, one.email, password)
      await expect(trouble(other)).toBeVisible()
      expect(await sessionOf(other)).toBeNull()

      await row(one.name).getByRole('link').click()
      await page.getByRole('button', { name: 'Restore' }).click()
      await expect(page.getByRole('heading', { name: 'Suspend', exact: true })).toBeVisible()
      await enter(other, one.email, password)
      expect((await sessionOf(other)).user.email).toBe(one.email)
      await other.context().close()
    })

    test('suspending with nobody chosen says so, and suspends nobody', async ({ page, password }) => {
      await enterAsAdmin(page, password)
      const { name } = await somebody()
      await page.goto('/admin/users')
      await search(page, name)
      await page.getByRole('button', { name: 'Suspend those chosen' }).click()
      await expect(trouble(page)).toContainText('Choose somebody first')
      await expect(rows(page)).toContainText(['active'])
    })
  })
}

test('while an admin types, the browser is offered who begins so', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  const word = someWord()
  const [one] = await crowdOf(word, 8)
  await page.goto('/admin/users')
  const offers = page.locator('datalist option')
  await expect(offers).toHaveCount(0)
  await page.getByLabel('Search').pressSequentially(word)
  await expect(offers).toHaveCount(6)
  await page.getByLabel('Search').pressSequentially('-1')
  await expect(offers).toHaveCount(1)
  await expect(offers).toHaveAttribute('value', one?.email ?? '')
  await expect(offers).toHaveText(one?.name ?? '')
  await page.getByLabel('Search').fill(someWord())
  await expect(offers).toHaveCount(0)
})

test('the list is narrowed to a role and a status, and each filter is taken away by its own', async ({
  page,
  password,
}) => {
  await enterAsAdmin(page, password)
  const word = someWord()
  const everybody = [
    await somebody({ name: `Ann ${word}`, role: 'editor' }),
    await somebody({ name: `Bea ${word}`, role: 'editor' }),
    await somebody({ name: `Cid ${word}` }),
  ]
  await query('update users set suspended_at = now() where id = $1', [everybody[0]?.id])
  await page.goto('/admin/users')
  await page.getByLabel('Search').fill(word)
  await page.getByLabel('Role').selectOption('editor')
  await page.getByLabel('Status').selectOption('suspended')
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(rows(page).getByRole('link')).toHaveText([`Ann ${word}`])
  await page.reload()
  await expect(rows(page).getByRole('link')).toHaveText([`Ann ${word}`])
  await expect(page.getByLabel('Search')).toHaveValue(word)
  await expect(page.getByLabel('Role')).toHaveValue('editor')
  await expect(page.getByLabel('Status')).toHaveValue('suspended')

  await chip(page, 'Status: suspended').click()
  await expect(rows(page)).toHaveCount(2)
  for (const name of ['Ann', 'Bea'])
    await expect(rows(page).getByRole('link', { name: `${name} ${word}` })).toBeVisible()
  await expect(page.getByLabel('Status')).toHaveValue('')
  await chip(page, 'Role: editor').click()
  await expect(rows(page)).toHaveCount(3)
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByLabel('Role')).toHaveValue('editor')
  await chip(page, `Search: ${word}`).click()
  await expect(page).toHaveURL('/admin/users?role=editor')
  await expect(page.getByLabel('Search')).toHaveValue('')
  await expect(rows(page).first()).toBeVisible()
  expect(new Set(await rows(page).locator('td:nth-child(4)').allTextContents())).toEqual(new Set(['editor']))
})

test('what the address cannot mean is left out: the first page comes, not an error', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  const word = someWord()
  await crowdOf(word, 3)
  for (const broken of [
    'sort=nonsense',
    'cursor=nonsense',
    'limit=0',
    'role=king',
    'order=up',
    'role=editor&role=viewer',
  ])
    for (const rest of ['', `&search=${word}`]) {
      const response = await page.goto(`/admin/users?${broken}${rest}`)
      expect(response?.status(), broken).toBe(200)
      if (rest) await expect(rows(page), broken).toHaveCount(3)
      else await expect(rows(page).first(), broken).toBeVisible()
    }
  // A cursor of another order.
  await page.goto('/admin/users?sort=name&order=asc&limit=1')
  const cursor = new URL((await turn(page, 'Next').getAttribute('href')) ?? '', page.url()).searchParams.get('cursor')
  expect(cursor).toBeTruthy()
  await page.goto(`/admin/users?search=${word}&cursor=${cursor}`)
  await expect(rows(page)).toHaveCount(3)
  await page.goto(`/admin/users?search=${word}%00`)
  await expect(page.getByRole('heading', { name: 'People' })).toBeVisible()
})

test('the order that the list comes in is the one that its head tells', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  for (const [sort, label, way] of [
    ['seen', 'Last seen', 'descending'],
    ['created', 'Joined', 'descending'],
    ['name', 'Name', 'ascending'],
  ] as const) {
    await page.goto(`/admin/users?sort=${sort}`)
    await expect(page.getByRole('columnheader', { name: label })).toHaveAttribute('aria-sort', way)
  }
})

test('everybody on the page is chosen at once, but not oneself, and a list that becomes empty still says what was done', async ({
  page,
  password,
}) => {
  const admin = await enterAsAdmin(page, password)
  const word = someWord()
  await crowdOf(word, 3)
  await query('update users set name = $2 where id = $1', [admin.id, `Myself ${word}`])
  await page.goto(`/admin/users?search=${word}`)
  const everybody = page.getByRole('checkbox', { name: 'Choose everybody on this page' })
  await everybody.check()
  await expect(rows(page).getByRole('checkbox', { checked: true })).toHaveCount(3)
  await expect(choose(page, `Myself ${word}`)).toBeDisabled()
  await expect(choose(page, `Myself ${word}`)).not.toBeChecked()
  await everybody.uncheck()
  await expect(rows(page).getByRole('checkbox', { checked: true })).toHaveCount(0)

  await page.goto(`/admin/users?search=${word}&role=viewer&status=active`)
  await everybody.check()
  await page.getByRole('button', { name: 'Suspend those chosen' }).click()
  await expect(page.getByText('Nobody matches')).toBeVisible()
  await expect(said(page)).toHaveText('Suspended, and signed out everywhere.')
  await expect(said(page)).toBeFocused()
  await chip(page, 'Status: active').click()
  await expect(rows(page).filter({ hasText: 'suspended' })).toHaveCount(3)
  expect((await sessionOf(page)).user.id).toBe(admin.id)
})

test('an admin takes along whom a filter finds as CSV, and a name is no formula there', async ({ page, password }) => {
  const admin = await enterAsAdmin(page, password)
  const word = someWord()
  const formula = await somebody({ name: `=1+1 ${word}`, role: 'editor' })
  const plain = await somebody({ name: `Plain, "quoted" ${word}`, role: 'editor' })
  await somebody({ name: `Other ${word}` })
  await page.goto(`/admin/users?search=${word}&role=editor`)
  const take = async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^people-\d{4}-\d\d-\d\d\.csv$/)
    return (await readFile(await download.path(), 'utf8')).split('\r\n')
  }
  const [head, ...lines] = await take()
  expect(head).toBe('id,name,email,role,status,created,last seen')
  const begins = (line: string | undefined, start: string) => expect(line?.slice(0, start.length)).toBe(start)
  expect(lines).toHaveLength(3)
  expect(lines[2]).toBe('')
  const [first, second] = lines
    .slice(0, 2)
    .toSorted((a, b) => Number(a.includes('Plain')) - Number(b.includes('Plain')))
  begins(first, `${formula.id},'=1+1 ${word},${formula.email},editor,active,20`)
  begins(second, `${plain.id},"Plain, ""quoted"" ${word}",${plain.email},editor,active,20`)

  await ageConfirmation(admin.email)
  expect((await page.request.get(`/api/admin/users/export?search=${word}`)).status()).toBe(403)
  await page.reload()
  await page.getByRole('link', { name: 'Export as CSV' }).click()
  await confirmIdentity(page, password)
  await expect(page).toHaveURL(`/admin/users?search=${word}&role=editor`)
  expect(await take()).toHaveLength(4)
})

test('a confirmation older than an hour is asked for before anybody is suspended, and leads back', async ({
  page,
  password,
}) => {
  const admin = await enterAsAdmin(page, password)
  const { name } = await somebody()
  await page.goto('/admin/users')
  await search(page, name)
  const address = page.url()
  await choose(page, name).check()
  await ageConfirmation(admin.email)
  await page.getByRole('button', { name: 'Suspend those chosen' }).click()
  await expect(trouble(page)).toContainText('Confirm that it is you')
  await expect(rows(page)).toContainText(['active'])
  await page.reload()
  await expect(page.getByRole('button', { name: 'Suspend those chosen' })).toHaveCount(0)
  await expectAccessibleInBothThemes(page)
  await page.getByRole('link', { name: 'Confirm that it is you to suspend people' }).click()
  await confirmIdentity(page, password)
  await page.waitForURL((url) => url.searchParams.get('search') === new URL(address).searchParams.get('search'))
  await choose(page, name).check()
  await page.getByRole('button', { name: 'Suspend those chosen' }).click()
  await expect(said(page)).toHaveText('Suspended, and signed out everywhere.')
})

for (const role of ['viewer', 'editor']) {
  test(`to a person with the role ${role} there is nothing here`, async ({ page, password }) => {
    const { id, email } = await somebody({ role })
    await enter(page, email, password)
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Admin' })).toHaveCount(0)
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
      await expect(nothingHere(page), path).toBeVisible()
      expect(response?.status(), path).toBe(404)
      expect(await page.content(), path).not.toMatch(/Who may do what|Export as CSV|Help to get back in/)
    }
    for (const path of ['/api/admin/users/export', '/api/demo/admin/users'])
      expect((await page.request.get(path)).status(), path).toBe(403)
  })
}

test('strangers are sent to sign in, and come to where they were going', async ({ page, password }) => {
  const admin = await somebody({ role: 'admin' })
  const { id, name } = await somebody()
  for (const path of [
    '/admin/permissions',
    `/admin/users/${id}`,
    `/admin/users?search=${encodeURIComponent(name).replace('%20', '+')}&role=viewer`,
  ]) {
    await page.context().clearCookies()
    await page.goto(path)
    await expect(page, path).toHaveURL(/\/signin\?callbackUrl=/)
    await page.getByLabel('E-mail').fill(admin.email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(path)
  }
  await page.goto('/admin')
  await expect(page).toHaveURL('/admin/overview')
})

test('the navigation leads there, and says where one is', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  const main = page.getByRole('navigation', { name: 'Main' })
  const own = page.getByRole('navigation', { name: 'Admin' })
  await main.getByRole('link', { name: 'Admin' }).click()
  await expect(page).toHaveURL('/admin/overview')
  await expect(own.getByRole('link', { name: 'Overview' })).toHaveAttribute('aria-current', 'page')
  await own.getByRole('link', { name: 'People' }).click()
  await expect(page).toHaveURL('/admin/users')
  await expect(own.getByRole('link', { name: 'People' })).toHaveAttribute('aria-current', 'page')
  await own.getByRole('link', { name: 'Permissions' }).click()
  await expect(page).toHaveURL('/admin/permissions')
  await expect(own.getByRole('link', { name: 'Permissions' })).toHaveAttribute('aria-current', 'page')
  await expect(main.getByRole('link', { name: 'Admin' })).toHaveAttribute('aria-current', 'page')
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'users.delete' }) })
  await expect(row.getByRole('cell')).toHaveText(['Admin', 'no', 'no', 'yes'])
  await expectAccessibleInBothThemes(page)
})

test('the list has nothing that axe finds fault with, in each of its states', async ({ page, password }) => {
  test.slow()
  await enterAsAdmin(page, password)
  const word = someWord()
  await crowdOf(word, 3)
  for (const address of ['', `?search=${word}&role=viewer&status=active`, `?search=${someWord()}`, '?done=deleted']) {
    await page.goto(`/admin/users${address}`)
    await expectAccessibleInBothThemes(page)
  }
  await page.goto(`/admin/users?search=${word}&limit=2`)
  await page.getByRole('button', { name: 'Suspend those chosen' }).click()
  await expect(trouble(page)).toBeVisible()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('checkbox', { name: 'Choose everybody on this page' }).check()
  await page.getByRole('button', { name: 'Suspend those chosen' }).click()
  await expect(said(page)).toBeVisible()
  await expectAccessibleInBothThemes(page)
})

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('no page scrolls sideways; the table does, in its frame', async ({ page, password }) => {
    await enterAsAdmin(page, password)
    const { id, name } = await somebody({ name: `${'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)} ${someWord()}` })
    for (const path of ['users', `users?search=${name}&role=viewer&status=active`, 'permissions', `users/${id}`]) {
      await page.goto(`/admin/${path}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectNoSidewaysScrolling(page)
    }
    await page.goto('/admin/users')
    const frame = section(page, 'People')
    expect(await frame.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
  })
})

test('finding somebody and changing their role needs only the keyboard', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  const { name } = await somebody()
  const reach = async (target: ReturnType<Page['getByRole']>) => {
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press('Tab')
      if (await target.evaluate((element) => element === document.activeElement)) return
    }
    await expect(target, 'reached by Tab').toBeFocused()
  }
  await page.goto('/admin/users')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await reach(page.getByLabel('Search'))
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(1)
  await reach(page.getByRole('link', { name, exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await reach(page.getByLabel(`Role of ${name}`))
  await page.keyboard.type('editor')
  await expect(page.getByLabel(`Role of ${name}`)).toHaveValue('editor')
  await reach(page.getByRole('button', { name: 'Change role' }))
  await page.keyboard.press('Enter')
  await expect(said(page)).toHaveText('The role was changed. It holds from the next request on.')
  await expect(said(page)).toBeFocused()
  expect(await query('select role from users where name = $1', [name])).toEqual([{ role: 'editor' }])
})
