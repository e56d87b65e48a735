// The pages of this build that are not for everybody, found by asking for each, and what is to be read there.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { verdict } from './actions.ts'
import { hasModule } from './checks.ts'
import { type Answer, type Call, call } from './client.ts'
import { submit, type World } from './world.ts'

export interface GuardedPage {
  route: string
  address: string
  /** Not even for everybody who is signed in. */
  isForFew: boolean
}

export interface Guarded {
  pages: GuardedPage[]
  /** Who must not see them: nobody, and a viewer. */
  callers: { who: 'nobody' | 'viewer'; how: () => Call }[]
  /** What stands on some of these pages, and nowhere else. */
  marks: string[]
}

const found = new WeakMap<World, Promise<Guarded>>()

/** Asked for once in a group: the people are the same for all its checks. */
export function guardedPages(world: World): Promise<Guarded> {
  const known = found.get(world)
  if (known) return known
  const made = find(world)
  found.set(world, made)
  world.atEndOfGroup(async () => void found.delete(world))
  return made
}

async function find(world: World): Promise<Guarded> {
  const victim = await world.newPerson()
  const mark = `Unmistakable ${crypto.randomUUID()}`
  await world.query('update users set name = $2 where id = $1', [victim.id, mark])
  const admin = await world.newSession({ role: 'admin' })
  const viewer = await world.newSession()
  const marks = [mark]
  let post = crypto.randomUUID() as string
  if (hasModule('content')) {
    const title = `Unpublished ${crypto.randomUUID()}`
    const created = verdict(await submit(world, 'createPost', { title }, { jar: admin.jar.copy() }))
    post = /^to \/content\/([\w-]+)/.exec(created)?.[1] ?? assert.fail(created)
    marks.push(title)
  }
  const files: Record<string, string> = JSON.parse(
    readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8'),
  )
  const isPage = ([file, route]: [string, string]) => file.endsWith('/page') && !route.startsWith('/_')
  const routes = Object.entries(files).flatMap((entry) => (isPage(entry) ? [entry[1]] : []))
  const addressOf = (route: string) => {
    const id = route.startsWith('/content/') ? post : victim.id
    const search = route === '/admin/users' ? `?search=${encodeURIComponent(victim.email)}` : ''
    return (
      route
        .replace('[provider]', 'google')
        .replace('[number]', '1')
        .replaceAll(/\[\w+\]/g, id) + search
    )
  }
  const pages: GuardedPage[] = []
  const seen = new Set<string>()
  for (const route of routes) {
    const address = addressOf(route)
    const answer = await world.get(address)
    if (answer.status !== 307 || !answer.headers.location?.startsWith('/signin')) continue
    pages.push({ route, address, isForFew: (await world.get(address, { jar: viewer.jar.copy() })).status === 404 })
    const { text } = await world.get(address, { jar: admin.jar.copy() })
    for (const one of marks) if (text.includes(one)) seen.add(one)
  }
  assert.ok(pages.some(({ route }) => route === '/dashboard'))
  // Otherwise not to see it says nothing.
  if (hasModule('admin')) assert.deepEqual([...seen].sort(), [...marks].sort(), 'an admin does not see it either')
  return {
    pages,
    marks,
    callers: [
      { who: 'nobody', how: () => ({}) },
      { who: 'viewer', how: () => ({ jar: viewer.jar.copy() }) },
    ],
  }
}

const turnedAway = /NEXT_REDIRECT;\w+;\/signin|NEXT_HTTP_ERROR_FALLBACK;404/

/**
 * Asks in that way, goes where it leads within the app, and fails unless it ends at the sign-in page, at nothing, or at a
 * part of a page for the router of a browser that says nothing about anybody. Returns how it ended.
 */
export async function expectClosed(url: string, path: string, how: Call, marks: string[], hops = 0): Promise<number> {
  const answer: Answer = await call(url, path, how)
  const what = `${path} ${JSON.stringify(how.headers ?? {})}: ${answer.status} ${answer.headers.location ?? ''}`
  for (const mark of marks)
    assert.ok(!answer.text.includes(mark) && !answer.head.includes(mark), `${what} shows ${mark}`)
  if (answer.status === 307 || answer.status === 308) {
    const target = new URL(answer.headers.location ?? '', url)
    assert.equal(target.origin, new URL(url).origin, what)
    if (target.pathname === '/signin') return answer.status
    assert.ok(hops < 3, `${what} leads nowhere`)
    return expectClosed(url, target.pathname + target.search, how, marks, hops + 1)
  }
  if (answer.status !== 200) assert.ok([400, 404, 405].includes(answer.status), what)
  else if (!turnedAway.test(answer.text)) assert.match(answer.headers['content-type'] ?? '', /^text\/x-component/, what)
  return answer.status
}
