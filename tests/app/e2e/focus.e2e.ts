import type { Page } from '@playwright/test'
import { expect, test, waitForHydration } from '../support/e2e-test.ts'
import { hasModule } from '../support/has-module.ts'
import { fillPath, makePageSamples, owners, pathsOf } from '../support/page-samples.ts'
import { sessionOf, signInAsNewUser } from '../support/sign-in.ts'

/** WCAG 2.4.11: nothing that sticks to the screen may cover the element in focus. */

/** Pages that an admin who is signed in cannot see. The first test walks those that are public. */
const unseenByAdmin = {
  'Signed in already.': [
    '/signin',
    '/signup',
    '/signin/second',
    '/signin/set-up',
    '/signin/breached',
    '/signin/email',
    '/signin/email/code',
    '/signin/email/link',
    '/join',
  ],
  'Leads elsewhere.': ['/account', '/admin', '/connect/[provider]', '/o/[scope]', '/organizations/join/[token]'],
  'Only in development, or without a page of a module at `/`.': ['/welcome'],
  'Only with the setting CONTENT_PER_ORGANIZATION.': pathsOf('(content)').filter((path) => path.startsWith('/o/')),
  'Needs a sign-up, or a second factor that is being set up.': ['/account/two-factor/setup', '/posts/preview'],
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
    // Of a tall element, such as a long text, only a part has to be visible.
    const isTall = bottom - top > innerHeight / 2
    const middle = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
    const center = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
    const corners = [left + 2, right - 2].flatMap((x) => [top + 2, bottom - 2].map((y) => [x, y] as const))
    const points = [[middle, center] as const, ...(isTall ? [] : corners)]
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

/** Checks the pages that are there for this caller, and returns the others, which redirect or are errors. */
async function expectNothingCovered(
  page: Page,
  paths: string[],
  samples: Record<string, string> = {},
): Promise<string[]> {
  const unseen: string[] = []
  for (const path of paths) {
    const filled = fillPath(path, samples)
    const status = (await page.goto(filled))?.status() ?? 0
    expect(status, path).toBeLessThan(500)
    if (new URL(page.url()).pathname !== filled.split('?')[0] || (status !== 200 && path !== '/no-such-page')) {
      unseen.push(path)
      continue
    }
    await waitForHydration(page)
    await expectNothingCoveredHere(page, path)
  }
  return unseen
}

async function expectNothingCoveredHere(page: Page, name: string): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    const { count, covered } = await page.evaluate(findCovered)
    expect(count, name).toBeGreaterThan(1)
    expect(covered, `${name} at ${size.width}`).toEqual([])
  }
}

test('on public pages, nothing covers the element in focus', async ({ page }) => {
  const samples: Record<string, string> = hasModule('content') ? { '/posts/[slug]': 'how-a-post-is-made' } : {}
  const paths = ['/no-such-page', ...owners.flatMap(pathsOf)]
  expect(paths.length - (await expectNothingCovered(page, paths, samples)).length).toBeGreaterThan(5)
})

for (const owner of owners) {
  test(`on the pages of an admin, nothing covers the element in focus: ${owner || 'core'}`, async ({
    page,
    password,
  }) => {
    const email = await signInAsNewUser(page, password, { role: 'admin' })
    const samples = await makePageSamples((await sessionOf(page)).user.id)
    const unseen = await expectNothingCovered(page, pathsOf(owner), samples)
    const expected = Object.values(unseenByAdmin).flat()
    expect(unseen.filter((path) => !expected.includes(path))).toEqual([])
    expect((await sessionOf(page)).user.email).toBe(email)
  })
}

test('the selection bar and the message about a result do not cover the element in focus', async ({
  page,
  password,
}) => {
  test.skip(!hasModule('admin'), 'the list of users has both')
  await signInAsNewUser(page, password, { role: 'admin' })
  // The message stays, however slow the machine is.
  await page.addInitScript(() => {
    const wait = window.setTimeout
    const waitLonger = (run: () => void, milliseconds = 0) => wait(run, milliseconds < 5_000 ? milliseconds : 600_000)
    Object.assign(window, { setTimeout: waitLonger })
  })
  await page.goto('/admin/users?done=suspended&count=3')
  await waitForHydration(page)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await expect(page.getByRole('region', { name: 'Selected users' })).toBeVisible()
  await expect(page.locator('[data-slot="toast"]')).toBeVisible()
  await expectNothingCoveredHere(page, 'the list of users with a selection')
})

test('the same is true with the Tab key itself, in a long form', async ({ page, password }) => {
  test.skip(!hasModule('content'), 'the longest form is that of a post')
  await signInAsNewUser(page, password, { role: 'admin' })
  await page.goto(fillPath('/content/[id]', await makePageSamples((await sessionOf(page)).user.id)))
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
