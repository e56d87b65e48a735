// The pages of this build that require a sign-in, found by requesting each page, and text that only they contain.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../../scripts/root.ts'
import { submitAction } from '../../../app/support/call-action.ts'
import { hasModule } from '../../../app/support/has-module.ts'
import { type CallOptions, call, type HttpResponse } from '../../../app/support/http-client.ts'
import { verdict } from '../../../app/support/server-actions.ts'
import type { World } from '../../../app/support/test-world.ts'

export interface GuardedPage {
  route: string
  path: string
  /** A viewer must not see it either. */
  isRestricted: boolean
}

export interface Guarded {
  pages: GuardedPage[]
  /** Callers that must not see them: an unauthenticated caller and a viewer. */
  callers: { who: 'nobody' | 'viewer'; options: () => CallOptions }[]
  /** Text that is on some of these pages and nowhere else. */
  markers: string[]
}

const found = new WeakMap<World, Promise<Guarded>>()

/** Computed once per group: all its checks share the same users. */
export function guardedPages(world: World): Promise<Guarded> {
  const known = found.get(world)
  if (known) return known
  const made = findGuardedPages(world)
  found.set(world, made)
  world.atEndOfGroup(async () => void found.delete(world))
  return made
}

async function findGuardedPages(world: World): Promise<Guarded> {
  const victim = await world.newUser()
  const marker = `Unmistakable ${crypto.randomUUID()}`
  await world.query('update users set name = $2 where id = $1', [victim.id, marker])
  const admin = await world.newSession({ role: 'admin' })
  const viewer = await world.newSession()
  const markers = [marker]
  let post = crypto.randomUUID() as string
  if (hasModule('content')) {
    const title = `Unpublished ${crypto.randomUUID()}`
    const created = verdict(await submitAction(world, 'createPost', { title }, { jar: admin.jar.copy() }))
    post = /^to \/content\/([\w-]+)/.exec(created)?.[1] ?? assert.fail(created)
    markers.push(title)
  }
  const files: Record<string, string> = JSON.parse(
    readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8'),
  )
  const isPage = ([file, route]: [string, string]) => file.endsWith('/page') && !route.startsWith('/_')
  // A page and what a parallel slot shows beside it have the same route.
  const routes = new Set(Object.entries(files).flatMap((entry) => (isPage(entry) ? [entry[1]] : [])))
  const pathOf = (route: string) => {
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
    const path = pathOf(route)
    const response = await world.get(path)
    if (response.status !== 307 || !/^\/signin(\?|$)/.test(response.headers.location ?? '')) continue
    pages.push({ route, path, isRestricted: (await world.get(path, { jar: viewer.jar.copy() })).status === 404 })
    const { text } = await world.get(path, { jar: admin.jar.copy() })
    for (const one of markers) if (text.includes(one)) seen.add(one)
  }
  assert.ok(pages.some(({ route }) => route === '/dashboard'))
  // Without this, the absence of the text would prove nothing.
  if (hasModule('admin'))
    assert.deepEqual([...seen].sort(), [...markers].sort(), 'an admin does not see the marked text')
  return {
    pages,
    markers,
    callers: [
      { who: 'nobody', options: () => ({}) },
      { who: 'viewer', options: () => ({ jar: viewer.jar.copy() }) },
    ],
  }
}

const deniedPattern = /NEXT_REDIRECT;\w+;\/signin|NEXT_HTTP_ERROR_FALLBACK;404/

/**
 * Requests the path, follows redirects within the app, and fails unless the last response is the sign-in page, an
 * error, or a router payload (RSC) without the marked text. Returns the last status.
 */
export async function expectDenied(
  url: string,
  path: string,
  options: CallOptions,
  markers: string[],
  hops = 0,
): Promise<number> {
  const response: HttpResponse = await call(url, path, options)
  const description = `${path} ${JSON.stringify(options.headers ?? {})}: ${response.status} ${response.headers.location ?? ''}`
  for (const marker of markers)
    assert.ok(!response.text.includes(marker) && !response.head.includes(marker), `${description} shows ${marker}`)
  if (response.status === 307 || response.status === 308) {
    const target = new URL(response.headers.location ?? '', url)
    assert.equal(target.origin, new URL(url).origin, description)
    if (target.pathname === '/signin') return response.status
    assert.ok(hops < 3, `${description} redirects too often`)
    return expectDenied(url, target.pathname + target.search, options, markers, hops + 1)
  }
  if (response.status !== 200) assert.ok([400, 404, 405].includes(response.status), description)
  else if (!deniedPattern.test(response.text))
    assert.match(response.headers['content-type'] ?? '', /^text\/x-component/, description)
  return response.status
}
