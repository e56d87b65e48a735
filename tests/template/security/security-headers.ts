// Security headers, Content-Security-Policy and caching of responses.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContext, Page } from '@playwright/test'
import { root } from '../../../scripts/root.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { call, type HttpResponse, type Jar, trustCertificate } from '../../app/support/http-client.ts'
import { newProxyUrl, startProxy } from '../../app/support/proxy.ts'
import { password, type World } from '../../app/support/test-world.ts'
import { startCache } from '../support/cache.ts'
import { routePaths } from './support/route-paths.ts'

interface LoadedPage {
  path: string
  response: HttpResponse
}

const loaded = new WeakMap<World, Promise<LoadedPage[]>>()

/**
 * Every HTML page of the build, as admin and without a session, loaded once for all checks. Skips redirects and routes that need
 * an id.
 */
function findAllPages(world: World): Promise<LoadedPage[]> {
  const found = loaded.get(world) ?? loadAllPages(world)
  loaded.set(world, found)
  return found
}

async function loadAllPages(world: World): Promise<LoadedPage[]> {
  const { jar } = await world.newSession({ role: 'admin' })
  const paths = [...routePaths('page').filter((one) => !/[0-9a-f]{8}-/.test(one)), '/no-such-page']
  const pages: LoadedPage[] = []
  for (const path of paths) {
    const responses = await Promise.all([call(world.app.url, path, { jar: jar.copy() }), call(world.app.url, path)])
    const isPage = ({ headers }: HttpResponse) => headers['content-type']?.startsWith('text/html')
    pages.push(...responses.filter(isPage).map((response) => ({ path, response })))
  }
  assert.ok(pages.length > 40, `only ${pages.length} pages`)
  return pages
}

const policyOf = ({ headers }: HttpResponse) =>
  Object.fromEntries(
    (headers['content-security-policy'] ?? '').split('; ').map((part) => {
      const [name = '', ...values] = part.split(' ')
      return [name, values]
    }),
  )
const nonceOf = ({ headers }: HttpResponse) => /'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.[1]
const isCacheable = ({ headers }: HttpResponse) => !/no-store/.test(headers['cache-control'] ?? '')
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const scriptsIn = ({ text }: HttpResponse) =>
  [...text.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)].map(([, attributes = '', content = '']) => ({
    attributes,
    content,
  }))

// No report-uri: a report endpoint would have to be public, and the e2e tests fail on every CSP violation anyway.
check('H-019', 'every page has a CSP that allows only its own scripts', async (world) => {
  const pages = await findAllPages(world)
  for (const { path, response } of pages) {
    const policy = policyOf(response)
    const scripts = policy['script-src'] ?? []
    assert.ok(!scripts.some((source) => /unsafe|\*|https?:|data:|blob:/.test(source)), `${path}: ${scripts}`)
    // Dynamic pages use a nonce, static pages a hash per script.
    if (nonceOf(response)) assert.ok(scripts.includes("'strict-dynamic'"), path)
    else
      assert.ok(
        scripts.every((source) => /^'(self|sha256-[\w+/=]{44})'$/.test(source)),
        `${path}: ${scripts}`,
      )
    for (const name of ['object-src', 'base-uri', 'frame-ancestors']) assert.deepEqual(policy[name], ["'none'"], path)
    assert.deepEqual(policy['default-src'], ["'self'"], path)
    const expectedTargets = ["'self'", 'https://accounts.google.com', 'https://github.com']
    // The test app also allows its mock OAuth providers on localhost.
    const targets = (policy['form-action'] ?? []).filter((target) => !target.startsWith('http://localhost:'))
    assert.deepEqual(targets, expectedTargets, path)
  }
  return `${pages.length} pages`
})

check('H-020', 'CSP nonces are unique, have 16 bytes and appear in no cacheable response', async (world) => {
  const nonces = new Set<string>()
  for (let load = 0; load < 50; load++) {
    const nonce = nonceOf(await world.get('/signin')) ?? ''
    assert.equal(Buffer.from(nonce, 'base64').length, 16)
    nonces.add(nonce)
  }
  assert.equal(nonces.size, 50)
  for (const { path, response } of await findAllPages(world))
    assert.ok(!isCacheable(response) || !`${response.head}${response.text}`.includes('nonce-'), path)
  // A client cannot choose the nonce through request headers.
  const forged = { 'Content-Security-Policy': "script-src 'nonce-forged'", 'X-Nonce': 'forged' }
  const response = await world.get('/signin', { headers: forged })
  assert.ok(!`${response.head}${response.text}`.includes('forged'))
})

