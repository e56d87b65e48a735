import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { appSlug } from '../../../src/brand.ts'
import { expireReauthentication } from '../support/query.ts'
import { assertProblem } from './assertions.ts'
import type { TestResponse } from './client.ts'
import { newCaller, type Target, testsFor, whileSignedIn } from './target.ts'

/** Whether the module is installed. For an app that this run did not start, the response status tells. */
function isInstalled({ ownApp }: Target, name: string, response: TestResponse): boolean {
  return ownApp?.hasModule(name) ?? response.status !== 404
}

function assertUsers(response: TestResponse): void {
  assert.equal(response.status, 200)
  const { users, nextCursor, ...rest } = response.json()
  assert.deepEqual(rest, {})
  assert.ok(Array.isArray(users) && users.length > 0)
  for (const user of users) {
    for (const key of ['id', 'email', 'name', 'role']) assert.equal(typeof user[key], 'string', key)
    assert.doesNotMatch(Object.keys(user).join(), /hash|password|token/i)
  }
  assert.ok(nextCursor === null || typeof nextCursor === 'string')
}

export function describePart(target: Target): void {
  const { withUser, withOwnApp } = testsFor(target)
  const [site] = target.sites

  describe('GET /api/demo/landing', () => {
    it('is public and cacheable, or 404 without the module', async () => {
      for (const method of ['GET', 'HEAD']) {
        const response = await newCaller(target, site).send(method, '/api/demo/landing')
        if (!isInstalled(target, 'landing', response)) {
          assert.equal(response.status, 404)
          continue
        }
        assert.equal(response.status, 200)
        assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
        assert.match(response.headers.get('cache-control') ?? '', /^public\b/)
        assert.deepEqual(response.setCookies, [])
        if (method === 'HEAD') continue
        const { title, lead, faq } = response.json()
        for (const text of [title, lead]) assert.equal(typeof text, 'string')
        assert.ok(Array.isArray(faq))
      }
    })
  })

  describe('posts', () => {
    it('can be listed, searched and read without an account, or are 404 without the module', async () => {
      const caller = newCaller(target, site)
      const list = await caller.get('/api/posts')
      if (!isInstalled(target, 'content', list)) return assertProblem(list, 404, 'not_found')
      assert.equal(list.status, 200)
      const { posts, next } = list.json()
      assert.ok(Array.isArray(posts) && (next === null || typeof next === 'string'))
      assertProblem(await caller.get('/api/posts/no-such-post-there-is'), 404, 'not_found')
      assertProblem(await caller.get(`/api/posts?search=${'a'.repeat(201)}`), 422, 'invalid_input')
      for (const post of posts.slice(0, 1)) {
        const response = await caller.get(`/api/posts/${post.slug}`)
        const { author, html, ...shown } = response.json()
        assert.deepEqual(shown, post)
        assert.equal(typeof html, 'string')
        assert.ok(author === null || typeof author === 'string')
        const found = (await caller.get(`/api/posts?search=${encodeURIComponent(post.title)}`)).json()
        assert.ok(found.posts.some(({ slug }: { slug: string }) => slug === post.slug))
      }
    })

    it('are in both feeds and in the sitemap', async () => {
      const caller = newCaller(target, site)
      if (!isInstalled(target, 'content', await caller.get('/api/posts'))) return
      for (const [path, type] of [
        ['/posts/feed.xml', /^application\/atom\+xml/],
        ['/posts/feed.json', /^application\/feed\+json/],
      ] as const) {
        for (const method of ['GET', 'HEAD']) {
          const feed = await caller.send(method, path)
          assert.equal(feed.status, 200, path)
          assert.match(feed.headers.get('content-type') ?? '', type)
          assert.match(feed.headers.get('cache-control') ?? '', /^public\b/)
          assert.deepEqual(feed.setCookies, [])
        }
      }
      const { version, items, home_page_url: home } = (await caller.get('/posts/feed.json')).json()
      assert.equal(version, 'https://jsonfeed.org/version/1.1')
      assert.match(home, /\/posts$/)
      assert.ok(Array.isArray(items) && items.length <= 20)
      for (const item of items) {
        for (const key of ['id', 'url', 'title', 'summary', 'content_html', 'date_published', 'date_modified'])
          assert.equal(typeof item[key], 'string', key)
        assert.doesNotMatch(item.content_html, / (href|src)="[/#]/)
      }
      const sitemap = await caller.get('/sitemap.xml')
      assert.match(sitemap.headers.get('content-type') ?? '', /^application\/xml/)
      assertProblem(await caller.get('/posts/sitemap/2026-13'), 422, 'invalid_input')
    })
  })

  describe('GET /api/account/export', () => {
    const path = '/api/account/export'

    it('is 401 for an unauthenticated caller, or 404 without the module', async () => {
      const response = await newCaller(target, site).get(path)
      if (isInstalled(target, 'account', response)) assertProblem(response, 401, 'unauthenticated')
      else assertProblem(response, 404, 'not_found')
    })

    withOwnApp('is a ZIP download right after sign-in, and requires reauthentication after an hour', async (ownApp) => {
      const email = await ownApp.newUser()
      await whileSignedIn(target, site, { email, password: ownApp.password }, async ({ caller }) => {
        const response = await caller.get(path)
        if (!ownApp.hasModule('account')) return assertProblem(response, 404, 'not_found')
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), 'application/zip')
        assert.match(
          response.headers.get('content-disposition') ?? '',
          new RegExp(`^attachment; filename="${appSlug}-export-.+\\.zip"$`),
        )
        assert.match(response.headers.get('cache-control') ?? '', /no-store/)
        await expireReauthentication(email, ownApp.query)
        assertProblem(await caller.get(path), 403, 'reauth_required')
      })
    })
  })

  describe('GET /api/demo/admin/users', () => {
    const path = '/api/demo/admin/users'

    it('is 401 for an unauthenticated caller, or 404 without the module', async () => {
      const response = await newCaller(target, site).get(path)
      if (isInstalled(target, 'admin', response)) assertProblem(response, 401, 'unauthenticated')
      else assertProblem(response, 404, 'not_found')
    })

    withUser('is a page of users for an admin and 403 for others, or 404 without the module', (user) =>
      whileSignedIn(target, site, user, async ({ caller }) => {
        const response = await caller.get(path)
        const { role } = (await caller.get('/api/auth/session')).json().user
        if (!isInstalled(target, 'admin', response)) assertProblem(response, 404, 'not_found')
        else if (role === 'admin') assertUsers(response)
        else assertProblem(response, 403, 'forbidden')
      }),
    )

    withOwnApp('checks the role at every request, by cookie and by token', async (ownApp) => {
      const email = await ownApp.newUser()
      await whileSignedIn(target, site, { email, password: ownApp.password }, async ({ caller, token }) => {
        for (const role of ['editor', 'admin', 'viewer']) {
          await ownApp.query('update users set role = $2 where email = $1', [email, role])
          const byToken = await newCaller(target, site).get(path, { authorization: `Bearer ${token}` })
          for (const response of [await caller.get(path), byToken]) {
            if (!ownApp.hasModule('admin')) assertProblem(response, 404, 'not_found')
            else if (role === 'admin') assertUsers(response)
            else assertProblem(response, 403, 'forbidden')
          }
        }
      })
    })
  })
}
