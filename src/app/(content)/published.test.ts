import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { users } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import type { Writer } from './policy'
import type { PostText } from './post-text'
import * as posts from './posts'
import { findNeighbors, findPost, findPosts, findTags } from './published'
import { readableLength } from './reading-time'
import { posts as postTable, published } from './schema'

let ada: Writer
beforeAll(async () => {
  const [row] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', role: 'editor' })
    .returning({ id: users.id })
  ada = { id: row?.id ?? '', role: 'editor' }
})

/** Publishes a post, at this time if one is given, and returns its id. */
async function publish(more: Partial<PostText>, publishedAt?: Date): Promise<string> {
  const text: PostText = { title: 'A title', slug: '', summary: '', tags: [], body: 'Some text', ...more }
  return asRequest({}, async () => {
    const id = await posts.createPost(ada, text.title)
    await posts.savePost(ada, { id, version: 1, text: { ...text, slug: `post-${id}` }, step: 'publish' })
    if (publishedAt) await db.update(published).set({ publishedAt }).where(eq(published.postId, id))
    return id
  })
}

const idsOf = async (query: Parameters<typeof findPosts>[0]) => (await findPosts(query)).posts.map(({ id }) => id)

describe('a post in the list', () => {
  test('has its author and the length of its HTML', async () => {
    const tag = `t${Date.now()}`
    await publish({ tags: [tag], body: 'ü' })
    expect((await findPosts({ tag })).posts).toMatchObject([
      { authorId: ada.id, authorName: 'Ada', characters: '<p>ü</p>\n'.length },
    ])
  })

  test('with code is as long as if the code had no colors', async () => {
    const tag = `c${Date.now()}`
    const id = await publish({ tags: [tag], body: '```ts\nconst ü = "a"\n```' })
    const html = (await findPost(`post-${id}`))?.html ?? ''
    expect(html).toContain('<span class="k">const</span>')
    expect((await findPosts({ tag })).posts).toMatchObject([{ characters: readableLength(html) }])
  })

  test('has no author once they are deleted', async () => {
    const tag = `d${Date.now()}`
    const id = await publish({ tags: [tag] })
    await db.update(postTable).set({ authorId: null }).where(eq(postTable.id, id))
    expect((await findPosts({ tag })).posts).toMatchObject([{ id, authorId: null, authorName: null }])
  })
})

describe('a search', () => {
  test('finds words anywhere, and parts of the words of a title, each post once', async () => {
    const byTitle = await publish({ title: 'Quokkas smiling' })
    const byBody = await publish({ body: 'A quokka' })
    expect((await idsOf({ search: 'quokka' })).toSorted()).toEqual([byTitle, byBody].toSorted())
    expect(await idsOf({ search: 'quok smil' })).toEqual([byTitle])
    expect(await idsOf({ search: 'quok a\0' })).toEqual([])
  })
})

test('the tags of the newest posts are listed once, most used first', async () => {
  const [often, once] = [`often${Date.now()}`, `once${Date.now()}`]
  await publish({ tags: [once, often] })
  await publish({ tags: [often] })
  const found = (await findTags()).filter((tag) => [often, once].includes(tag))
  expect(found).toEqual([often, once])
  expect((await findTags()).length).toBeLessThanOrEqual(12)
})

describe('the neighbors of a post', () => {
  const neighborsOf = async (id: string) => {
    const post = await findPost(`post-${id}`)
    if (!post) throw new Error('post not found')
    const { previous, next } = await findNeighbors(post)
    return [previous?.slug, next?.slug]
  }

  test('were published right before and after it, in the order of the list if at the same time', async () => {
    const [first, second] = [new Date('2001-01-01'), new Date('2001-01-02')]
    const oldest = await publish({}, first)
    const [one = '', other = ''] = [await publish({}, second), await publish({}, second)].toSorted()
    const slugs = [undefined, `post-${oldest}`, `post-${one}`, `post-${other}`]
    expect(await neighborsOf(oldest)).toEqual([slugs[0], slugs[2]])
    expect(await neighborsOf(one)).toEqual([slugs[1], slugs[3]])
    expect((await neighborsOf(other))[0]).toBe(slugs[2])
  })

  test('never include a draft', async () => {
    const at = new Date('2002-01-01')
    const before = await publish({}, at)
    const gone = await publish({}, new Date(at.getTime() + 1_000))
    const after = await publish({}, new Date(at.getTime() + 2_000))
    await asRequest({}, () => posts.unpublishPost(ada, gone))
    expect((await neighborsOf(before))[1]).toBe(`post-${after}`)
  })
})
