// B. What answers say besides their content: policies, and who may keep them.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContext, Page } from '@playwright/test'
import { root } from '../../scripts/root.ts'
import { startCache } from '../support/cache.ts'
import { proxyAddress, startProxy } from '../support/proxy.ts'
import { addressesOf } from './addresses.ts'
import { check, hasModule } from './checks.ts'
import { type Answer, call, type Jar, trust } from './client.ts'
import { password, submit, type World } from './world.ts'

interface LoadedPage {
  path: string
  answer: Answer
}

/** Every page of the build, as an admin and as nobody sees it. What is led elsewhere, or needs an id that is there, is left out. */
async function everyPage(world: World): Promise<LoadedPage[]> {
  const { jar } = await world.newSession({ role: 'admin' })
  const pages: LoadedPage[] = []
  for (const path of [...addressesOf('page').filter((one) => !/[0-9a-f]{8}-/.test(one)), '/no-such-page'])
    for (const who of [jar, undefined]) {
      const answer = await call(world.app.url, path, who ? { jar: who.copy() } : {})
      if (answer.headers['content-type']?.startsWith('text/html')) pages.push({ path, answer })
    }
  assert.ok(pages.length > 40, `only ${pages.length} pages`)
  return pages
}

const policyOf = ({ headers }: Answer) =>
  Object.fromEntries(
    (headers['content-security-policy'] ?? '').split('; ').map((part) => {
      const [name = '', ...values] = part.split(' ')
      return [name, values]
    }),
  )
const nonceOf = ({ headers }: Answer) => /'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.[1]
const isKept = ({ headers }: Answer) => !/no-store/.test(headers['cache-control'] ?? '')
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const scriptsIn = ({ text }: Answer) =>
  [...text.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)].map(([, attributes = '', content = '']) => ({
    attributes,
    content,
  }))

// No reports are asked for: an address that takes them would be open to anybody, and journeys fail on each breach anyway.
check('H-019', 'every page has a policy that runs only scripts of its own', async (world) => {
  const pages = await everyPage(world)
  for (const { path, answer } of pages) {
    const policy = policyOf(answer)
    const scripts = policy['script-src'] ?? []
    assert.ok(!scripts.some((source) => /unsafe|\*|https?:|data:|blob:/.test(source)), `${path}: ${scripts}`)
    // Made per request: a nonce. Made once: each script by its hash.
    if (nonceOf(answer)) assert.ok(scripts.includes("'strict-dynamic'"), path)
    else
      assert.ok(
        scripts.every((source) => /^'(self|sha256-[\w+/=]{44})'$/.test(source)),
        `${path}: ${scripts}`,
      )
    for (const name of ['object-src', 'base-uri', 'frame-ancestors']) assert.deepEqual(policy[name], ["'none'"], path)
    assert.deepEqual(policy['default-src'], ["'self'"], path)
    const ours = ["'self'", 'https://accounts.google.com', 'https://github.com']
    // Beside them only the stand-ins for providers, which this world has.
    const targets = (policy['form-action'] ?? []).filter((target) => !target.startsWith('http://localhost:'))
    assert.deepEqual(targets, ours, path)
  }
  return `${pages.length} pages`
})

check('H-020', 'no nonce comes twice, can be guessed, or is in what may be kept', async (world) => {
  const nonces = new Set<string>()
  for (let load = 0; load < 50; load++) {
    const nonce = nonceOf(await world.get('/signin')) ?? ''
    assert.equal(Buffer.from(nonce, 'base64').length, 16)
    nonces.add(nonce)
  }
  assert.equal(nonces.size, 50)
  for (const { path, answer } of await everyPage(world))
    assert.ok(!isKept(answer) || !`${answer.head}${answer.text}`.includes('nonce-'), path)
  // Nobody chooses it from outside.
  const planted = { 'Content-Security-Policy': "script-src 'nonce-planted'", 'X-Nonce': 'planted' }
  const answer = await world.get('/signin', { headers: planted })
  assert.ok(!`${answer.head}${answer.text}`.includes('planted'))
})

