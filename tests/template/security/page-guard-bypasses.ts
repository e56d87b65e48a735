// Known bypasses of page guards in past versions of the framework, tried on every guarded page.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'
import { check } from '../../app/support/checks.ts'
import type { CallOptions } from '../../app/support/http-client.ts'
import { newProxyUrl, startProxy } from '../../app/support/proxy.ts'
import type { World } from '../../app/support/test-world.ts'
import { callProxy } from './support/call-proxy.ts'
import { expectDenied, type GuardedPage, guardedPages } from './support/guarded-pages.ts'

interface Variant {
  path: string
  headers?: Record<string, string>
}

/** Requests every guarded page in each of these ways, as every caller that must not see it. */
async function tryOnAllPages(
  world: World,
  variants: (page: GuardedPage) => Variant[],
  url = world.app.url,
): Promise<string> {
  const { pages, callers, markers } = await guardedPages(world)
  const statusCounts = new Map<number, number>()
  let turn = 0
  for (const page of pages)
    for (const { who: caller, options } of callers) {
      if (caller === 'viewer' && !page.isRestricted) continue
      // With QUICK a third of the ways for each page and caller, in rotation: every way is tried on many pages.
      turn++
      const waiting = variants(page).filter((_, index) => !process.env.QUICK || (index + turn) % 3 === 0)
      const statuses: number[] = []
      const work = async () => {
        for (let variant = waiting.pop(); variant; variant = waiting.pop()) {
          const asked: CallOptions = { ...options(), ...(variant.headers && { headers: variant.headers }) }
          statuses.push(await expectDenied(url, variant.path, asked, markers))
        }
      }
      await Promise.all([work(), work(), work(), work()])
      for (const status of statuses) statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1)
    }
  const counted = [...statusCounts].map(([status, count]) => `${status} ${count} times`).join(', ')
  return `${pages.length} pages; ended with ${counted}`
}

const barePath = ({ path }: GuardedPage) => path.split('?')[0] ?? ''

check(
  'H-273',
  'no page is opened by x-middleware-subrequest',
  (world) => {
    const chain = (name: string) => Array(5).fill(name).join(':')
    const values = ['middleware', 'pages/_middleware', ...['src/middleware', 'proxy', 'src/proxy'].map(chain)]
    return tryOnAllPages(world, ({ path }) => [
      ...values.map((value) => ({ path: path, headers: { 'X-Middleware-Subrequest': value } })),
      { path: path, headers: { 'X-Middleware-Subrequest': chain('src/proxy'), RSC: '1' } },
    ])
  },
  { full: 'takes long' },
)

