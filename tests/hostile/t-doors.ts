// H-321: what this build has, whoever wrote it. Actions, handlers, pages and forms are found, never listed, so that a module
// of one's own is attacked from the day it is there.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { type Door, everyDoor } from '../matrix/doors.ts'
import { asForm, multipart, verdict } from './actions.ts'
import { check } from './checks.ts'
import { type Answer, type Call, call, type Jar } from './client.ts'
import { everyAddress, image, submit, type World } from './world.ts'

/** Whoever shows this as it was typed would show a script as well. */
const markup = `<plinth-planted onpointerenter=alert(1)>"'\`\${1}`
const isPlantedIn = (text: string) => text.includes('<plinth-planted')

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
/** Those that fit into an address or a field of a form. */
const texts = values.filter((value) => typeof value === 'string').map(String)

const inWords = (value: unknown) => JSON.stringify(value).slice(0, 40)

const owner = (file: string) => /^src\/app\/\([^)]+\)\//.exec(file)?.[0] ?? 'src/'
const namesIn = new Map<string, string[]>()

/** Every name that a schema of this module, or of core, asks for: sent all at once, each finds its place. */
function fieldNames(file: string): string[] {
  const folder = owner(file)
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

/** As much of it as there is room for in one body. */
const filled = (names: string[], value: unknown) => {
  const part = typeof value === 'string' ? value.slice(0, Math.max(60, 60_000 / names.length)) : value
  return Object.fromEntries(names.map((name) => [name, part]))
}

/** A page that is quickly made: an action is answered with the page that it was sent to. */
const light = '/welcome'

/** Somebody who may do all there is, each time anew: what one door does to a session is nothing to the next. */
const newAdmin = async (world: World) => world.enter(await world.newPerson({ role: 'admin' }))

const strange: Record<string, string> = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }

async function attackAction(world: World, { name, file, access }: Door): Promise<void> {
  const names = fieldNames(file)
  const jar = await newAdmin(world)
  const before = await image(world)
  for (const headers of [strange, { Origin: 'null' }, { Origin: world.app.url, 'Sec-Fetch-Site': 'cross-site' }]) {
    const answer = await submit(world, name, filled(names, 'x'), { jar, headers, path: light })
    assert.ok(['cross_site', 'status 403'].includes(verdict(answer)), `${name} from another site: ${verdict(answer)}`)
    if (access !== 'public')
      assert.equal(verdict(await submit(world, name, filled(names, 'x'))), 'unauthenticated', `${name} as nobody`)
  }
  assert.equal(await image(world), before, `${name} from another site changed something`)

  const judge = (answer: Parameters<typeof verdict>[0], what: string) => {
    assert.doesNotMatch(verdict(answer), /^(status [45]|internal)/, `${name} with ${what}: ${verdict(answer)}`)
  }
  const send = async (input: unknown, what: string, form: object = {}) =>
    judge(await submit(world, name, input, { jar: await newAdmin(world), path: light, ...form }), what)
  await Promise.all([
    ...values.map((value) => send(filled(names, value), inWords(value))),
    ...[markup, null, [[]], 7].map((value) => send(value, `only ${inWords(value)}`)),
    send(null, 'a form', await asForm(names.map((field) => [field, markup]))),
  ])
}

function judgeHandler(answer: Answer, what: string): void {
  assert.notEqual(answer.status, 500, what)
  assert.ok(
    !isPlantedIn(answer.text) || !/html|xml|svg/.test(answer.headers['content-type'] ?? 'html'),
    `${what} answers with markup as it was typed`,
  )
}

