// npm run bench:posts [-- 100000] [--keep]: checks that reading posts costs the same with a thousand posts as with a million.
import { importSource } from '../../../scripts/import-source.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { type Bench, compareSizes } from './compare.ts'

showUsage('npm run bench:posts [-- <number of posts>] [--keep]')

/** Words by the share of posts that contain them. `rare` plus a number is in ten posts, however many there are. */
const frequent = { tide: 0.5, harbor: 0.05, lantern: 0.005 }
const rare = 'wreck'

interface Post {
  slug: string
  cursor: string
  tag: string
  word: string
}

type Shape = Bench['shapes'][number] & { call: string; query: (post: Post) => unknown }

const shapes: Shape[] = [
  { name: 'list, first page', call: 'findPublished', query: () => ({}) },
  { name: 'list, anywhere', call: 'findPublished', isPlanShown: true, query: ({ cursor }) => ({ before: cursor }) },
  { name: 'tag, first page', call: 'findPublished', query: ({ tag }) => ({ tag }) },
  {
    name: 'tag, anywhere',
    call: 'findPublished',
    isPlanShown: true,
    query: ({ tag, cursor }) => ({ tag, before: cursor }),
  },
  { name: 'page', call: 'findPost', isPlanShown: true, query: ({ slug }) => slug },
  { name: 'no page', call: 'findPost', query: ({ slug }) => `${slug}-gone` },
  {
    name: 'posts before and after',
    call: 'findNeighbors',
    isPlanShown: true,
    query: ({ cursor }) => {
      const [at = '', id] = cursor.split('_')
      return { id, publishedAt: new Date(at) }
    },
  },
  { name: 'tags', call: 'findTags', query: () => undefined },
  { name: 'feed', call: 'findNewest', query: () => 20 },
  { name: 'months', call: 'findMonths', query: () => undefined },
  { name: 'search: a word of ten posts', call: 'searchPublished', query: ({ word }) => word },
  { name: 'search: a word of no post', call: 'searchPublished', query: () => 'xyzzy' },
  { name: 'search: a rare word and a frequent one', call: 'searchPublished', query: ({ word }) => `${word} tide` },
  ...Object.entries(frequent).map(
    ([word, part]): Shape => ({
      name: `search: a word of ${part * 100} % of the posts`,
      call: 'searchPublished',
      // Too rare to be read by date: the index returns all of its posts, and up to 1,000 of them are read.
      ...(part < 0.01 && { isGrowing: true }),
      query: () => word,
    }),
  ),
  { name: 'search: two words of many posts', call: 'searchPublished', query: () => 'tide harbor' },
  { name: 'editors: list, first page', call: 'findDrafts', query: () => ({}) },
  {
    name: 'editors: drafts, anywhere',
    call: 'findDrafts',
    query: ({ cursor }) => ({ status: 'draft', before: cursor }),
  },
]

await compareSizes({
  file: import.meta.filename,
  noun: 'posts',
  counts: [1_000, 1_000_000],
  shapes,
  fill: async (client, count) => {
    await client.query(`insert into users (email, name, role) values ('writer@example.com', 'Writer', 'editor')`)
    await client.query(
      `insert into content_posts (id, author_id, title, status, created_at, updated_at)
       select overlay(overlay(md5('post ' || number) placing '4' from 13) placing 'a' from 17)::uuid, (select id from users limit 1), 'Post ' || number,
         case when number % 10 = 0 then 'draft' else 'published' end, at, at
       from generate_series(1, $1::int) number, lateral (select now() - number * (interval '3650 days' / $1::int) as at) moment`,
      [count],
    )
    // Texts of a hundred words, from a vocabulary of 9,000.
    const body = `'Some words: ' || (select string_agg('w' || ((number::bigint * 7919 + word * word * 31) % 9000), ' ')
        from generate_series(1, 100) word)
      || case when number % 2 = 0 then ' tide' else '' end
      || case when number % 20 = 4 then ' harbor' else '' end
      || case when number % 200 = 7 then ' lantern' else '' end
      || ' ${rare}' || (number % greatest($1::int / 10, 1))`
    await client.query(
      `insert into content_revisions (post_id, number, is_open, title, slug, summary, body, tags)
       select overlay(overlay(md5('post ' || number) placing '4' from 13) placing 'a' from 17)::uuid, 1, false, 'Post ' || number, 'post-' || number, 'About ' || number, ${body},
         array['tag' || number % 50]
       from generate_series(1, $1::int) number`,
      [count],
    )
    // Creating the index after the insert is faster than maintaining it per row.
    await client.query('drop index content_published_search_idx')
    await client.query(
      `insert into content_published (post_id, number, slug, title, summary, html, tags, published_at, updated_at, search)
       select post_id, number, slug, r.title, summary, '<p>' || body || '</p>', tags, created, created,
         setweight(to_tsvector('english', r.title), 'A') || setweight(to_tsvector('english', body), 'D')
       from content_revisions r join (select id, status, created_at as created from content_posts) p on p.id = post_id
       where status = 'published'`,
    )
    await client.query(`set maintenance_work_mem = '512MB'`)
    await client.query('create index content_published_search_idx on content_published using gin (search)')
    await client.query('insert into content_slugs (slug, post_id) select slug, post_id from content_published')
    await client.query(
      'insert into content_tags (tag, published_at, post_id) select tags[1], published_at, post_id from content_published',
    )
    await client.query('vacuum analyze')
  },
  open: async (pool) => {
    const [published, drafts] = await importSource('src/app/(content)/published.ts', 'src/app/(content)/drafts.ts')
    const { rows } = await pool().query(
      `select slug, published_at, post_id, tags[1] as tag, substring(html from '${rare}[0-9]+') as word
       from generate_series(0, 15) part,
         lateral (select * from content_published where post_id >= (lpad(to_hex(part), 1) || '0000000-0000-0000-0000-000000000000')::uuid
           order by post_id limit 3) post`,
    )
    const posts: Post[] = rows.map(({ slug, published_at: at, post_id: id, tag, word }) => ({
      slug,
      tag,
      word,
      cursor: `${at.toISOString()}_${id}`,
    }))
    const actor = { id: '00000000-0000-0000-0000-000000000000', role: 'admin' }
    return (index, turn) => {
      const shape = shapes[index] as Shape
      const query = shape.query(posts[turn % posts.length] as Post)
      return async () => {
        const found = await (shape.call === 'findDrafts'
          ? drafts.findDrafts(actor, query)
          : published[shape.call](query))
        return found?.posts?.length ?? found?.length ?? (found ? 1 : 0)
      }
    }
  },
})
