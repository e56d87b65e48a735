import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from './client.ts'
import { assertProblem } from './shapes.ts'
import { newCaller, rowsFor, type Target, whileSignedIn } from './target.ts'

/** Whether the module must be there; an app that is not ours may be with or without it, and its answer tells. */
function isInstalled({ own }: Target, name: string, answer: Answer): boolean {
  return own?.hasModule(name) ?? answer.status !== 404
}

function assertUsers(answer: Answer): void {
  assert.equal(answer.status, 200)
  const { users, nextCursor, ...rest } = answer.json()
  assert.deepEqual(rest, {})
  assert.ok(Array.isArray(users) && users.length > 0)
  for (const user of users) {
    for (const key of ['id', 'email', 'name', 'role']) assert.equal(typeof user[key], 'string', key)
    assert.doesNotMatch(Object.keys(user).join(), /hash|password|token/i)
  }
  assert.ok(nextCursor === null || typeof nextCursor === 'string')
}

export function describeModules(target: Target): void {
  const { withPerson, withOwn } = rowsFor(target)
  const [site] = target.sites

  describe('GET /api/demo/landing', () => {
    it('is public and may be kept by caches, or is not there without the module', async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await newCaller(target, site).send(method, '/api/demo/landing')
        if (!isInstalled(target, 'landing', answer)) {
          assert.equal(answer.status, 404)
          continue
        }
        assert.equal(answer.status, 200)
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
        assert.match(answer.headers.get('cache-control') ?? '', /^public\b/)
        assert.deepEqual(answer.setCookies, [])
        if (method === 'GET') assert.ok(Object.keys(answer.json()).length > 0)
      }
    })
  })

  describe('posts', () => {
    it('are listed, searched and read by anybody, or are not there without the module', async () => {
      const caller = newCaller(target, site)
      const list = await caller.get('/api/posts')
      if (!isInstalled(target, 'content', list)) return assertProblem(list, 404, 'not_found')
      assert.equal(list.status, 200)
      const { posts, next } = list.json()
      assert.ok(Array.isArray(posts) && (next === null || typeof next === 'string'))
      assertProblem(await caller.get('/api/posts/no-such-post-there-is'), 404, 'not_found')
      assertProblem(await caller.get(`/api/posts?search=${'a'.repeat(201)}`), 422, 'invalid_input')
      for (const post of posts.slice(0, 1)) {
        const answer = await caller.get(`/api/posts/${post.slug}`)
        const { author, html, ...shown } = answer.json()
        assert.deepEqual(shown, post)
        assert.equal(typeof html, 'string')
        assert.ok(author === null || typeof author === 'string')
        const found = (await caller.get(`/api/posts?search=${encodeURIComponent(post.title)}`)).json()
        assert.ok(found.posts.some(({ slug }: { slug: string }) => slug === post.slug))
      }
    })

    it('are told to readers of feeds and to search engines', async () => {
      const caller = newCaller(target, site)
      if (!isInstalled(target, 'content', await caller.get('/api/posts'))) return
      const feed = await caller.get('/posts/feed.xml')
      assert.match(feed.headers.get('content-type') ?? '', /^application\/atom\+xml/)
      assert.match(feed.headers.get('cache-control') ?? '', /^public\b/)
      const sitemap = await caller.get('/sitemap.xml')
      assert.match(sitemap.headers.get('content-type') ?? '', /^application\/xml/)
      assertProblem(await caller.get('/posts/sitemap/2026-13'), 422, 'invalid_input')
    })
  })

  describe('GET /api/account/export', () => {
    const path = '/api/account/export'

    it('is 401 for a stranger, or is not there without the module', async () => {
      const answer = await newCaller(target, site).get(path)
      if (isInstalled(target, 'account', answer)) assertProblem(answer, 401, 'unauthenticated')
      else assertProblem(answer, 404, 'not_found')
    })

    withOwn('is a ZIP to keep for whoever has just signed in, and wants a confirmation after an hour', async (own) => {
      const email = await own.newPerson()
      await whileSignedIn(target, site, { email, password: own.password }, async ({ caller }) => {
        const answer = await caller.get(path)
        if (!own.hasModule('account')) return assertProblem(answer, 404, 'not_found')
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.get('content-type'), 'application/zip')
        assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="plinth-export-.+\.zip"$/)
        assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
        await own.query(
          `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
          [email],
        )
        assertProblem(await caller.get(path), 403, 'reauth_required')
      })
    })
  })

  describe('GET /api/demo/admin/users', () => {
    const path = '/api/demo/admin/users'

    it('is 401 for a stranger, or is not there without the module', async () => {
      const answer = await newCaller(target, site).get(path)
      if (isInstalled(target, 'admin', answer)) assertProblem(answer, 401, 'unauthenticated')
      else assertProblem(answer, 404, 'not_found')
    })

    withPerson('is a page of people for an admin and 403 for others, or is not there without the module', (person) =>
      whileSignedIn(target, site, person, async ({ caller }) => {
        const answer = await caller.get(path)
        const { role } = (await caller.get('/api/auth/session')).json().user
        if (!isInstalled(target, 'admin', answer)) assertProblem(answer, 404, 'not_found')
        else if (role === 'admin') assertUsers(answer)
        else assertProblem(answer, 403, 'forbidden')
      }),
    )

    withOwn('asks for the role at every request, by cookie and by token', async (own) => {
      const email = await own.newPerson()
      await whileSignedIn(target, site, { email, password: own.password }, async ({ caller, token }) => {
        for (const role of ['editor', 'admin', 'viewer']) {
          await own.query('update users set role = $2 where email = $1', [email, role])
          const byToken = await newCaller(target, site).get(path, { authorization: `Bearer ${token}` })
          for (const answer of [await caller.get(path), byToken]) {
            if (!own.hasModule('admin')) assertProblem(answer, 404, 'not_found')
            else if (role === 'admin') assertUsers(answer)
            else assertProblem(answer, 403, 'forbidden')
          }
        }
      })
    })
  })
}