async function attackHandler(world: World, { name, file, method = 'GET', access }: Door): Promise<void> {
  const jar = await newAdmin(world)
  const [, pattern = '/'] = name.split(' ')
  const at = (text: string) =>
    pattern.replaceAll(/\[+[^\]]+\]+/g, encodeURIComponent(text.toWellFormed().slice(0, 500)))
  const address = at(crypto.randomUUID())
  const ask = async (path: string, options: Call, what: string) =>
    judgeHandler(await call(world.app.url, path, { method, jar: jar.copy(), ...options }), `${name} with ${what}`)

  const isRead = ['GET', 'HEAD'].includes(method)
  if (access !== 'public') {
    const nobody = await call(world.app.url, address, { method, ...(isRead ? {} : { body: {} }) })
    assert.equal(nobody.status, 401, `${name} as nobody`)
  }
  const before = await image(world)
  const foreign = await call(world.app.url, address, { method, jar, headers: strange, ...(isRead ? {} : { body: {} }) })
  if (access !== 'public' || !isRead) assert.equal(foreign.status, 403, `${name} from another site`)
  assert.equal(foreign.headers['access-control-allow-origin'], undefined, `${name} lets every site read`)
  assert.equal(await image(world), before, `${name} from another site changed something`)

  const names = fieldNames(file)
  const none: Call = isRead ? {} : { body: {} }
  await Promise.all(
    texts.flatMap((text) => {
      const query = new URLSearchParams(names.map((field) => [field, text.slice(0, 60)]))
      return [
        ...(pattern.includes('[') ? [ask(at(text), none, `${inWords(text)} in its address`)] : []),
        ask(`${address}?${query}`, none, `${inWords(text)} in its query`),
      ]
    }),
  )
  if (isRead) return
  const sendAs = (type: string, body: string, what: string) =>
    ask(address, { body, headers: { 'Content-Type': type } }, what)
  const types = ['text/plain', 'application/xml', 'image/svg+xml', 'image/png', 'multipart/form-data', '']
  await Promise.all([
    ...values.map((value) => sendAs('application/json', JSON.stringify(filled(names, value)), inWords(value))),
    ...['null', '[]', '"x"', '7', '{', ''].map((body) => sendAs('application/json', body, body)),
    ...types.map((type) => sendAs(type, '<x/>', `a body of ${type || 'no type'}`)),
  ])
}

interface Form {
  page: string
  hidden: [string, string][]
  fields: string[]
}

const plain = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const attribute = (tag: string, name: string) => plain(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

/** Forms that a browser without JavaScript could send. */
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
  [...html.matchAll(/<a\b[^>]*\shref="(\/[^"#]*)"/g)].map((match) => plain(match[1] ?? '').replace(/[?].*$/, ''))

/** Every page that somebody can come to: those of the build, and what they link to, a few of each kind. */
async function crawl(world: World, who: Jar | undefined, look: (page: string, html: string) => void): Promise<number> {
  const seen = new Set<string>()
  const kinds = new Map<string, number>()
  const waiting = everyAddress().filter((path) => !path.startsWith('/api'))
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = path.replaceAll(/[\w-]*\d[\w-]*/g, '*')
    const count = kinds.get(kind) ?? 0
    if (seen.has(path) || count >= 3) continue
    seen.add(path)
    kinds.set(kind, count + 1)
    const answer = await call(world.app.url, path, who ? { jar: who.copy() } : {})
    assert.notEqual(answer.status, 500, path)
    if (!answer.headers['content-type']?.startsWith('text/html')) continue
    look(path, answer.text)
    waiting.push(...linksIn(answer.text).filter((link) => !link.startsWith('/api')))
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
    const answer = await send(text, { Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' })
    assert.ok(!isPlantedIn(answer.text), `the form on ${page} shows markup as it was typed`)
  }
  const before = await image(world)
  await send(markup, strange)
  // Whoever was made to send it is there, and nothing else is.
  await world.query('delete from users where id = (select id from users order by created_at desc limit 1)')
  assert.equal(await image(world), before, `the form on ${page} was taken from another site`)
}

check(
  'H-321',
  'every action, handler and form of this build, whoever wrote it, withstands the same attacks',
  async (world) => {
    const doors = await everyDoor()
    const faults: string[] = []
    const attempt = (work: Promise<void>, name: string) =>
      work.catch((fault) => void faults.push(`${name}: ${fault.message}`))

    for (const door of doors) {
      if (door.kind === 'action') await attempt(attackAction(world, door), door.name)
      if (door.kind === 'handler') await attempt(attackHandler(world, door), door.name)
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

    // What was stored on the way must be text wherever it is shown.
    const show = (page: string, html: string) => {
      if (isPlantedIn(html)) faults.push(`${page} shows markup as it was typed`)
    }
    const pages = (await crawl(world, await newAdmin(world), show)) + (await crawl(world, undefined, show))
    assert.deepEqual(faults, [])
    const count = (kind: Door['kind']) => doors.filter((door) => door.kind === kind).length
    return `${count('action')} actions, ${count('handler')} handlers, ${forms.size} forms, ${pages} pages looked at`
  },
)