check('H-021', 'every script of a page is named by its policy', async (world) => {
  let count = 0
  for (const { path, answer } of await everyPage(world)) {
    const nonce = nonceOf(answer)
    const sources = policyOf(answer)['script-src'] ?? []
    const scripts = scriptsIn(answer)
    assert.ok(scripts.length > 1, path)
    for (const { attributes, content } of scripts) {
      const src = /\ssrc="([^"]*)"/.exec(attributes)?.[1]
      const isNamed =
        (nonce && attributes.includes(`nonce="${nonce}"`)) ||
        (src !== undefined ? !nonce && /^\/(?!\/)/.test(src) : sources.includes(hashOf(content)))
      assert.ok(isNamed, `${path}: <script${attributes}>${content.slice(0, 80)}`)
      count++
    }
    assert.doesNotMatch(answer.text, /<[^>]+\son(load|error|click)=|href="javascript:/i, path)
  }
  return `${count} scripts`
})

/** A browser whose every breach of a policy is noted. */
async function watchedPage(
  world: World,
  options = {},
): Promise<{ page: Page; breaches: string[]; context: BrowserContext }> {
  const context = await (await world.browser()).newContext({ ignoreHTTPSErrors: true, ...options })
  const breaches: string[] = []
  await context.exposeFunction('noteBreach', (text: string) => void breaches.push(text))
  await context.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) => {
      const note = (window as unknown as { noteBreach: (text: string) => void }).noteBreach
      note(`${location.pathname}: ${event.effectiveDirective} ${event.blockedURI}`)
    }),
  )
  const page = await context.newPage()
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) breaches.push(message.text())
  })
  return { page, breaches, context }
}

