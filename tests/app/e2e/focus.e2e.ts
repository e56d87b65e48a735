import { globSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { root } from '../../../scripts/root.ts'
import { findMakeScope } from '../matrix/scopes.ts'
import { expect, test, waitForHydration } from '../support/e2e-test.ts'
import { hasModule } from '../support/has-module.ts'
import { query } from '../support/query.ts'
import { sessionOf, signInAsNewUser } from '../support/sign-in.ts'

/** WCAG 2.4.11: nothing that sticks to the screen may cover the element in focus. */

/** Folders of `src/app` with pages: modules, and '' for core. */
const owners = ['', ...readdirSync(join(root, 'src', 'app')).filter((name) => name.startsWith('('))]

/** The paths of all pages of a module or of core. Those with parameters for which there is no sample are left out. */
function pathsOf(owner: string, samples: Record<string, string> = {}): string[] {
  const folder = join(root, 'src', 'app', owner)
  return globSync('**/page.tsx', { cwd: folder })
    .map((file) => `/${file.replaceAll('\\', '/')}`)
    .filter((file) => owner !== '' || !file.startsWith('/('))
    .filter((file) => !/\/@|\/\(\.|^\/dev\//.test(file))
    .map((file) => file.replace('/page.tsx', '').replaceAll(/\/\(\w+\)/g, '') || '/')
    .map((path) => {
      const [pattern, value] = Object.entries(samples).find(([start]) => path.startsWith(start)) ?? []
      return (pattern ? path.replace(pattern, pattern.replace(/\[\w+\]$/, `${value}`)) : path).replace('[number]', '1')
    })
    .filter((path) => !path.includes('['))
    .toSorted()
}

/** For the parameters of pages: what the caller sees. */
async function makeSamples(email: string): Promise<Record<string, string>> {
  const one = async (text: string, values: unknown[] = []) => String((await query<{ id: string }>(text, values))[0]?.id)
  const caller = await one('select id from users where email = $1', [email])
  const makeScope = await findMakeScope()
  return {
    '/admin/users/[id]': await one(`select id from users where email = 'viewer@example.com'`),
    '/admin/audit/[id]': await one(
      `select floor(extract(epoch from at) * 1000) || '-' || id as id from audit_events where target_id = $1 or actor_id = $1`,
      [caller],
    ),
    ...(makeScope && { '/o/[scope]': await makeScope(query, caller) }),
    ...(hasModule('content') && {
      // The seeded one: other tests delete theirs.
      '/content/[id]': await one(`select post_id as id from content_published where slug = 'how-a-post-is-made'`),
      '/posts/[slug]': 'how-a-post-is-made',
    }),
  }
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

/** Returns how many of the pages were there for this caller, instead of a redirect or an error page. */
async function expectNothingCovered(page: Page, paths: string[]): Promise<number> {
  let found = 0
  for (const path of paths) {
    const status = (await page.goto(path))?.status() ?? 0
    expect(status, path).toBeLessThan(500)
    if (new URL(page.url()).pathname !== path || (status !== 200 && path !== '/no-such-page')) {
      // A path with the id of a sample must not redirect or fail.
      expect(path).not.toMatch(/^\/(admin|content|posts)\/.*\d/)
      continue
    }
    found++
    await waitForHydration(page)
    for (const size of sizes) {
      await page.setViewportSize(size)
      const { count, covered } = await page.evaluate(findCovered)
      expect(count, path).toBeGreaterThan(1)
      expect(covered, `${path} at ${size.width}`).toEqual([])
    }
  }
  return found
}

test('on public pages, nothing covers the element in focus', async ({ page }) => {
  const samples: Record<string, string> = hasModule('content') ? { '/posts/[slug]': 'how-a-post-is-made' } : {}
  const paths = owners.flatMap((owner) => pathsOf(owner, samples))
  expect(await expectNothingCovered(page, ['/no-such-page', ...paths])).toBeGreaterThan(5)
})

for (const owner of owners) {
  test(`on the pages of an admin, nothing covers the element in focus: ${owner || 'core'}`, async ({
    page,
    password,
  }) => {
    const email = await signInAsNewUser(page, password, { role: 'admin' })
    await expectNothingCovered(page, pathsOf(owner, await makeSamples(email)))
    expect((await sessionOf(page)).user.email).toBe(email)
  })
}

test('the same is true with the Tab key itself, in a long form', async ({ page, password }) => {
  test.skip(!hasModule('content'), 'the longest form is that of a post')
  const samples = await makeSamples(await signInAsNewUser(page, password, { role: 'admin' }))
  await page.goto(`/content/${samples['/content/[id]']}`)
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
