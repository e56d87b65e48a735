import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@/core/auth/policy'
import { users } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import type { Writer } from './policy'
import * as posts from './posts'
import { searchBlog, searchDrafts } from './search-posts'

async function newWriter(name: string, role: Role = 'editor'): Promise<Writer> {
  const [row] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name, role })
    .returning({ id: users.id })
  return { id: row?.id ?? '', role }
}

const create = (writer: Writer, title: string) => asRequest({}, () => posts.createPost(writer, title))
const publish = (writer: Writer, id: string, title: string, body: string) =>
  asRequest({}, () =>
    posts.savePost(writer, { id, version: 1, text: { title, slug: '', summary: '', tags: [], body }, step: 'publish' }),
  )

const draftTitle = 'Upgrading gracefully'
let ada: Writer
let grace: Writer
let draftId: string
beforeAll(async () => {
  ;[ada, grace] = [await newWriter('Ada'), await newWriter('Grace')]
  draftId = await create(ada, draftTitle)
  const publicId = await create(grace, 'Sailing')
  await publish(grace, publicId, 'Sailing to Byzantium', 'An aged man is but a paltry thing')
})

describe('posts of editors', () => {
  test('are found by parts of the words of their title, with status and author', async () => {
    const found = { label: draftTitle, hint: 'Draft · Ada', href: `/content/${draftId}` }
    for (const text of ['gra', 'GRACE', 'ful upgr', draftTitle])
      expect(await searchDrafts(grace, text), text).toEqual([found])
    expect(await searchDrafts(ada, 'gracefully sailing')).toEqual([])
    expect((await searchDrafts(ada, 'byz')).map(({ hint }) => hint)).toEqual(['Published · Grace'])
  })

  test('are only their own for a user who may not edit those of others', async () => {
    const viewer = { ...grace, role: 'viewer' } as const
    expect(await searchDrafts(viewer, 'gra')).toEqual([])
    expect((await searchDrafts(viewer, 'byz')).map(({ label }) => label)).toEqual(['Sailing to Byzantium'])
  })

  test('are at most five, most recently updated first', async () => {
    for (let index = 0; index < 7; index++) await create(ada, `Zebra ${index}`)
    const labels = (await searchDrafts(ada, 'zebra')).map(({ label }) => label)
    expect(labels).toEqual(['Zebra 6', 'Zebra 5', 'Zebra 4', 'Zebra 3', 'Zebra 2'])
  })

  test('wildcards and quotes are literal characters', async () => {
    for (const text of ['%', '_', '\\', "' or 1=1 --"]) expect(await searchDrafts(ada, text), text).toEqual([])
  })
})

describe('the blog', () => {
  test('is searched by title while the user types, and by the text, each post once', async () => {
    for (const text of ['byz', 'sailing byzantium', 'paltry']) {
      const [found, ...others] = await searchBlog(text)
      expect(found, text).toMatchObject({ label: 'Sailing to Byzantium', href: '/posts/sailing-to-byzantium' })
      expect(others).toEqual([])
    }
  })

  test('never contains a draft', async () => {
    expect(await searchBlog('gracefully')).toEqual([])
  })
})
