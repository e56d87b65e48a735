import { beforeAll, describe, expect, test, vi } from 'vitest'
import { users } from '@/core/db/schema'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import { POST as compare } from './api/content/posts/[id]/compare/route'
import { POST as preview } from './api/content/posts/[id]/preview/route'
import { createPost } from './posts'

vi.setConfig({ testTimeout: 45_000 })

const fields = { title: 'A title', slug: '', summary: '', tags: '', body: 'Some text' }
let postId = ''
beforeAll(async () => {
  const [ada] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', role: 'editor' })
    .returning({ id: users.id })
  postId = await asRequest({}, () => createPost({ id: ada?.id ?? '', role: 'editor' }, 'A title'))
})

const send = async (route: typeof preview, token: string, body: object, id = postId) => {
  const request = new Request(`http://localhost/api/content/posts/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return route(request, { params: Promise.resolve({ id }) })
}

describe('the editor', () => {
  test('gets a preview and a comparison of texts that can be saved, and of no longer ones', async () => {
    const token = await newSessionToken('editor')
    const statusOf = async (route: typeof preview, body: object) => (await send(route, token, body)).status
    expect(await (await send(preview, token, { body: '*a*' })).json()).toEqual({ html: '<p><em>a</em></p>\n' })
    expect(await statusOf(preview, { body: 'é'.repeat(24_000) })).toBe(200)
    expect(await statusOf(preview, { body: 'é'.repeat(24_001) })).toBe(422)
    expect(await statusOf(compare, { ...fields, body: 'x'.repeat(48_000) })).toBe(200)
    expect(await statusOf(compare, { ...fields, body: 'x'.repeat(48_001) })).toBe(422)
    for (const [name, max] of Object.entries({ title: 200, slug: 80, summary: 300, tags: 500 })) {
      expect([name, await statusOf(compare, { ...fields, [name]: 'x'.repeat(max) })]).toEqual([name, 200])
      expect([name, await statusOf(compare, { ...fields, [name]: 'x'.repeat(max + 1) })]).toEqual([name, 422])
    }
  })

  test.each([
    ['240 previews', preview, 240],
    ['60 comparisons', compare, 60],
  ] as const)('gets at most %s a minute, whatever post it names', async (_, route, max) => {
    const [token, other] = [await newSessionToken('editor'), await newSessionToken('editor')]
    const statuses = new Map<number, number>()
    for (let count = 0; count < max; count++) {
      const { status } = await send(route, token, fields, crypto.randomUUID())
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses]).toEqual([[404, max]])
    const response = await send(route, token, fields)
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await send(route, other, fields)).status).toBe(200)
  })
})
