// H-321: attacks every action, handler, page and form of this build. They are discovered, not listed, so that a custom
// module is covered as soon as it exists.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'
import { type EntryPoint, findEntryPoints } from '../../app/matrix/entry-points.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { type CallOptions, call, type HttpResponse, type Jar } from '../../app/support/http-client.ts'
import { encodeReactForm, multipart, verdict } from '../../app/support/server-actions.ts'
import { everyPath, snapshotState, type World } from '../../app/support/test-world.ts'

/** Markup: output that contains it unescaped would also run a script. */
const markup = `<plinth-injected onpointerenter=alert(1)>"'\`\${1}`
const hasUnescapedMarkup = (text: string) => text.includes('<plinth-injected')

const values: unknown[] = [
  markup,
  `' or 1=1; drop table users; --`,
  '\0',
  '\ud800',
  '',
  'x'.repeat(2000),
  '__proto__',
  '../../etc/passwd',
  '2026-13-45T99:99',
  crypto.randomUUID(),
  -1,
  1e308,
  true,
  null,
  [],
  Array(1000).fill('x'),
  { $ne: null },
  { toString: 'x', length: 1e9 },
]
/** Those that fit into a URL or a form field. */
const texts = values.filter((value) => typeof value === 'string').map(String)

const describeValue = (value: unknown) => JSON.stringify(value).slice(0, 40)

const moduleFolder = (file: string) => /^src\/app\/\([^)]+\)\//.exec(file)?.[0] ?? 'src/'
const namesIn = new Map<string, string[]>()

/**
 * Every input field name of the schemas in this module, or in core. All are sent at once, so that each schema finds its
 * own.
 */
function fieldNames(file: string): string[] {
  const folder = moduleFolder(file)
  const known = namesIn.get(folder)
  if (known) return known
  const sources = globSync(`${folder}**/*.{ts,tsx}`, { cwd: root }).filter((name) => !/\.(test|e2e)\.ts/.test(name))
  const found = sources.flatMap((name) =>
    [
      ...readFileSync(join(root, name), 'utf8').matchAll(/\b([a-zA-Z]\w*): (?:z|[a-z]\w*(?:Schema|Field|Input))\b/g),
    ].map((match) => match[1] ?? ''),
  )
  const names = [...new Set(['id', 'name', 'q', 'cursor', 'limit', 'token', ...found])]
  namesIn.set(folder, names)
  return names
}

/** The value for every field, shortened so that all fit into one body. */
const fillFields = (names: string[], value: unknown) => {
  const room = Math.max(60, 60_000 / names.length)
  const part =
    typeof value === 'string' ? value.slice(0, room) : Array.isArray(value) ? value.slice(0, room / 4) : value
  return Object.fromEntries(names.map((name) => [name, part]))
}

/** A page that renders quickly: an action's response includes the page that it was posted to. */
const lightPage = '/signed-out'

/** A new admin session for each request, so that one entry's effect on a session does not matter to the next. */
const newAdmin = async (world: World) => world.insertSession(await world.newUser({ role: 'admin' }))

const crossSiteHeaders: Record<string, string> = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }

async function attackAction(world: World, { name, file, access }: EntryPoint): Promise<void> {
  const names = fieldNames(file)
  const jar = await newAdmin(world)
  const before = await snapshotState(world)
  for (const headers of [
    crossSiteHeaders,
    { Origin: 'null' },
    { Origin: world.app.url, 'Sec-Fetch-Site': 'cross-site' },
  ]) {
    const response = await submitAction(world, name, fillFields(names, 'x'), { jar, headers, path: lightPage })
    assert.ok(['cross_site', 'status 403'].includes(verdict(response)), `${name} cross-site: ${verdict(response)}`)
    if (access !== 'public')
      assert.equal(
        verdict(await submitAction(world, name, fillFields(names, 'x'))),
        'unauthenticated',
        `${name} unauthenticated`,
      )
  }
  assert.equal(await snapshotState(world), before, `${name} cross-site changed data`)

  const assertHandled = (response: Parameters<typeof verdict>[0], what: string) => {
    assert.doesNotMatch(verdict(response), /^(status [45]|internal)/, `${name} with ${what}: ${verdict(response)}`)
  }
  const send = async (input: unknown, what: string, form: object = {}) =>
    assertHandled(
      await submitAction(world, name, input, { jar: await newAdmin(world), path: lightPage, ...form }),
      what,
    )
  await Promise.all([
    ...values.map((value) => send(fillFields(names, value), describeValue(value))),
    ...[markup, null, [[]], 7].map((value) => send(value, `only ${describeValue(value)}`)),
    send(null, 'a form', await encodeReactForm(names.map((field) => [field, markup]))),
  ])
}

