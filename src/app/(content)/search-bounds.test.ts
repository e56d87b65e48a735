import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import { searchPublished } from './published'

const postCount = 1_200

/** Words by the numbers of the posts that have them; the post with the highest number is the oldest. */
const words = `case when number % 20 = 0 then ' harbor' else '' end
  || case when number % 100 = 0 then ' lantern' else '' end
  || case when number in (1, 1150, 1151) then ' sextant' else '' end
  || case when number > 1100 then ' anchor' else '' end
  || case when number = 1160 then ' harbor harbor harbor' else '' end`

/** As if this were a site of a million posts, each of these a thousand times. */
const pretendMillion = sql`update pg_class set reltuples = 1000000 where relname = 'content_published'`

beforeAll(async () => {
  await db.execute(sql`insert into users (email, name, role) values ('writer@example.com', 'Writer', 'editor')`)
  await db.execute(sql`insert into content_posts (id, author_id, title, status)
    select md5('post ' || number)::uuid, (select id from users limit 1), 'Post', 'published'
    from generate_series(1, ${postCount}::int) number`)
  await db.execute(sql`insert into content_revisions (post_id, number, is_open, title, slug, summary, body, tags)
    select id, 1, false, 'Post', 'post-' || id, '', '', '{}' from content_posts`)
  await db.execute(sql`insert into content_published
      (post_id, number, slug, title, summary, html, tags, published_at, updated_at, search)
    select md5('post ' || number)::uuid, 1, 'post-' || number, 'Post ' || number, '', '', '{}', at, at,
      to_tsvector('english', 'words' || ${sql.raw(words)})
    from generate_series(1, ${postCount}::int) number, lateral (select now() - number * interval '1 hour' as at) moment`)
  await db.execute(sql`analyze content_published`)
  await db.execute(pretendMillion)
})

const find = async (search: string) =>
  (await searchPublished(search)).map(({ slug }) => Number(slug.slice('post-'.length)))

describe('in a site of a million posts', () => {
  test('a word of very many posts is searched in the newest thousand, not in all posts', async () => {
    const found = await find('harbor')
    expect(found).toHaveLength(20)
    expect(found).toEqual(Array.from({ length: 20 }, (_, index) => 20 * (index + 1)))
  })

  test('two words of very many posts are searched in the newest thousand, too', async () => {
    expect(Math.max(...(await find('words harbor')))).toBeLessThanOrEqual(1_000)
  })

  test('a word of many posts, but of few of the newest thousand, is found in all posts', async () => {
    const found = await find('anchor')
    expect(found).toHaveLength(20)
    expect(Math.min(...found)).toBeGreaterThan(1_100)
    expect((await find('lantern')).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, index) => 100 * (index + 1)),
    )
  })

  test('a rare word is found wherever it is, also together with a frequent one', async () => {
    expect((await find('sextant')).toSorted()).toEqual([1, 1150, 1151])
    expect(await find('sextant harbor')).toEqual([])
    expect((await find('sextant words')).toSorted()).toEqual([1, 1150, 1151])
    expect(await find('nothing')).toEqual([])
    expect(await find('the')).toEqual([])
  })
})

test('in a small site every match is ranked, the best first', async () => {
  await db.execute(sql`analyze content_published`)
  expect((await find('harbor'))[0]).toBe(1160)
})
