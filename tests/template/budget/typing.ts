// How long the browser works for each key that is typed into a long post, on a CPU that is four times slower.
import { type CDPSession, chromium, type Page } from '@playwright/test'
import config from '../../../playwright.config.ts'
import type { TestApp } from '../../app/support/app.ts'
import { query } from '../../app/support/query.ts'
import { median, percentile } from '../security/support/statistics.ts'

const slowdown = 4
const keys = 150

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
  /** Milliseconds from each key to the next frame, in steps of 8. Includes waiting for the frame. */
  events: number[]
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
  const typing = { handlers: [] as number[], work: [] as number[], events: [] as number[] }
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
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') typing.events.push(duration)
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
}

async function typeKeys(page: Page, session: CDPSession): Promise<Typing> {
  const area = page.getByLabel('Body', { exact: true })
  await area.focus()
  await area.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(20_000, 20_000))
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.evaluate(watchKeys)
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press(key % 6 === 5 ? 'Space' : 'a')
    // Now and then a pause, after which the text is saved and the preview rendered while the user goes on.
    await page.waitForTimeout(key % 30 === 29 ? 500 : 60)
  }
  await page.waitForTimeout(500)
  return page.evaluate(() => (window as unknown as { typing: Typing }).typing)
}

/** Types into a long post. */
export async function measureTyping(started: TestApp): Promise<Typing> {
  const browser = await chromium.launch(config.use?.launchOptions)
  try {
    const page = await browser.newPage({ baseURL: started.app.url, viewport: { width: 1280, height: 800 } })
    const email = 'editor@example.com'
    const data = { email, password: started.env.DEV_PASSWORD, redirect: false }
    const response = await page.request.post('/api/auth/signin', { data })
    if (!response.ok()) throw new Error(`signing in returned ${response.status()}`)
    await page.goto(`/content/${await insertDraft(started, email)}`, { waitUntil: 'networkidle' })
    return await typeKeys(page, await page.context().newCDPSession(page))
  } finally {
    await browser.close()
  }
}

export const describeTimes = (times: number[]) =>
  `median ${median(times).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`