function assertHandlerResponse(response: HttpResponse, what: string): void {
  assert.notEqual(response.status, 500, what)
  assert.ok(
    !hasUnescapedMarkup(response.text) || !/html|xml|svg/.test(response.headers['content-type'] ?? 'html'),
    `${what} returns unescaped markup`,
  )
}

async function attackHandler(world: World, { name, file, method = 'GET', access }: EntryPoint): Promise<void> {
  const jar = await newAdmin(world)
  const [, pattern = '/'] = name.split(' ')
  const at = (text: string) =>
    pattern.replaceAll(/\[+[^\]]+\]+/g, encodeURIComponent(text.toWellFormed().slice(0, 500)))
  const requestPath = at(crypto.randomUUID())
  const ask = async (path: string, options: CallOptions, what: string) =>
    assertHandlerResponse(
      await call(world.app.url, path, { method, jar: jar.copy(), ...options }),
      `${name} with ${what}`,
    )

  const isRead = ['GET', 'HEAD'].includes(method)
  if (access !== 'public') {
    const unauthenticated = await call(world.app.url, requestPath, { method, ...(isRead ? {} : { body: {} }) })
    assert.equal(unauthenticated.status, 401, `${name} unauthenticated`)
  }
  const before = await snapshotState(world)
  const crossSiteResponse = await call(world.app.url, requestPath, {
    method,
    jar,
    headers: crossSiteHeaders,
    ...(isRead ? {} : { body: {} }),
  })
  if (access !== 'public' || !isRead) assert.equal(crossSiteResponse.status, 403, `${name} cross-site`)
  assert.equal(crossSiteResponse.headers['access-control-allow-origin'], undefined, `${name} lets every site read`)
  assert.equal(await snapshotState(world), before, `${name} cross-site changed data`)

  const names = fieldNames(file)
  const none: CallOptions = isRead ? {} : { body: {} }
  await Promise.all(
    texts.flatMap((text) => {
      const query = new URLSearchParams(names.map((field) => [field, text.slice(0, 60)]))
      return [
        ...(pattern.includes('[') ? [ask(at(text), none, `${describeValue(text)} in its path`)] : []),
        ask(`${requestPath}?${query}`, none, `${describeValue(text)} in its query`),
      ]
    }),
  )
  if (isRead) return
  const sendAs = (type: string, body: string, what: string) =>
    ask(requestPath, { body, headers: { 'Content-Type': type } }, what)
  const types = ['text/plain', 'application/xml', 'image/svg+xml', 'image/png', 'multipart/form-data', '']
  await Promise.all([
    ...values.map((value) =>
      sendAs('application/json', JSON.stringify(fillFields(names, value)), describeValue(value)),
    ),
    ...['null', '[]', '"x"', '7', '{', ''].map((body) => sendAs('application/json', body, body)),
    ...types.map((type) => sendAs(type, '<x/>', `a body of ${type || 'no type'}`)),
  ])
}

interface Form {
  page: string
  hidden: [string, string][]
  fields: string[]
}