const prefetches: Record<string, string>[] = [
  {},
  { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_tree' },
]

check(
  'H-274',
  'no page is opened by requesting its RSC payload, prefetches or segments',
  (world) =>
    tryOnAllPages(world, (page) => {
      const path = barePath(page)
      const segments = ['_tree', '_full', '__PAGE__', `${path.slice(1)}/__PAGE__`]
      const forms = [
        `${path}.rsc`,
        `${path}.prefetch.rsc`,
        ...segments.map((one) => `${path}.segments/${one}.segment.rsc`),
      ]
      return [
        ...forms.flatMap((form) => prefetches.map((headers) => ({ path: form, headers }))),
        ...segments.map((one) => ({
          path: page.path,
          headers: { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': `/${one}` },
        })),
      ]
    }),
  { full: 'takes long' },
)

const buildId = () => readFileSync(join(root, '.next', 'BUILD_ID'), 'utf8').trim()

check(
  'H-275',
  'no page is opened by another spelling of its path',
  (world) =>
    tryOnAllPages(world, (page) => {
      const path = barePath(page)
      const encoded = `%${path.charCodeAt(1).toString(16)}`
      return [
        `/${path}`,
        `//${path}`,
        `/${encoded}${path.slice(2)}`,
        `/%25${encoded.slice(1)}${path.slice(2)}`,
        path.toUpperCase(),
        `${path}%2f`,
        `${path}/`,
        `/.${path}`,
        `/%2e${path}`,
        `/x/..${path}`,
        `/x/%2e%2e${path}`,
        `/x%2f..${path}`,
        `/_next/..${path}`,
        `/api/..${path}`,
        `${path};x`,
        `${path}/.`,
        `${path}/%2e`,
        `${path}%00`,
        `${path}%20`,
        `${path}?_rsc=1`,
        `${path}.json`,
        `${path}.html`,
        `${path.replaceAll('/', '\\')}`,
        `${path.replaceAll('/', '%5c')}`,
        `/_next/data/${buildId()}${path}.json`,
        `/_next/data/${buildId()}${path}.rsc`,
      ].map((form) => ({ path: form }))
    }),
  { full: 'takes long' },
)

const specialSegments = [
  '__proto__',
  'constructor',
  '%5B%5D',
  '(.)admin',
  '(...)admin',
  '@slot',
  'x%2fy',
  '..%2f..',
  '_not-found',
]

check(
  'H-276',
  'no page is opened by path segments with a meaning in the framework',
  (world) =>
    tryOnAllPages(world, (page) => {
      const path = barePath(page)
      const [, ...parts] = path.split('/')
      return specialSegments
        .flatMap((value) => [
          { path: `${path}/${value}` },
          { path: `/${value}${path}` },
          { path: `/${[...parts.slice(0, -1), value].join('/')}` },
        ])
        .concat({ path: `${path}?nxtPid=__proto__&nxtIid=constructor&id=__proto__` })
    }),
  { full: 'takes long' },
)

/** Internal headers of Next and of hosting platforms. */
const internalHeaders = (path: string): Record<string, string>[] => [
  { 'x-matched-path': path },
  { 'x-invoke-path': path, 'x-invoke-query': '%7B%7D', 'x-invoke-output': path, 'x-invoke-status': '200' },
  { 'x-nextjs-data': '1' },
  { 'x-now-route-matches': `1=${encodeURIComponent(path)}&nxtPid=1` },
  { 'next-resume': '1' },
  { 'x-next-revalidate-tag-token': 'x', 'x-next-revalidated-tags': 'x' },
  { 'x-prerender-revalidate': 'x', 'x-prerender-revalidate-if-generated': '1' },
  { 'x-rewrite-url': path, 'x-original-url': path },
  { 'x-middleware-rewrite': path, 'x-middleware-next': '1', 'x-middleware-override-headers': 'cookie' },
]

check(
  'H-277',
  'Next’s internal headers have no effect from outside, and the proxy in front removes them',
  async (world) => {
    const tried = await tryOnAllPages(world, (page) =>
      internalHeaders(barePath(page)).map((headers) => ({ path: page.path, headers })),
    )
    // On a public page, to reach a guarded one.
    const { pages, markers } = await guardedPages(world)
    const usual = await world.get('/signin')
    for (const page of pages.filter(({ isRestricted }) => isRestricted).slice(0, 3))
      for (const headers of internalHeaders(barePath(page))) {
        const result = await world.get('/signin', { headers })
        assert.equal(result.status, usual.status, JSON.stringify(headers))
        for (const mark of markers) assert.ok(!result.text.includes(mark))
      }

    const seen: string[][] = []
    const echo = createServer((request, response) => {
      seen.push(Object.keys(request.headers))
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    })
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const { port } = echo.address() as { port: number }
    const url = await newProxyUrl()
    const proxy = await startProxy(url, [`http://127.0.0.1:${port}`])
    try {
      const headers = Object.assign({ 'x-kept': '1' }, ...internalHeaders('/admin'), {
        'x-middleware-subrequest': 'src/proxy',
      })
      seen.length = 0
      const { status } = await callProxy(proxy, '/', { headers })
      assert.equal(status, 200)
      const arrived = seen.find((names) => names.includes('x-kept')) ?? assert.fail('nothing arrived')
      const through = Object.keys(headers).filter((name) => name !== 'x-kept' && arrived.includes(name))
      assert.deepEqual(through, [])
    } finally {
      await proxy.stop()
      echo.closeAllConnections()
      await new Promise((resolve) => echo.close(resolve))
    }
    return tried
  },
  { full: 'takes long' },
)

check(
  'H-278',
  'no page is opened by a locale in front of its path',
  (world) =>
    tryOnAllPages(world, ({ path }) =>
      ['en', 'default', 'en-US'].flatMap((locale) => [
        { path: `/${locale}${path}` },
        { path: path, headers: { 'x-next-locale': locale, 'Accept-Language': locale } },
        { path: `${path}${path.includes('?') ? '&' : '?'}__nextLocale=${locale}&__nextDefaultLocale=${locale}` },
      ]),
    ),
  { full: 'takes long' },
)
