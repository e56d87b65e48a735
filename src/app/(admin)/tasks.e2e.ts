// What admins do every day, each with the keyboard alone, with a finger on a phone, and without JavaScript.
import type { Locator, Page } from '@playwright/test'
import { expect, test, waitForHydration } from '../../../tests/app/support/e2e-test.ts'
import { greeting } from '../../../tests/app/support/greeting.ts'
import { query } from '../../../tests/app/support/query.ts'
import { sessionOf } from '../../../tests/app/support/sign-in.ts'
import { toast } from './e2e-dialogs.ts'
import {
  createUser,
  createUsers,
  expectNoHorizontalScroll,
  rows,
  searchField,
  signInAsAdmin,
  uniqueWord,
} from './e2e-users.ts'

/** How an admin operates a page. */
interface Hands {
  /** Follows a link, or presses a button. */
  press(target: Locator): Promise<void>
  check(target: Locator): Promise<void>
  type(target: Locator, text: string): Promise<void>
  choose(target: Locator, option: string): Promise<void>
}

/** Only Tab, Enter, Space and letters. */
function keyboardOf(page: Page): Hands {
  const tabTo = async (target: Locator) => {
    await expect(target).toBeVisible()
    await waitForHydration(page)
    for (let presses = 0; presses < 150; presses++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    await expect(target, 'reachable with Tab').toBeFocused()
  }
  const pressKey = (key: string) => async (target: Locator) => {
    await tabTo(target)
    await page.keyboard.press(key)
  }
  const type: Hands['type'] = async (target, text) => {
    await tabTo(target)
    await page.keyboard.type(text)
  }
  return { press: pressKey('Enter'), check: pressKey('Space'), type, choose: type }
}

function fingerOf(page: Page): Hands {
  const tap = async (target: Locator) => {
    await expect(target).toBeVisible()
    await waitForHydration(page)
    // Not after the tap, which may lead to another page.
    await expectNoHorizontalScroll(page)
    await target.tap()
  }
  return {
    press: tap,
    check: tap,
    type: (target, text) => target.fill(text),
    choose: async (target, option) => {
      await target.selectOption({ label: option })
    },
  }
}

const mouseOf = (): Hands => ({
  press: (target) => target.click(),
  check: (target) => target.check(),
  type: (target, text) => target.fill(text),
  choose: async (target, option) => {
    await target.selectOption({ label: option })
  },
})

const main = (page: Page) => page.getByRole('main')
const menuItem = (page: Page, name: string) =>
  page.locator('[data-slot="menu"]:popover-open').getByRole('link', { name })

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const devices = [
  { device: 'with the keyboard alone', use: {}, handsOf: keyboardOf },
  { device: 'on a phone', use: phone, handsOf: fingerOf, isPhone: true },
  { device: 'without JavaScript', use: { javaScriptEnabled: false }, handsOf: mouseOf, hasScript: false },
]

for (const { device, use, handsOf, isPhone = false, hasScript = true } of devices) {
  test.describe(device, () => {
    test.use(use)

    /** Without JavaScript, a dialog is a page. */
    const dialog = (page: Page) => (hasScript ? page.getByRole('dialog') : main(page))

    /** Without JavaScript, a filter has a button that applies it. */
    const apply = async (hands: Hands, form: Locator) => {
      if (!hasScript) await hands.press(form.getByRole('button', { name: 'Apply' }))
    }

    const find = async (page: Page, hands: Hands, text: string) => {
      await page.goto('/admin/users')
      await hands.type(searchField(page), text)
      await apply(hands, main(page))
      await page.waitForURL((url) => url.searchParams.get('search') === text)
    }

    /** Opens a dialog from the menu of a row. Without JavaScript the page of the user leads to it. */
    const openFromRow = async (page: Page, hands: Hands, name: string, item: string) => {
      await find(page, hands, name)
      if (hasScript) {
        await hands.press(page.getByRole('button', { name: `Actions for ${name}` }))
        await hands.press(menuItem(page, item))
      } else {
        await hands.press(rows(page).getByRole('link', { name }))
        const isInMenu = item === 'Delete…'
        if (isInMenu) await hands.press(page.getByRole('button', { name: 'More actions' }))
        await hands.press(
          isInMenu ? menuItem(page, item) : main(page).getByRole('link', { name: item.replace('…', '') }),
        )
      }
      await expect(dialog(page).getByRole('link', { name: 'Cancel' })).toBeVisible()
    }

    /** Opens a page from the navigation, which is behind a button on a phone. */
    const navigate = async (page: Page, hands: Hands, name: string) => {
      await page.goto('/dashboard')
      if (isPhone) await hands.press(page.getByRole('button', { name: 'Menu', exact: true }))
      await hands.press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }))
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    }

    test('an admin finds users and filters them', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const hands = handsOf(page)
      const word = uniqueWord()
      const { name } = await createUser({ name: `Ann ${word}`, role: 'editor' })
      await createUser({ name: `Bea ${word}` })
      await find(page, hands, word)
      await expect(rows(page)).toHaveCount(2)
      await hands.press(page.getByRole('button', { name: 'Role', exact: true }))
      await hands.check(page.locator('#filter-role').getByRole('checkbox', { name: 'Editor' }))
      await apply(hands, page.locator('#filter-role'))
      await expect(rows(page)).toHaveCount(1)
      await expect(rows(page)).toContainText([name])
    })

    test('an admin changes the role of a user', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const hands = handsOf(page)
      const { id, name } = await createUser()
      await openFromRow(page, hands, name, 'Change role…')
      await hands.choose(dialog(page).getByLabel('Role', { exact: true }), 'Editor')
      await hands.press(dialog(page).getByRole('button', { name: 'Change role' }))
      await expect(toast(page)).toContainText('Role changed to Editor.')
      expect(await query('select role from users where id = $1', [id])).toEqual([{ role: 'editor' }])
    })

    test('an admin suspends three users at once, and undoes it', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const hands = handsOf(page)
      const word = uniqueWord()
      const users = await createUsers(word, 3)
      const suspended = () =>
        query('select name from users where id = any($1) and suspended_at is not null', [users.map(({ id }) => id)])
      await find(page, hands, word)
      for (const { name } of users) await hands.check(page.getByRole('checkbox', { name: `Select ${name}` }))
      await hands.press(page.getByRole('region', { name: 'Selected users' }).getByRole('button', { name: 'Suspend' }))
      await hands.press(dialog(page).getByRole('button', { name: 'Suspend 3 users' }))
      await expect(toast(page)).toContainText('3 users suspended.')
      expect(await suspended()).toHaveLength(3)
      await hands.press(toast(page).getByRole('button', { name: 'Undo' }))
      await expect(toast(page)).toContainText('3 users restored.')
      expect(await suspended()).toEqual([])
    })

    test('an admin invites a user', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const hands = handsOf(page)
      const email = `invited-${crypto.randomUUID()}@example.com`
      await navigate(page, hands, 'Invitations')
      // In the bar at the top on a phone.
      await hands.press(page.getByRole('link', { name: 'Invite users' }).filter({ visible: true }).first())
      await hands.type(dialog(page).getByLabel('Emails'), email)
      await hands.choose(dialog(page).getByLabel('Role', { exact: true }), 'Editor')
      await hands.press(dialog(page).getByRole('button', { name: 'Send invitations' }))
      await expect(toast(page)).toContainText('Invitation sent.')
      expect(await query('select role from admin_invitations where email = $1', [email])).toEqual([{ role: 'editor' }])
    })

    test('an admin impersonates a user, and stops', async ({ page, password }) => {
      const admin = await signInAsAdmin(page, password)
      const hands = handsOf(page)
      const { id, name } = await createUser()
      await openFromRow(page, hands, name, 'Impersonate…')
      await hands.press(dialog(page).getByRole('button', { name: 'Impersonate', exact: true }))
      await expect(greeting(page, 'Grace')).toBeVisible()
      expect((await sessionOf(page)).user.id).toBe(id)
      await hands.press(page.getByRole('button', { name: 'Stop impersonating' }))
      await expect(greeting(page, 'Ada')).toBeVisible()
      expect((await sessionOf(page)).user.id).toBe(admin.id)
    })

    test('an admin reads the audit log, and opens an event', async ({ page, password }) => {
      const admin = await signInAsAdmin(page, password)
      const hands = handsOf(page)
      const { id, name } = await createUser()
      await query(
        `insert into audit_events (kind, actor_id, target_id, details) values ('role.changed', $1, $2, '{"from": "viewer", "to": "editor"}')`,
        [admin.id, id],
      )
      await navigate(page, hands, 'Audit log')
      await hands.type(page.getByRole('searchbox', { name: 'User' }), name)
      await apply(hands, main(page))
      await page.waitForURL((url) => url.searchParams.get('user') === name)
      const event = main(page).getByRole('listitem').first()
      await expect(event).toContainText(`${admin.name} changed ${name}’s role from Viewer to Editor`)
      await hands.press(event.getByRole('link', { name: 'event details' }))
      await expect(page).toHaveURL(/\/admin\/audit\/\d+/)
      await expect(main(page)).toContainText(name)
    })

    test('an admin deletes a user', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const hands = handsOf(page)
      const { id, name, email } = await createUser()
      await openFromRow(page, hands, name, 'Delete…')
      await hands.type(dialog(page).getByLabel('Type their email to confirm'), email)
      await hands.press(dialog(page).getByRole('button', { name: 'Delete user' }))
      await expect(toast(page)).toContainText('User deleted.')
      expect(await query('select id from users where id = $1', [id])).toEqual([])
    })
  })
}
