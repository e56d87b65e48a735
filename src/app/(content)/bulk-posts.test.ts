import { inArray } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@/core/auth/policy'
import { users } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import { deletePosts, duplicatePost, findSelectedPosts, publishPosts, unpublishPosts } from './bulk-posts'
import { compareDraft } from './compare-draft'
import { countDrafts, findDraft, findDrafts } from './drafts'
import { createPost, savePost } from './posts'
import { posts, published } from './schema'

interface TestUser {
  id: string
  role: Role
}
async function newUser(role: Role): Promise<TestUser> {
  const [row] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', role })
    .returning({ id: users.id })
  return { id: row?.id ?? '', role }
}

let ada: TestUser
let grace: TestUser
let viewer: TestUser
beforeAll(async () => {
  ;[ada, grace, viewer] = (await Promise.all((['editor', 'editor', 'viewer'] as const).map(newUser))) as [
    TestUser,
    TestUser,
    TestUser,
  ]
})

const create = (title: string, actor = ada) => asRequest({}, () => createPost(actor, title))
const unique = (title: string) => `${title} ${crypto.randomUUID()}`
const statusesOf = async (ids: string[]) => {
  const rows = await db.select({ id: posts.id, status: posts.status }).from(posts).where(inArray(posts.id, ids))
  return ids.map((id) => rows.find((row) => row.id === id)?.status)
}
const errorCodeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code,
  )

describe('several posts', () => {
  test('are published and unpublished together', async () => {
    const ids = [await create(unique('One')), await create(unique('Two'))]
    expect(await asRequest({}, () => publishPosts(ada, ids))).toBe(2)
    expect(await statusesOf(ids)).toEqual(['published', 'published'])
    expect(await asRequest({}, () => unpublishPosts(ada, [...ids, crypto.randomUUID()]))).toBe(2)
    expect(await statusesOf(ids)).toEqual(['draft', 'draft'])
    expect(await db.select({ id: published.postId }).from(published).where(inArray(published.postId, ids))).toEqual([])
  })

  test('are published all or not at all', async () => {
    const title = unique('The same title')
    const ids = [await create(title), await create(title)]
    expect(await errorCodeOf(asRequest({}, () => publishPosts(ada, ids)))).toBe('invalid_input')
    expect(await statusesOf(ids)).toEqual(['draft', 'draft'])
  })

  test('are deleted only by their author', async () => {
    const ids = [await create(unique('Mine')), await create(unique('Not mine'), grace)]
    expect(await errorCodeOf(asRequest({}, () => deletePosts(ada, ids)))).toBe('forbidden')
    expect(await statusesOf(ids)).toEqual(['draft', 'draft'])
    expect(await asRequest({}, () => deletePosts(ada, ids.slice(0, 1)))).toBe(1)
    expect(await statusesOf(ids)).toEqual([undefined, 'draft'])
  })

  test('are not changed by a viewer', async () => {
    const ids = [await create(unique('Safe'))]
    for (const work of [publishPosts, unpublishPosts, deletePosts])
      expect(await errorCodeOf(asRequest({}, () => work(viewer, ids)))).toBe('forbidden')
    expect(await findSelectedPosts(viewer, ids)).toEqual([])
  })
})

test('a copy has the text of the post, but neither its slug nor its state', async () => {
  const title = unique('Original')
  const id = await create(title)
  const text = { title, slug: '', summary: 'Short', tags: ['sea'], body: 'Long' }
  await asRequest({}, () => savePost(ada, { id, version: 1, text, step: 'publish' }))
  const copyId = await asRequest({}, () => duplicatePost(grace, id))
  expect(await findDraft(grace, copyId)).toMatchObject({
    ...text,
    title: `Copy of ${title}`,
    status: 'draft',
    authorId: grace.id,
    coverId: null,
  })
  expect(await errorCodeOf(asRequest({}, () => duplicatePost(viewer, id)))).toBe('forbidden')
})

test('the list is searched by words of the title, and counted', async () => {
  const own = await newUser('editor')
  const word = crypto.randomUUID()
  for (const title of [`Tides ${word}`, `Winds ${word}`]) await create(title, own)
  const titlesOf = async (search: string) => (await findDrafts(own, { search })).posts.map(({ title }) => title)
  expect(await titlesOf(word)).toEqual([`Winds ${word}`, `Tides ${word}`])
  expect(await titlesOf(`tide ${word}`)).toEqual([`Tides ${word}`])
  expect(await titlesOf(`% ${word}`)).toEqual([])
  expect((await findDrafts(own, { search: word, status: 'published' })).posts).toEqual([])
  expect((await countDrafts(own)).mine).toBe('2')
})

test('a text is compared with the draft, and says who wrote that', async () => {
  const id = await create('Compared')
  const text = { title: 'Compared', slug: '', summary: '', tags: ['sea'], body: 'one two' }
  await asRequest({}, () => savePost(ada, { id, version: 1, text }))
  const compared = (postId: string, body: string) =>
    asRequest({}, () => compareDraft(grace, postId, { ...text, tags: 'sea', body }))
  expect(await compared(id, 'one three')).toEqual({
    written: 'by Ada, just now',
    changes: [
      {
        field: 'Body',
        parts: [
          { text: 'one ', kind: 'same' },
          { text: 'two', kind: 'removed' },
          { text: 'three', kind: 'added' },
        ],
      },
    ],
  })
  expect(await errorCodeOf(compared(crypto.randomUUID(), ''))).toBe('not_found')
})