check('H-021', 'every script of a page is allowed by its CSP nonce or hash', async (world) => {
  let count = 0
  for (const { path, response } of await findAllPages(world)) {
    const nonce = nonceOf(response)
    const sources = policyOf(response)['script-src'] ?? []
    const scripts = scriptsIn(response)
    assert.ok(scripts.length > 1, path)
    for (const { attributes, content } of scripts) {
      const src = /\ssrc="([^"]*)"/.exec(attributes)?.[1]
      const isNamed =
        (nonce && attributes.includes(`nonce="${nonce}"`)) ||
        (src !== undefined ? !nonce && /^\/(?!\/)/.test(src) : sources.includes(hashOf(content)))
      assert.ok(isNamed, `${path}: <script${attributes}>${content.slice(0, 80)}`)
      count++
    }
    assert.doesNotMatch(response.text, /<[^>]+\son(load|error|click)=|href="javascript:/i, path)
  }
  return `${count} scripts`
})

/** Opens a browser page that records every CSP violation. */
async function watchedPage(
  world: World,
  options = {},
): Promise<{ page: Page; violations: string[]; context: BrowserContext }> {
  const context = await (await world.browser()).newContext({ ignoreHTTPSErrors: true, ...options })
  const violations: string[] = []
  await context.exposeFunction('noteBreach', (text: string) => void violations.push(text))
  await context.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) => {
      const note = (window as unknown as { noteBreach: (text: string) => void }).noteBreach
      note(`${location.pathname}: ${event.effectiveDirective} ${event.blockedURI}`)
    }),
  )
  const page = await context.newPage()
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) violations.push(message.text())
  })
  return { page, violations, context }
}

