import { beforeAll, expect, test } from 'vitest'
import type { Role } from '@/core/auth/policy'
import { users } from '@/core/db/schema'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import { countPostsOf, findPostsOf } from './posts-of-user'
import { posts } from './schema'

const [author, other] = [crypto.randomUUID(), crypto.randomUUID()]
const as = (role: Role) => ({ id: crypto.randomUUID(), role })

beforeAll(async () => {
  await db.insert(users).values([
    { id: author, email: 'author@example.com', name: 'Ada' },
    { id: other, email: 'other@example.com', name: 'Grace' },
  ])
  await db.insert(posts).values(
    Array.from({ length: 30 }, (_, minute) => ({
      authorId: author,
      title: `Post ${minute}`,
      updatedAt: new Date(Date.UTC(2031, 0, 1, 0, minute)),
    })),
  )
  await db.insert(posts).values({ authorId: other, title: 'Of another user' })
})

test('the posts of a user are listed in pages, most recently updated first, and counted', async () => {
  const titles = Array.from({ length: 30 }, (_, index) => `Post ${29 - index}`)
  const first = await findPostsOf(as('admin'), author, undefined)
  expect(first.posts.map(({ title }) => title)).toEqual(titles.slice(0, 25))
  const second = await findPostsOf(as('admin'), author, first.next ?? undefined)
  expect(second.posts.map(({ title }) => title)).toEqual(titles.slice(25))
  expect(second.next).toBeNull()
  expect(await countPostsOf(author)).toBe(30)
  expect(await countPostsOf(crypto.randomUUID())).toBe(0)
})

test('only users who may edit the posts of others can list them', async () => {
  await expect(findPostsOf(null, author, undefined)).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(findPostsOf(as('viewer'), author, undefined)).rejects.toMatchObject({ code: 'forbidden' })
})
