import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { root } from '../scripts/root.ts'

// Another name and color, as in a created app: what the app serves must have them, and nothing of the template.
const brand = vi.hoisted(() => ({
  appName: 'Shop & Sons',
  appSlug: 'shop-sons',
  appDescription: 'Fruit from the valley.',
}))
vi.mock('@/brand', async (importOriginal) => {
  const original = await importOriginal<typeof import('@/brand')>()
  return { ...original, ...brand, lightColors: { ...original.lightColors, primary: '#b00020' } }
})

const { loadJobs } = await import('@/jobs')
const { isEmail } = await import('@/core/mail/define-email')
const { renderEmailHtml, renderEmailText } = await import('@/core/mail/render-email')
const { cookieName, sessionCookieName } = await import('@/core/auth/session/settings')
const { AppError, toProblem } = await import('@/core/errors')
const { renderRetryPage } = await import('@/core/http/error-pages/retry-page')
const { earlyScript } = await import('@/core/http/headers')
const { env } = await import('@/core/env')
const { telemetryResource } = await import('@/core/telemetry/resource')

const ours = /plinth/i

const error = new AppError('rate_limited')
const served: [what: string, text: string, theirs: string][] = [
  ['the session cookie', sessionCookieName(), 'shop-sons.session'],
  ['another cookie', cookieName('device'), 'shop-sons.device'],
  ['the script of every page', earlyScript, 'shop-sons\\.signed-in'],
  ['an API error', JSON.stringify(toProblem(error, 'id')), 'urn:shop-sons:problem:rate_limited'],
  ['the page for 429', renderRetryPage(error, { method: 'GET', requestId: 'id' }), 'Shop &amp; Sons'],
  ['the sender of emails', env.MAIL_FROM, 'shop-sons@example.com'],
  ['the name in traces', String(telemetryResource().attributes['service.name']), 'shop-sons'],
  ['the manifest', JSON.stringify((await import('@/app/manifest')).default()), '"name":"Shop & Sons"'],
  ['the icon', await (await import('@/app/icon')).default().text(), '.a{fill:#b00020}'],
]

test.each(served)('%s has the name or the color of the app, and no other', (_, text, theirs) => {
  expect(text).toContain(theirs)
  expect(text).not.toMatch(ours)
})

describe('emails', async () => {
  const samples = (await loadJobs())
    .filter(isEmail)
    .flatMap(({ name, samples }) => samples().map((content) => ({ name: `${name}: ${content.subject}`, content })))

  test.each(samples)('$name', ({ content }) => {
    for (const text of [renderEmailHtml(content), renderEmailText(content)]) {
      expect(text).toMatch(/Shop (&|&amp;) Sons/)
      expect(text).not.toMatch(ours)
    }
    if (content.action && !content.action.isOutlined) expect(renderEmailHtml(content)).toContain('background:#b00020')
  })
})

test('the description of the API', async () => {
  const found = import.meta.glob<{ describeApi: () => Promise<{ info: { title: string } }> }>('./app/*/document.ts')
  const documents = await Promise.all(Object.values(found).map(async (load) => (await load()).describeApi()))
  for (const document of documents) {
    expect(document.info.title).toBe('Shop & Sons API')
    expect(JSON.stringify(document)).not.toMatch(ours)
  }
})

// Names that no user sees, and that dashboards, databases and scripts rely on.
const internal =
  /\bplinth(\.json\b|_migrations\b|[A-Z]\w+|\.(action|audit|code|draining|hash|job|kind|outcome|queue|redis|refusals|state)\b)|x-plinth-|`plinth \$\{purpose\}`|get(Meter|Tracer)\('plinth'\)|npx plinth|templateName: string = 'Plinth'/g

test('no other file of the app contains the name of the template', () => {
  const files = globSync('src/**/*.{ts,tsx,css,svg}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.(test|e2e)\.ts$|^src\/(brand\.ts|app\/(dev|\(landing\))\/)/.test(file))
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => ours.test(line.replaceAll(internal, '')))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})