async function signInAt(page: Page, url: string, email: string): Promise<void> {
  await page.goto(`${url}/signin`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/dashboard')
}

check(
  'H-022',
  'in Chromium, no page violates its own CSP, from sign-in to sign-out',
  async (world) => {
    const { url } = await world.proxiedApp()
    const { email } = await world.newUser({ role: 'admin' })
    const { page, violations, context } = await watchedPage(world)
    try {
      const pages = routePaths('page').filter((path) => !/[0-9a-f]{8}-/.test(path))
      for (const path of ['/', '/signup', '/forgot', '/no-such-page']) await page.goto(url + path)
      await signInAt(page, url, email)
      for (const path of pages) await page.goto(url + path)
      await page.goto(`${url}/dashboard`)
      await page.evaluate(() => document.querySelector<HTMLFormElement>('form[action*="signout"]')?.requestSubmit())
      await page.waitForURL('**/signed-out')
      assert.deepEqual(violations, [])
      return `${pages.length + 6} pages`
    } finally {
      await context.close()
    }
  },
  { full: 'needs a browser' },
)

check(
  'H-023',
  'in Chromium, HTML and scripts in a user name are shown as text on every page',
  async (world) => {
    const names = [
      '<script>window.ran=1</script>',
      '<img src=x onerror=window.ran=2>',
      '"><svg onload=window.ran=3>',
      '</script><script>window.ran=4</script>',
      "{{constructor.constructor('window.ran=5')()}}",
    ]
    const users = await Promise.all(names.map(() => world.newUser({ role: 'admin' })))
    if (hasModule('account')) {
      for (const [index, { id }] of users.entries()) {
        const saved = await submitAction(
          world,
          'updateProfile',
          { name: names[index] },
          { jar: await world.insertSession({ id }) },
        )
        assert.equal((saved.value as { ok: boolean }).ok, true, names[index])
      }
    } else
      for (const [index, { id }] of users.entries())
        await world.query('update users set name = $2 where id = $1', [id, names[index]])
    const { page, violations, context } = await watchedPage(world)
    try {
      const own = users[0]
      assert.ok(own)
      await signInAt(page, world.app.url, own.email)
      const paths = routePaths('page').filter(
        (path) => /^\/(dashboard|account|admin|content)/.test(path) && !/[0-9a-f]{8}-/.test(path),
      )
      const shown: string[] = []
      for (const path of [
        ...paths,
        ...users.map(({ id }) => (hasModule('admin') ? `/admin/users/${id}` : '/dashboard')),
      ]) {
        await page.goto(world.app.url + path)
        const found = await page.evaluate(() => ({
          ran: (window as { ran?: number }).ran,
          injected: document.querySelectorAll('img[src="x"], [onload], [onerror]').length,
          text: document.body.innerText + [...document.querySelectorAll('input')].map(({ value }) => value).join('\n'),
        }))
        assert.deepEqual([found.ran, found.injected], [undefined, 0], path)
        shown.push(...names.filter((name) => found.text.includes(name)))
      }
      assert.deepEqual(violations, [])
      assert.equal(new Set(shown).size, hasModule('admin') ? names.length : 1)
    } finally {
      await context.close()
    }
  },
  { full: 'needs a browser' },
)

check(
  'H-024',
  'over HTTPS every response sets HSTS for at least a year',
  async (world) => {
    const { url } = await world.proxiedApp()
    const file = /\/_next\/static\/[^"]+\.js/.exec((await call(url, '/')).text)?.[0] ?? ''
    for (const path of [
      '/',
      '/signin',
      '/dashboard',
      '/no-such-page',
      '/api/health',
      '/api/nothing',
      '/robots.txt',
      file,
    ]) {
      const value = (await call(url, path)).headers['strict-transport-security'] ?? ''
      assert.ok(
        Number(/max-age=(\d+)/.exec(value)?.[1]) >= 31_536_000 && /includeSubDomains/.test(value),
        `${path}: ${value}`,
      )
    }
    const rejected = await call(url, '/', { headers: { Host: 'evil.example' } })
    assert.match(rejected.headers['strict-transport-security'] ?? '', /max-age=31536000/)
    for (const { path, response } of await findAllPages(world))
      assert.ok(response.headers['strict-transport-security'], path)
  },
  { full: 'needs other servers' },
)

check(
  'H-025',
  'Referrer-Policy sends other sites only the origin, and nothing from pages with an email token',
  async (world) => {
    for (const { path, response } of await findAllPages(world))
      assert.equal(response.headers['referrer-policy'], 'strict-origin-when-cross-origin', path)
    for (const path of ['/api/health', '/api/auth/session', '/api/nothing'])
      assert.equal((await world.get(path)).headers['referrer-policy'], 'strict-origin-when-cross-origin', path)
    // `no-referrer` would make browsers send `Origin: null` with these pages' forms, and such posts are rejected.
    const ofModules = [
      ...(hasModule('account') ? ['/confirm-email'] : []),
      ...(hasModule('email-code') ? ['/signin/email/link'] : []),
    ]
    for (const path of ['/reset', '/verify', '/not-me', ...ofModules]) {
      const response = await world.get(`${path}?token=${'x'.repeat(43)}`)
      assert.equal(response.headers['referrer-policy'], 'same-origin', path)
    }
  },
)

check('H-026', 'pages set COOP same-origin and the API sets CORP same-origin', async (world) => {
  for (const { path, response } of await findAllPages(world))
    assert.equal(response.headers['cross-origin-opener-policy'], 'same-origin', path)
  for (const path of routePaths('route').filter((one) => one.startsWith('/api/'))) {
    const response = await world.get(path)
    assert.equal(response.headers['cross-origin-resource-policy'], 'same-origin', `${path}: ${response.status}`)
  }
})

check('H-027', 'Permissions-Policy denies camera, microphone, geolocation and payment on every page', async (world) => {
  for (const { path, response } of await findAllPages(world))
    for (const feature of ['camera', 'microphone', 'geolocation', 'payment'])
      assert.match(response.headers['permissions-policy'] ?? '', new RegExp(`\\b${feature}=\\(\\)`), path)
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

check(
  'H-028',
  'in Chromium, no page loads in an iframe of another site',
  async (world) => {
    const paths = ['/admin', '/account', '/dashboard', '/signin', '/', '/no-such-page']
    const frames = paths.map((path) => `<iframe src="${world.app.url}${path}"></iframe>`).join('')
    const site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Elsewhere</title>${frames}`),
    )
    const port = await listen(site)
    const { page, context } = await watchedPage(world)
    try {
      await signInAt(page, world.app.url, (await world.newUser({ role: 'admin' })).email)
      // A same-site host sends the app's cookies along, so only the CSP blocks the frame.
      for (const host of ['127.0.0.1', 'localhost']) {
        await page.goto(`http://${host}:${port}/`)
        const shown = page.frames().slice(1)
        assert.equal(shown.length, paths.length)
        for (const [index, frame] of shown.entries()) {
          await frame.waitForLoadState()
          assert.match(frame.url(), /^chrome-error:/, `${paths[index]} in a frame of ${host}`)
        }
      }
    } finally {
      await context.close()
      await close(site)
    }
  },
  { full: 'needs a browser' },
)

check(
  'H-029',
  'API responses are rejected when another site loads them as a script, an image or an iframe',
  async (world) => {
    const { jar, email } = await world.newSession({ role: 'admin' })
    const isFile = /export$|avatars|covers|posts\/images|feed\.|\.xml|sitemap|robots|icon|llms|manifest|opengraph/
    const paths = [...routePaths('route'), '/api/auth/csrf', '/api/auth/providers', '/api/nothing']
    let count = 0
    for (const url of [world.app.url, (await world.proxiedApp()).url])
      for (const path of paths.filter((one) => !isFile.test(one)))
        for (const site of ['cross-site', 'same-site'])
          for (const destination of ['script', 'image', 'iframe']) {
            const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': destination, 'Sec-Fetch-Mode': 'no-cors' }
            const response = await call(url, path, { headers, jar: jar.copy() })
            const what = `${path} as ${destination}`
            assert.ok([403, 405].includes(response.status), `${what}: ${response.status}`)
            assert.ok(!response.text.includes(email), what)
            // The error is problem+json, which browsers do not run as a script, and contains no data.
            assert.match(response.headers['content-type'] ?? '', /^application\/problem\+json/, what)
            assert.deepEqual(response.setCookies, [], what)
            count++
          }
    // File downloads are not rejected but set CORP same-origin.
    for (const path of paths.filter((one) => one.startsWith('/api/') && isFile.test(one)))
      assert.equal(
        (await world.get(path, { jar: jar.copy() })).headers['cross-origin-resource-policy'],
        'same-origin',
        path,
      )
    return `${count} requests rejected`
  },
  { full: 'needs other servers' },
)

// Not `"storage"`: that would delete the theme setting and unsaved drafts in other windows.
check(
  'H-030',
  'every kind of sign-out sends Clear-Site-Data: "cache"',
  async (world) => {
    for (const url of [world.app.url, (await world.proxiedApp()).url]) {
      const node = { url }
      const requests: [body: string | object | undefined, headers: Record<string, string>][] = [
        [{ redirect: false }, {}],
        [undefined, {}],
        ['', { 'Content-Type': 'application/x-www-form-urlencoded' }],
      ]
      for (const [body, headers] of requests) {
        const jar: Jar = await world.signIn(await world.newUser(), { node })
        const response = await call(url, '/api/auth/signout', {
          method: 'POST',
          ...(body !== undefined && { body }),
          headers,
          jar,
        })
        assert.ok([200, 302].includes(response.status))
        assert.equal(response.headers['clear-site-data'], '"cache"')
        assert.equal(await world.getSession(jar, node), null)
      }
    }
    // The sign-out form of a page posts to the same endpoint.
    const { jar } = await world.newSession()
    assert.match((await world.get('/dashboard', { jar })).text, /<form [^>]*action="\/api\/auth\/signout/)
  },
  { full: 'needs other servers' },
)

/** Runs the work with a shared cache in front of the app. */
async function withCache(world: World, work: (url: string) => Promise<void>): Promise<void> {
  const cache = await startCache(world.app.url)
  try {
    // The cache does store a cacheable page; otherwise the checks below would prove nothing.
    const statuses = []
    for (let ask = 0; ask < 2; ask++) statuses.push((await call(cache.url, '/signed-out')).headers['x-cache-status'])
    assert.deepEqual(statuses, ['MISS', 'HIT'])
    await work(cache.url)
  } finally {
    await cache.stop()
  }
}

check(
  'H-031',
  'a shared cache never serves one user’s response to another',
  async (world) => {
    await withCache(world, async (url) => {
      const admin = await world.newSession({ role: 'admin' })
      const paths = ['/', ...routePaths('page'), ...routePaths('route')].filter(
        (path) => !/[0-9a-f]{8}-|export/.test(path),
      )
      for (const path of paths) {
        await call(url, path, { jar: admin.jar.copy() })
        const again = await call(url, path, { jar: admin.jar.copy() })
        const anonymous = await call(url, path)
        for (const response of [again, anonymous]) {
          const isHit = response.headers['x-cache-status'] === 'HIT'
          assert.ok(!isHit || (response.setCookies.length === 0 && !response.text.includes(admin.email)), path)
        }
        assert.ok(!anonymous.text.includes(admin.email) && !anonymous.text.includes(admin.id), path)
      }
      if (hasModule('account')) assert.equal((await call(url, '/account')).status, 307)
      assert.equal((await call(url, '/api/auth/session')).json(), null)
    })
  },
  { full: 'needs other servers' },
)

check(
  'H-032',
  'a private path with a file extension is not cached (cache deception)',
  async (world) => {
    await withCache(world, async (url) => {
      const { jar, email } = await world.newSession({ role: 'admin' })
      const privatePaths = [
        '/account',
        '/dashboard',
        '/admin',
        '/admin/users',
        '/api/auth/session',
        '/api/demo/admin/users',
      ]
      const endings = [
        '.css',
        '/x.js',
        '/a.png',
        ';x.css',
        '%0a.css',
        '%3fx.css',
        '%2fx.css',
        '/..%2fx.css',
        '?x.css',
        '/.css',
      ]
      for (const path of privatePaths)
        for (const ending of endings) {
          const seen = await call(url, path + ending, { jar: jar.copy() })
          assert.ok([400, 404].includes(seen.status) || !isCacheable(seen) || !seen.text.includes(email), path + ending)
          const anonymous = await call(url, path + ending)
          assert.ok(!anonymous.text.includes(email), path + ending)
        }
    })
  },
  { full: 'needs other servers' },
)

const unkeyedHeaders: Record<string, string>[] = [
  { 'X-Forwarded-Host': 'evil.example' },
  { 'X-Forwarded-Scheme': 'nothttps', 'X-Forwarded-Proto': 'http', 'X-Forwarded-Port': '1' },
  { 'X-Original-URL': '/admin', 'X-Rewrite-URL': '/admin' },
  { 'x-now-route-matches': '1' },
  { 'x-matched-path': '/admin', 'x-invoke-path': '/admin', 'x-invoke-status': '500', 'x-invoke-error': '{}' },
  { 'x-middleware-rewrite': '/admin', 'x-middleware-next': '1', 'x-middleware-prefetch': '1' },
  { 'x-nextjs-data': '1' },
  { 'next-resume': '1', 'x-next-revalidate-tag-token': 'x' },
  { 'X-HTTP-Method-Override': 'POST', 'X-Host': 'evil.example', Forwarded: 'host=evil.example' },
  { 'Accept-Language': 'xx', 'User-Agent': '<script>', Origin: 'https://evil.example', Range: 'bytes=0-3' },
  { 'Next-Action': 'x' },
]

check(
  'H-033',
  'headers outside the cache key do not change the cached response (cache poisoning)',
  async (world) => {
    const normalize = ({ status, head, text }: HttpResponse) => ({
      status,
      text,
      head: head
        .toLowerCase()
        .split('\n')
        .filter((line) => !/^(date|x-cache-status|connection|keep-alive|server|etag|x-request-id):/.test(line))
        .sort(),
    })
    await withCache(world, async (url) => {
      for (const path of ['/', '/signed-out', '/robots.txt', '/no-such-page', '/api/demo/landing']) {
        const expected = normalize(await call(url, `${path}?clean=${crypto.randomUUID()}`))
        for (const headers of unkeyedHeaders) {
          const uniquePath = `${path}?x=${crypto.randomUUID()}`
          await call(url, uniquePath, { headers, allow500: true })
          assert.deepEqual(normalize(await call(url, uniquePath)), expected, `${path} after ${JSON.stringify(headers)}`)
        }
        const asData = `${path}?__nextDataReq=1&x=${crypto.randomUUID()}`
        await call(url, asData)
        assert.deepEqual(normalize(await call(url, asData)), expected, `${path} as data`)
      }
    })
    await assertProxyStripsHeaders()
  },
  { full: 'needs other servers' },
)

/** The shipped HAProxy config removes every header that it lists and sets X-Forwarded-For itself. */
async function assertProxyStripsHeaders(): Promise<void> {
  const echo = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json; charset=utf-8').setHeader('Cache-Control', 'no-store')
    response.end(JSON.stringify(request.headers))
  })
  const port = await listen(echo)
  const url = await newProxyUrl()
  const proxy = await startProxy(url, [`http://localhost:${port}`])
  trustCertificate(url, proxy.certificate)
  try {
    const settings = readFileSync(join(root, 'deploy', 'haproxy.cfg'), 'utf8')
    const named = [...settings.matchAll(/http-request del-header (\S+)( -m beg)?/g)].map(
      ([, name = '', isPrefix]) => name + (isPrefix ? 'anything' : ''),
    )
    assert.ok(named.length > 10)
    const sent = [...new Set([...named, ...unkeyedHeaders.slice(0, 8).flatMap(Object.keys), 'X-Middleware-Subrequest'])]
    for (const spelled of [(name: string) => name, (name: string) => name.toUpperCase()]) {
      const headers = Object.fromEntries(sent.map((name) => [spelled(name), 'evil.example']))
      const seen = (await call(url, '/', { headers, ip: '127.9.8.7' })).json()
      const left = Object.keys(seen).filter((name) => seen[name].includes('evil.example'))
      assert.deepEqual(left, [], 'headers that reached the node')
      assert.deepEqual([seen['x-forwarded-for'], seen['x-forwarded-proto']], ['127.9.8.7', 'https'])
    }
  } finally {
    await proxy.stop()
    await close(echo)
  }
}

check(
  'H-034',
  'a cache never mixes up a page with its RSC payload, nor the responses of two users',
  async (world) => {
    await withCache(world, async (url) => {
      const isHtml = ({ headers, text }: HttpResponse) =>
        /^text\/html/.test(headers['content-type'] ?? '') && text.startsWith('<!DOCTYPE')
      for (const path of ['/', '/signed-out', '/signin', '/no-such-page']) {
        for (const headers of [
          { RSC: '1' },
          { RSC: '1', 'Next-Router-Prefetch': '1' },
          { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_tree' },
          { RSC: '1', 'Next-Router-State-Tree': encodeURIComponent('["",{}]') },
        ] as Record<string, string>[]) {
          const uniquePath = `${path}?x=${crypto.randomUUID()}`
          const data = await call(url, uniquePath, { headers, allow500: true })
          assert.match(data.headers.vary ?? 'none', /rsc|none/i, path)
          const page = await call(url, uniquePath)
          assert.ok(isHtml(page), `${path} after ${JSON.stringify(headers)}: ${page.headers['content-type']}`)
          const dataAgain = await call(url, uniquePath, { headers, allow500: true })
          assert.equal(dataAgain.headers['content-type'], data.headers['content-type'], path)
        }
      }
      // A GET with a body in UTF-16 (fat GET) must not change the response to the next request.
      const [one, two] = [await world.newSession(), await world.newSession()]
      for (const path of ['/api/auth/session', '/dashboard', '/dashboard?_rsc=x']) {
        const body = Buffer.from(JSON.stringify({ of: one.email }), 'utf16le')
        const headers: Record<string, string> = { 'Content-Type': 'application/json; charset=utf-16' }
        if (path.includes('_rsc')) headers.RSC = '1'
        const first = await call(url, path, { method: 'GET', body, headers, jar: one.jar.copy(), allow500: true })
        const second = await call(url, path, { headers, jar: two.jar.copy(), allow500: true })
        assert.ok(!second.text.includes(one.email), path)
        assert.notEqual(second.headers['x-cache-status'], 'HIT', path)
        if (path === '/api/auth/session') {
          assert.equal(first.json().user.email, one.email)
          assert.equal(second.json().user.email, two.email)
        }
      }
    })
  },
  { full: 'needs other servers' },
)