const decodeEntities = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const attribute = (tag: string, name: string) => decodeEntities(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

/** The forms that a browser without JavaScript could send. */
function formsIn(page: string, html: string): Form[] {
  return (html.match(/<form\b[^>]*>.*?<\/form>/gs) ?? []).flatMap((form) => {
    const tags = form.match(/<(input|textarea|select|button)\b[^>]*>/g) ?? []
    const named = tags.filter((tag) => attribute(tag, 'name') !== '')
    const isHidden = (tag: string) => attribute(tag, 'type') === 'hidden'
    const hidden = named
      .filter(isHidden)
      .map((tag): [string, string] => [attribute(tag, 'name'), attribute(tag, 'value')])
    if (!hidden.some(([name]) => name.startsWith('$ACTION'))) return []
    return [{ page, hidden, fields: named.filter((tag) => !isHidden(tag)).map((tag) => attribute(tag, 'name')) }]
  })
}

const linksIn = (html: string) =>
  [...html.matchAll(/<a\b[^>]*\shref="(\/[^"#]*)"/g)].map((match) =>
    decodeEntities(match[1] ?? '').replace(/[?].*$/, ''),
  )

/** Every reachable page: the static paths of the build and the pages they link to, at most three of each kind. */
async function crawl(world: World, jar: Jar | undefined, look: (page: string, html: string) => void): Promise<number> {
  const seen = new Set<string>()
  const pageKinds = new Map<string, number>()
  const waiting = everyPath().filter((path) => !path.startsWith('/api'))
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = path.replaceAll(/[\w-]*\d[\w-]*/g, '*')
    const count = pageKinds.get(kind) ?? 0
    if (seen.has(path) || count >= 3) continue
    seen.add(path)
    pageKinds.set(kind, count + 1)
    const response = await call(world.app.url, path, jar ? { jar: jar.copy() } : {})
    assert.notEqual(response.status, 500, path)
    if (!response.headers['content-type']?.startsWith('text/html')) continue
    look(path, response.text)
    waiting.push(...linksIn(response.text).filter((link) => !link.startsWith('/api')))
  }
  return seen.size
}

async function attackForm(world: World, { page, hidden, fields }: Form): Promise<void> {
  const send = async (text: string, headers: Record<string, string>) => {
    const sent = await multipart([...hidden, ...fields.map((field): [string, string] => [field, text])])
    return call(world.app.url, page, {
      method: 'POST',
      jar: await newAdmin(world),
      body: sent.body,
      headers: { ...sent.headers, ...headers },
    })
  }
  for (const text of [markup, '\0', '']) {
    const response = await send(text, { Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' })
    assert.ok(!hasUnescapedMarkup(response.text), `the form on ${page} shows markup unescaped`)
  }
  const before = await snapshotState(world)
  await send(markup, crossSiteHeaders)
  // Removes the user that `send` created, so that only other changes remain.
  await world.query('delete from users where id = (select id from users order by created_at desc limit 1)')
  assert.equal(await snapshotState(world), before, `the form on ${page} was accepted cross-site`)
}

check(
  'H-321',
  'every action, handler and form of this build withstands the same attacks, custom modules included',
  async (world) => {
    const entries = await findEntryPoints()
    const failures: string[] = []
    const attempt = (work: Promise<void>, name: string) =>
      work.catch((error) => void failures.push(`${name}: ${error.message}`))

    for (const entry of entries) {
      if (entry.kind === 'action') await attempt(attackAction(world, entry), entry.name)
      if (entry.kind === 'handler') await attempt(attackHandler(world, entry), entry.name)
    }
    const forms = new Map<string, Form>()
    const find = (page: string, html: string) => {
      for (const form of formsIn(page, html)) {
        const action = form.hidden.map(([name, value]) => /"id":"(\w+)"/.exec(value)?.[1] ?? name).join()
        if (!forms.has(action)) forms.set(action, form)
      }
    }
    await crawl(world, undefined, find)
    await crawl(world, await newAdmin(world), find)
    for (const form of forms.values()) await attempt(attackForm(world, form), `form on ${form.page}`)

    // Input stored on the way must be escaped wherever it is shown.
    const findUnescapedMarkup = (page: string, html: string) => {
      if (hasUnescapedMarkup(html)) failures.push(`${page} shows markup unescaped`)
    }
    const pages =
      (await crawl(world, await newAdmin(world), findUnescapedMarkup)) +
      (await crawl(world, undefined, findUnescapedMarkup))
    assert.deepEqual(failures, [])
    const count = (kind: EntryPoint['kind']) => entries.filter((entry) => entry.kind === kind).length
    return `${count('action')} actions, ${count('handler')} handlers, ${forms.size} forms, ${pages} pages`
  },
  { full: 'takes long' },
)