async function signInAt(page: Page, url: string, email: string): Promise<void> {
  await page.goto(`${url}/signin`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/dashboard')
}

check('H-022', 'in Chromium, no page breaches its own policy, from the first to signing out', async (world) => {
  const { url } = await world.front()
  const { email } = await world.newPerson({ role: 'admin' })
  const { page, breaches, context } = await watchedPage(world)
  try {
    const pages = addressesOf('page').filter((path) => !/[0-9a-f]{8}-/.test(path))
    for (const path of ['/', '/signup', '/forgot', '/no-such-page']) await page.goto(url + path)
    await signInAt(page, url, email)
    for (const path of pages) await page.goto(url + path)
    await page.goto(`${url}/dashboard`)
    await page.evaluate(() => document.querySelector<HTMLFormElement>('form[action*="signout"]')?.requestSubmit())
    await page.waitForURL('**/signed-out')
    assert.deepEqual(breaches, [])
    return `${pages.length + 6} pages`
  } finally {
    await context.close()
  }
})

check('H-023', 'in Chromium, a name that is a script is shown as text, on every page', async (world) => {
  const names = [
    '<script>window.ran=1</script>',
    '<img src=x onerror=window.ran=2>',
    '"><svg onload=window.ran=3>',
    '</script><script>window.ran=4</script>',
    "{{constructor.constructor('window.ran=5')()}}",
  ]
  const people = await Promise.all(names.map(() => world.newPerson({ role: 'admin' })))
  if (hasModule('account')) {
    for (const [index, { id }] of people.entries()) {
      const saved = await submit(world, 'updateProfile', { name: names[index] }, { jar: await world.enter({ id }) })
      assert.equal((saved.value as { ok: boolean }).ok, true, names[index])
    }
  } else
    for (const [index, { id }] of people.entries())
      await world.query('update users set name = $2 where id = $1', [id, names[index]])
  const { page, breaches, context } = await watchedPage(world)
  try {
    const own = people[0]
    assert.ok(own)
    await signInAt(page, world.app.url, own.email)
    const paths = addressesOf('page').filter(
      (path) => /^\/(dashboard|account|admin|content)/.test(path) && !/[0-9a-f]{8}-/.test(path),
    )
    const shown: string[] = []
    for (const path of [
      ...paths,
      ...people.map(({ id }) => (hasModule('admin') ? `/admin/users/${id}` : '/dashboard')),
    ]) {
      await page.goto(world.app.url + path)
      const found = await page.evaluate(() => ({
        ran: (window as { ran?: number }).ran,
        planted: document.querySelectorAll('img[src="x"], [onload], [onerror]').length,
        text: document.body.innerText + [...document.querySelectorAll('input')].map(({ value }) => value).join('\n'),
      }))
      assert.deepEqual([found.ran, found.planted], [undefined, 0], path)
      shown.push(...names.filter((name) => found.text.includes(name)))
    }
    assert.deepEqual(breaches, [])
    assert.equal(new Set(shown).size, hasModule('admin') ? names.length : 1)
  } finally {
    await context.close()
  }
})

check('H-024', 'over https every answer keeps browsers to https for a year', async (world) => {
  const { url } = await world.front()
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
  const refused = await call(url, '/', { headers: { Host: 'evil.example' } })
  assert.match(refused.headers['strict-transport-security'] ?? '', /max-age=31536000/)
  for (const { path, answer } of await everyPage(world)) assert.ok(answer.headers['strict-transport-security'], path)
})

check(
  'H-025',
  'no other site learns more than where somebody came from, and nothing of a link in a mail',
  async (world) => {
    for (const { path, answer } of await everyPage(world))
      assert.equal(answer.headers['referrer-policy'], 'strict-origin-when-cross-origin', path)
    for (const path of ['/api/health', '/api/auth/session', '/api/nothing'])
      assert.equal((await world.get(path)).headers['referrer-policy'], 'strict-origin-when-cross-origin', path)
    // Not `no-referrer`: browsers would then send these pages' forms as if from nowhere, and those are refused.
    for (const path of ['/reset', '/verify', '/not-me', ...(hasModule('account') ? ['/confirm-email'] : [])]) {
      const answer = await world.get(`${path}?token=${'x'.repeat(43)}`)
      assert.equal(answer.headers['referrer-policy'], 'same-origin', path)
    }
  },
)

check('H-026', 'pages share no window with other sites, and data is for pages of this one', async (world) => {
  for (const { path, answer } of await everyPage(world))
    assert.equal(answer.headers['cross-origin-opener-policy'], 'same-origin', path)
  for (const path of addressesOf('route').filter((one) => one.startsWith('/api/'))) {
    const answer = await world.get(path)
    assert.equal(answer.headers['cross-origin-resource-policy'], 'same-origin', `${path}: ${answer.status}`)
  }
})

check('H-027', 'no page may ask for camera, microphone, place or payment', async (world) => {
  for (const { path, answer } of await everyPage(world))
    for (const feature of ['camera', 'microphone', 'geolocation', 'payment'])
      assert.match(answer.headers['permissions-policy'] ?? '', new RegExp(`\\b${feature}=\\(\\)`), path)
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

check('H-028', 'in Chromium, no page is shown in a frame of another site', async (world) => {
  const paths = ['/admin', '/account', '/dashboard', '/signin', '/', '/no-such-page']
  const frames = paths.map((path) => `<iframe src="${world.app.url}${path}"></iframe>`).join('')
  const site = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Elsewhere</title>${frames}`),
  )
  const port = await listen(site)
  const { page, context } = await watchedPage(world)
  try {
    await signInAt(page, world.app.url, (await world.newPerson({ role: 'admin' })).email)
    // A sibling of the app's host sends its cookies along; only the policy is in the way.
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
})

check(
  'H-029',
  'data is refused to a page of another site that loads it as a script, a picture or a frame',
  async (world) => {
    const { jar, email } = await world.newSession({ role: 'admin' })
    const isFile = /export$|avatars|covers|\.xml|sitemap|robots|icon/
    const paths = [...addressesOf('route'), '/api/auth/csrf', '/api/auth/providers', '/api/nothing']
    let count = 0
    for (const url of [world.app.url, (await world.front()).url])
      for (const path of paths.filter((one) => !isFile.test(one)))
        for (const site of ['cross-site', 'same-site'])
          for (const destination of ['script', 'image', 'iframe']) {
            const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': destination, 'Sec-Fetch-Mode': 'no-cors' }
            const answer = await call(url, path, { headers, jar: jar.copy() })
            const what = `${path} as ${destination}`
            assert.ok([403, 405].includes(answer.status), `${what}: ${answer.status}`)
            assert.ok(!answer.text.includes(email), what)
            // A refusal is no script, and says nothing but that it is one.
            assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json/, what)
            assert.deepEqual(answer.setCookies, [], what)
            count++
          }
    // What is a file says to browsers that it is for this site only, unless it is meant for all.
    for (const path of paths.filter((one) => one.startsWith('/api/') && isFile.test(one)))
      assert.equal(
        (await world.get(path, { jar: jar.copy() })).headers['cross-origin-resource-policy'],
        'same-origin',
        path,
      )
    return `${count} refusals`
  },
)

// Not `"storage"`: it would take the theme along, and texts that are being written in another window.
check('H-030', 'signing out empties the browser’s cache, however it is done', async (world) => {
  for (const url of [world.app.url, (await world.front()).url]) {
    const node = { url }
    const ways: [body: string | object | undefined, headers: Record<string, string>][] = [
      [{ redirect: false }, {}],
      [undefined, {}],
      ['', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ]
    for (const [body, headers] of ways) {
      const jar: Jar = await world.signIn(await world.newPerson(), { node })
      const answer = await call(url, '/api/auth/signout', {
        method: 'POST',
        ...(body !== undefined && { body }),
        headers,
        jar,
      })
      assert.ok([200, 302].includes(answer.status))
      assert.equal(answer.headers['clear-site-data'], '"cache"')
      assert.equal(await world.session(jar, node), null)
    }
  }
  // What a page offers for it leads to the same place.
  const { jar } = await world.newSession()
  assert.match((await world.get('/dashboard', { jar })).text, /<form [^>]*action="\/api\/auth\/signout/)
})

/** A shared cache in front of the app, for one check. */
async function withCache(world: World, work: (url: string) => Promise<void>): Promise<void> {
  const cache = await startCache(world.app.url)
  try {
    // It does keep what it may: otherwise nothing below would show anything.
    const statuses = []
    for (let ask = 0; ask < 2; ask++) statuses.push((await call(cache.url, '/welcome')).headers['x-cache-status'])
    assert.deepEqual(statuses, ['MISS', 'HIT'])
    await work(cache.url)
  } finally {
    await cache.stop()
  }
}

check('H-031', 'a shared cache shows nobody what it got for somebody else', async (world) => {
  await withCache(world, async (url) => {
    const somebody = await world.newSession({ role: 'admin' })
    const paths = ['/', ...addressesOf('page'), ...addressesOf('route')].filter(
      (path) => !/[0-9a-f]{8}-|export/.test(path),
    )
    for (const path of paths) {
      await call(url, path, { jar: somebody.jar.copy() })
      const again = await call(url, path, { jar: somebody.jar.copy() })
      const anonymous = await call(url, path)
      for (const answer of [again, anonymous]) {
        const isHit = answer.headers['x-cache-status'] === 'HIT'
        assert.ok(!isHit || (answer.setCookies.length === 0 && !answer.text.includes(somebody.email)), path)
      }
      assert.ok(!anonymous.text.includes(somebody.email) && !anonymous.text.includes(somebody.id), path)
    }
    if (hasModule('account')) assert.equal((await call(url, '/account')).status, 307)
    assert.equal((await call(url, '/api/auth/session')).json(), null)
  })
})

check('H-032', 'an address that looks like a file does not make a cache keep what is private', async (world) => {
  await withCache(world, async (url) => {
    const { jar, email } = await world.newSession({ role: 'admin' })
    const privates = ['/account', '/dashboard', '/admin', '/admin/users', '/api/auth/session', '/api/demo/admin/users']
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
    for (const path of privates)
      for (const ending of endings) {
        const seen = await call(url, path + ending, { jar: jar.copy() })
        assert.ok([400, 404].includes(seen.status) || !isKept(seen) || !seen.text.includes(email), path + ending)
        const anonymous = await call(url, path + ending)
        assert.ok(!anonymous.text.includes(email), path + ending)
      }
  })
})

const unkeyed: Record<string, string>[] = [
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

check('H-033', 'headers that are no part of an address change nothing for whoever asks next', async (world) => {
  const plain = ({ status, head, text }: Answer) => ({
    status,
    text,
    head: head
      .toLowerCase()
      .split('\n')
      .filter((line) => !/^(date|x-cache-status|connection|keep-alive|server|etag|x-request-id):/.test(line))
      .sort(),
  })
  await withCache(world, async (url) => {
    for (const path of ['/', '/welcome', '/robots.txt', '/no-such-page', '/api/demo/landing']) {
      const right = plain(await call(url, `${path}?clean=${crypto.randomUUID()}`))
      for (const headers of unkeyed) {
        const address = `${path}?x=${crypto.randomUUID()}`
        await call(url, address, { headers, may500: true })
        assert.deepEqual(plain(await call(url, address)), right, `${path} after ${JSON.stringify(headers)}`)
      }
      const asData = `${path}?__nextDataReq=1&x=${crypto.randomUUID()}`
      await call(url, asData)
      assert.deepEqual(plain(await call(url, asData)), right, `${path} as data`)
    }
  })
  await stripsHeaders()
})

/** HAProxy as it is shipped lets none of the headers through that it says it takes away, and says itself who is calling. */
async function stripsHeaders(): Promise<void> {
  const echo = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json; charset=utf-8').setHeader('Cache-Control', 'no-store')
    response.end(JSON.stringify(request.headers))
  })
  const port = await listen(echo)
  const url = await proxyAddress()
  const proxy = await startProxy(url, [`http://localhost:${port}`])
  trust(url, proxy.certificate)
  try {
    const settings = readFileSync(join(root, 'deploy', 'haproxy.cfg'), 'utf8')
    const named = [...settings.matchAll(/http-request del-header (\S+)( -m beg)?/g)].map(
      ([, name = '', isBeginning]) => name + (isBeginning ? 'anything' : ''),
    )
    assert.ok(named.length > 10)
    const sent = [...new Set([...named, ...unkeyed.slice(0, 8).flatMap(Object.keys), 'X-Middleware-Subrequest'])]
    for (const spelled of [(name: string) => name, (name: string) => name.toUpperCase()]) {
      const headers = Object.fromEntries(sent.map((name) => [spelled(name), 'evil.example']))
      const seen = (await call(url, '/', { headers, address: '127.9.8.7' })).json()
      const left = Object.keys(seen).filter((name) => seen[name].includes('evil.example'))
      assert.deepEqual(left, [], 'reached a node')
      assert.deepEqual([seen['x-forwarded-for'], seen['x-forwarded-proto']], ['127.9.8.7', 'https'])
    }
  } finally {
    await proxy.stop()
    await close(echo)
  }
}

check(
  'H-034',
  'a page and its data for React are never taken for one another, nor one person’s for another’s',
  async (world) => {
    await withCache(world, async (url) => {
      const isHtml = ({ headers, text }: Answer) =>
        /^text\/html/.test(headers['content-type'] ?? '') && text.startsWith('<!DOCTYPE')
      for (const path of ['/', '/welcome', '/signin', '/no-such-page']) {
        for (const headers of [
          { RSC: '1' },
          { RSC: '1', 'Next-Router-Prefetch': '1' },
          { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_tree' },
          { RSC: '1', 'Next-Router-State-Tree': encodeURIComponent('["",{}]') },
        ] as Record<string, string>[]) {
          const address = `${path}?x=${crypto.randomUUID()}`
          const data = await call(url, address, { headers, may500: true })
          assert.match(data.headers.vary ?? 'none', /rsc|none/i, path)
          const page = await call(url, address)
          assert.ok(isHtml(page), `${path} after ${JSON.stringify(headers)}: ${page.headers['content-type']}`)
          const dataAgain = await call(url, address, { headers, may500: true })
          assert.equal(dataAgain.headers['content-type'], data.headers['content-type'], path)
        }
      }
      // A body with a GET, in other letters: whoever comes next gets their own answer.
      const [one, two] = [await world.newSession(), await world.newSession()]
      for (const path of ['/api/auth/session', '/dashboard', '/dashboard?_rsc=x']) {
        const body = Buffer.from(JSON.stringify({ of: one.email }), 'utf16le')
        const headers: Record<string, string> = { 'Content-Type': 'application/json; charset=utf-16' }
        if (path.includes('_rsc')) headers.RSC = '1'
        const first = await call(url, path, { method: 'GET', body, headers, jar: one.jar.copy(), may500: true })
        const second = await call(url, path, { headers, jar: two.jar.copy(), may500: true })
        assert.ok(!second.text.includes(one.email), path)
        assert.notEqual(second.headers['x-cache-status'], 'HIT', path)
        if (path === '/api/auth/session') {
          assert.equal(first.json().user.email, one.email)
          assert.equal(second.json().user.email, two.email)
        }
      }
    })
  },
)
