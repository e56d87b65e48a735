import type { Page } from '@playwright/test'
import { expect, test, waitForHydration } from '../support/e2e-test.ts'
import { hasModule } from '../support/has-module.ts'
import { query } from '../support/query.ts'
import { signInAsNewUser } from '../support/sign-in.ts'

/** WCAG 2.4.11: nothing that sticks to the screen may cover the element in focus. */

interface Paths {
  /** Undefined for core. */
  module?: string
  paths: string[]
}

const publicPages: Paths[] = [
  { paths: ['/', '/signin', '/signup', '/forgot', '/signed-out', '/no-such-page'] },
  { module: 'content', paths: ['/posts', '/posts/how-a-post-is-made'] },
  { module: 'docs', paths: ['/docs/api'] },
]

const adminPages: Paths[] = [
  { paths: ['/dashboard'] },
  {
    module: 'admin',
    paths: [
      '/admin/overview',
      '/admin/users',
      '/admin/users/[user]',
      '/admin/users/import',
      '/admin/invitations',
      '/admin/audit',
      '/admin/permissions',
    ],
  },
  {
    module: 'account',
    paths: [
      '/account',
      '/account/profile',
      '/account/preferences',
      '/account/security',
      '/account/email',
      '/account/password',
      '/account/passkeys',
      '/account/two-factor',
      '/account/sessions',
      '/account/connections',
      '/account/tokens',
      '/account/tokens/new',
      '/account/data',
      '/account/delete',
    ],
  },
  { module: 'content', paths: ['/content', '/content/[post]', '/content/[post]/versions'] },
]

/** Installed pages, with the ids of a user and a post that exist. */
async function pathsOf(pages: Paths[]): Promise<string[]> {
  const paths = pages.flatMap((group) => (group.module && !hasModule(group.module) ? [] : group.paths))
  const [user] = await query<{ id: string }>("select id from users where email = 'viewer@example.com'")
  // The seeded one: other tests delete theirs.
  const seeded = `select post_id as id from content_published where slug = 'how-a-post-is-made'`
  const [post] = hasModule('content') ? await query<{ id: string }>(seeded) : []
  return paths.map((path) => path.replace('[user]', user?.id ?? '').replace('[post]', post?.id ?? ''))
}

/**
 * Runs in the page: focuses every element that Tab reaches, forwards and then backwards, as the bars at the bottom cover what
 * is reached by going down and those at the top what is reached by going up. `focus()` scrolls like Tab does. Returns what is
 * covered, and by what.
 */
function findCovered(): { count: number; covered: string[] } {
  const describe = (element: Element) => element.outerHTML.replace(/\s+/g, ' ').slice(0, 120)
  const isSticky = (element: Element) => ['fixed', 'sticky'].includes(getComputedStyle(element).position)
  const labelsOf = (element: Element) => (element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [])
  /** The bar over this point, unless the element is in it. */
  const barAt = (x: number, y: number, element: Element): Element | null => {
    const hit = document.elementFromPoint(x, y)
    if (!hit || [element, ...labelsOf(element)].some((one) => one.contains(hit))) return null
    for (let above: Element | null = hit; above; above = above.parentElement)
      if (isSticky(above) && !above.contains(element)) return above
    return null
  }
  const coveredBy = (element: Element): string | null => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const isOutside = right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight
    if (isOutside) return 'the edge of the screen'
    // Of a high element, such as a long text, only a part has to be visible.
    const isHigh = bottom - top > innerHeight / 2
    const middle = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
    const center = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
    const corners = [left + 2, right - 2].flatMap((x) => [top + 2, bottom - 2].map((y) => [x, y] as const))
    const points = [[middle, center] as const, ...(isHigh ? [] : corners)]
    const bar = points.map(([x, y]) => barAt(x, y, element)).find((found) => found !== null)
    return bar ? describe(bar) : null
  }
  const reachable = [
    ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]'),
  ].filter((element) => element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility())
  const covered = new Set<string>()
  let count = 0
  for (const element of [...reachable, ...reachable.toReversed()]) {
    element.focus()
    if (document.activeElement !== element) continue
    count++
    const bar = coveredBy(element)
    if (bar) covered.add(`${describe(element)} is under ${bar}`)
  }
  return { count, covered: [...covered] }
}

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
]

async function expectNothingCovered(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    expect((await page.goto(path))?.status(), path).toBe(path === '/no-such-page' ? 404 : 200)
    await waitForHydration(page)
    for (const size of sizes) {
      await page.setViewportSize(size)
      const { count, covered } = await page.evaluate(findCovered)
      expect(count, path).toBeGreaterThan(1)
      expect(covered, `${path} at ${size.width}`).toEqual([])
    }
  }
}

test('on public pages, nothing covers the element in focus', async ({ page }) => {
  await expectNothingCovered(page, await pathsOf(publicPages))
})

test('on the pages of an admin, nothing covers the element in focus', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'admin' })
  await expectNothingCovered(page, await pathsOf(adminPages))
})

test('the same is true with the Tab key itself, in a long form', async ({ page, password }) => {
  test.skip(!hasModule('content'), 'the longest form is that of a post')
  await signInAsNewUser(page, password, { role: 'admin' })
  const [path = ''] = await pathsOf([{ module: 'content', paths: ['/content/[post]'] }])
  await page.goto(path)
  for (const size of sizes) {
    await page.setViewportSize(size)
    await page.getByLabel('Title', { exact: true }).focus()
    for (const key of [...Array(14).fill('Tab'), ...Array(14).fill('Shift+Tab')]) {
      await page.keyboard.press(key)
      const bar = await page.evaluate(() => {
        const element = document.activeElement
        const box = element?.getBoundingClientRect()
        if (!element || !box) return 'no element has the focus'
        const hit = document.elementFromPoint(box.x + box.width / 2, Math.min(box.y + box.height / 2, innerHeight - 1))
        for (let above = hit; above; above = above.parentElement)
          if (['fixed', 'sticky'].includes(getComputedStyle(above).position) && !above.contains(element))
            return `${element.outerHTML.slice(0, 120)} is under ${above.outerHTML.slice(0, 120)}`
        return null
      })
      expect(bar).toBeNull()
    }
  }
})

test('the check itself finds a bar that covers a field', async ({ page }) => {
  await page.goto('/signin')
  await page.evaluate(() => {
    const bar = document.createElement('div')
    bar.style.cssText = 'position:fixed;inset:0;z-index:999;background:red'
    bar.id = 'cover'
    document.body.append(bar)
  })
  const { count, covered } = await page.evaluate(findCovered)
  expect(count).toBeGreaterThan(3)
  expect(covered.join()).toContain('id="cover"')
})
