// R. Ways around the guard of a page that worked once, in some version of the framework: on every page that has one.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { proxyAddress, startProxy } from '../support/proxy.ts'
import { check } from './checks.ts'
import type { Call } from './client.ts'
import { expectClosed, type GuardedPage, guardedPages } from './guarded-pages.ts'
import { askProxy } from './through-proxy.ts'
import type { World } from './world.ts'

interface Way {
  path: string
  headers?: Record<string, string>
}

/** Every guarded page, in each of these ways, by everybody who must not see it. */
async function tryEverywhere(world: World, ways: (page: GuardedPage) => Way[], url = world.app.url): Promise<string> {
  const { pages, callers, marks } = await guardedPages(world)
  const ends = new Map<number, number>()
  for (const page of pages)
    for (const { who, how } of callers) {
      if (who === 'viewer' && !page.isForFew) continue
      const waiting = ways(page)
      const statuses: number[] = []
      const work = async () => {
        for (let way = waiting.pop(); way; way = waiting.pop()) {
          const asked: Call = { ...how(), ...(way.headers && { headers: way.headers }) }
          statuses.push(await expectClosed(url, way.path, asked, marks))
        }
      }
      await Promise.all([work(), work(), work(), work()])
      for (const status of statuses) ends.set(status, (ends.get(status) ?? 0) + 1)
    }
  const counted = [...ends].map(([status, count]) => `${status} ${count} times`).join(', ')
  return `${pages.length} pages; ended with ${counted}`
}

const bare = ({ address }: GuardedPage) => address.split('?')[0] ?? ''

check('H-273', 'no page is opened by telling Next that its proxy was here already', (world) => {
  const chain = (name: string) => Array(5).fill(name).join(':')
  const values = ['middleware', 'pages/_middleware', ...['src/middleware', 'proxy', 'src/proxy'].map(chain)]
  return tryEverywhere(world, ({ address }) => [
    ...values.map((value) => ({ path: address, headers: { 'X-Middleware-Subrequest': value } })),
    { path: address, headers: { 'X-Middleware-Subrequest': chain('src/proxy'), RSC: '1' } },
  ])
})

const prefetches: Record<string, string>[] = [
  {},
  { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_tree' },
]

check('H-274', 'no page is opened by asking for the parts that a browser’s router fetches', (world) =>
  tryEverywhere(world, (page) => {
    const path = bare(page)
    const segments = ['_tree', '_full', '__PAGE__', `${path.slice(1)}/__PAGE__`]
    const forms = [
      `${path}.rsc`,
      `${path}.prefetch.rsc`,
      ...segments.map((one) => `${path}.segments/${one}.segment.rsc`),
    ]
    return [
      ...forms.flatMap((form) => prefetches.map((headers) => ({ path: form, headers }))),
      ...segments.map((one) => ({
        path: page.address,
        headers: { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': `/${one}` },
      })),
    ]
  }),
)

const buildId = () => readFileSync(join(root, '.next', 'BUILD_ID'), 'utf8').trim()

check('H-275', 'no page is opened by another spelling of its address', (world) =>
  tryEverywhere(world, (page) => {
    const path = bare(page)
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
)

const strange = [
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

check('H-276', 'no page is opened by a part of its address that means something to the framework', (world) =>
  tryEverywhere(world, (page) => {
    const path = bare(page)
    const [, ...parts] = path.split('/')
    return strange
      .flatMap((value) => [
        { path: `${path}/${value}` },
        { path: `/${value}${path}` },
        { path: `/${[...parts.slice(0, -1), value].join('/')}` },
      ])
      .concat({ path: `${path}?nxtPid=__proto__&nxtIid=constructor&id=__proto__` })
  }),
)

/** What Next and those who host it say to one another about a request. */
const inner = (path: string): Record<string, string>[] => [
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
  'what Next says to itself in headers has no effect from outside, and the proxy in front takes it away',
  async (world) => {
    const tried = await tryEverywhere(world, (page) =>
      inner(bare(page)).map((headers) => ({ path: page.address, headers })),
    )
    // From a page that is for everybody to one that is not.
    const { pages, marks } = await guardedPages(world)
    const usual = await world.get('/signin')
    for (const page of pages.filter(({ isForFew }) => isForFew).slice(0, 3))
      for (const headers of inner(bare(page))) {
        const answer = await world.get('/signin', { headers })
        assert.equal(answer.status, usual.status, JSON.stringify(headers))
        for (const mark of marks) assert.ok(!answer.text.includes(mark))
      }

    const seen: string[][] = []
    const echo = createServer((request, response) => {
      seen.push(Object.keys(request.headers))
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    })
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const { port } = echo.address() as { port: number }
    const url = await proxyAddress()
    const proxy = await startProxy(url, [`http://127.0.0.1:${port}`])
    try {
      const headers = Object.assign({ 'x-kept': '1' }, ...inner('/admin'), { 'x-middleware-subrequest': 'src/proxy' })
      seen.length = 0
      const { status } = await askProxy(proxy, '/', { headers })
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
)

check('H-278', 'no page is opened by a language in front of its address', (world) =>
  tryEverywhere(world, ({ address }) =>
    ['en', 'default', 'en-US'].flatMap((locale) => [
      { path: `/${locale}${address}` },
      { path: address, headers: { 'x-next-locale': locale, 'Accept-Language': locale } },
      { path: `${address}${address.includes('?') ? '&' : '?'}__nextLocale=${locale}&__nextDefaultLocale=${locale}` },
    ]),
  ),
)
