// How long the browser works for each key that is typed into a long post, on a CPU that is four times slower. A field without
// anything around it shows how long the browser itself needs for that text on this machine.
import { chromium, type Locator, type Page } from '@playwright/test'
import config from '../../../playwright.config.ts'
import type { TestApp } from '../../app/support/app.ts'
import { query } from '../../app/support/query.ts'
import { median, percentile } from '../security/support/statistics.ts'

const slowdown = 4
const keys = 150
const keysInARow = 30

/** A post of 40 kB with everything that the editor colors. */
const paragraph = [
  '## Tides and harbors',
  'Some **bold** words, some *italic* ones, `code` and a [link](https://example.com/a) in a line that is long enough to break.',
  '- an item with https://example.com/path\n- another one',
  '```ts\nconst tide = { level: 3 }\n```',
  '> A quote of a few words.',
].join('\n\n')
const body = `${paragraph}\n\n`.repeat(Math.ceil(40_000 / (paragraph.length + 2))).slice(0, 40_000)

export interface Typing {
  /** Milliseconds of the event handlers of each key. */
  handlers: number[]
  /** Milliseconds of the handlers, style, layout and paint of each key. */
  work: number[]
}

async function insertDraft({ env }: TestApp, email: string): Promise<string> {
  const [post] = await query<{ id: string }>(
    `with post as (
       insert into content_posts (author_id, title) select id, 'Long' from users where email = $1 returning id, author_id
     ), revision as (
       insert into content_revisions (post_id, number, author_id, title, slug, summary, body, tags)
       select id, 1, author_id, 'Long', '', '', $2::text, '{}'::text[] from post
     )
     select id from post`,
    [email, body],
    env.DATABASE_URL,
  )
  return post?.id ?? ''
}

/** Runs in the page. The first listener of a key notes when its handlers begin, the last one when they end. */
function watchKeys(): void {
  const typing = { handlers: [] as number[], work: [] as number[] }
  Object.assign(window, { typing })
  let start = 0
  window.addEventListener('keydown', () => (start = performance.now()), { capture: true })
  window.addEventListener('input', () => {
    const handlers = performance.now() - start
    requestAnimationFrame(() => {
      const frameStart = performance.now()
      const { port1, port2 } = new MessageChannel()
      // After the frame: style, layout and paint are done.
      port1.onmessage = () => {
        typing.handlers.push(handlers)
        typing.work.push(handlers + performance.now() - frameStart)
      }
      port2.postMessage(null)
    })
  })
}

/** Prepares a page with the field; returns a function that types some keys into it. */
async function prepareTyping(page: Page, area: Locator): Promise<(count: number) => Promise<void>> {
  await area.evaluate((element: HTMLTextAreaElement) => {
    element.focus()
    element.setSelectionRange(20_000, 20_000)
  })
  const session = await page.context().newCDPSession(page)
  await page.evaluate(watchKeys)
  return async (count) => {
    await page.bringToFront()
    // Only while this page is used: slowing down takes a core of its own.
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    for (let key = 1; key <= count; key++) {
      await page.keyboard.press(key % 6 === 0 ? 'Space' : 'a')
      // A pause in the middle, after which the text is saved and the preview rendered while the user goes on.
      await page.waitForTimeout(key === Math.ceil(count / 2) || key === count ? 500 : 60)
    }
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  }
}

/** How many elements get a new style for each key, on average. */
async function countStyledElements(page: Page): Promise<number> {
  const count = 20
  const browser = page.context().browser()
  await page.bringToFront()
  await browser?.startTracing(page, { categories: ['devtools.timeline'] })
  for (let key = 1; key <= count; key++) await page.keyboard.press('a')
  const trace = await browser?.stopTracing()
  const { traceEvents }: { traceEvents: { name: string; args: { elementCount?: number } }[] } = JSON.parse(
    String(trace),
  )
  return traceEvents
    .filter(({ name }) => name === 'UpdateLayoutTree')
    .reduce((sum, { args }) => sum + (args.elementCount ?? 0) / count, 0)
}

const readTyping = (page: Page) => page.evaluate(() => (window as unknown as { typing: Typing }).typing)

async function openEditor(page: Page, started: TestApp): Promise<Locator> {
  const email = 'editor@example.com'
  const data = { email, password: started.env.DEV_PASSWORD, redirect: false }
  const response = await page.request.post('/api/auth/signin', { data })
  if (!response.ok()) throw new Error(`signing in returned ${response.status()}`)
  await page.goto(`/content/${await insertDraft(started, email)}`, { waitUntil: 'networkidle' })
  return page.getByLabel('Body', { exact: true })
}

/** A field as large as that of the editor, with the same text. */
async function openBare(page: Page, editor: Locator): Promise<Locator> {
  const { width, height } = (await editor.boundingBox()) ?? { width: 0, height: 0 }
  await page.setContent('<textarea style="font: 14px/24px monospace; resize: none"></textarea>')
  const area = page.locator('textarea')
  await area.evaluate(
    (element: HTMLTextAreaElement, { size, text }) => {
      Object.assign(element.style, size)
      element.value = text
    },
    { size: { width: `${width}px`, height: `${height}px` }, text: body },
  )
  return area
}

/** Types into a long post and into a field without anything around it, a few keys at a time. */
export async function measureTyping(
  started: TestApp,
): Promise<{ editor: Typing; bare: Typing; styledElements: number }> {
  const browser = await chromium.launch(config.use?.launchOptions)
  try {
    const options = { baseURL: started.app.url, viewport: { width: 1280, height: 800 } }
    const [editorPage, barePage] = [await browser.newPage(options), await browser.newPage(options)]
    const editor = await openEditor(editorPage, started)
    const bare = await openBare(barePage, editor)
    const typeInto = [await prepareTyping(editorPage, editor), await prepareTyping(barePage, bare)]
    for (let typed = 0; typed < keys; typed += keysInARow) for (const type of typeInto) await type(keysInARow)
    const [editorTyping, bareTyping] = [await readTyping(editorPage), await readTyping(barePage)]
    return { editor: editorTyping, bare: bareTyping, styledElements: await countStyledElements(editorPage) }
  } finally {
    await browser.close()
  }
}

export const describeTimes = (times: number[]) =>
  `median ${median(times).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`
