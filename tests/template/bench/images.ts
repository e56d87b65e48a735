// npm run bench:images: checks that the image library costs the same with a hundred images as with ten thousand.
import { importSource } from '../../../scripts/import-source.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { type Bench, compareSizes } from './compare.ts'

showUsage('npm run bench:images [-- <number of images>] [--keep]')

type Shape = Bench['shapes'][number] & { query: (cursor: string) => { search?: string; before?: string } }

const shapes: Shape[] = [
  { name: 'library, first page', isPlanShown: true, query: () => ({}) },
  { name: 'library, anywhere', isPlanShown: true, query: (before) => ({ before }) },
  { name: 'search: a word of half of the images', query: () => ({ search: 'harbor' }) },
  // Every image is compared with the words: there is no index for parts of words.
  { name: 'search: a word of no image', isGrowing: true, query: () => ({ search: 'xyzzy' }) },
]

/** A version 4 UUID: cursors and ids are checked to be one. */
const id = (noun: string) => `overlay(overlay(md5('${noun} ' || number) placing '4' from 13) placing 'a' from 17)::uuid`

await compareSizes({
  file: import.meta.filename,
  noun: 'images',
  counts: [100, 10_000],
  shapes,
  fill: async (client, count) => {
    await client.query(`insert into users (email, name, role) values ('writer@example.com', 'Writer', 'editor')`)
    await client.query(
      `insert into content_images (id, owner_id, name, alt, file_id, width, height, variants, created_at)
       select ${id('image')}, (select id from users limit 1), 'photo-' || number || '.jpg',
         case when number % 2 = 0 then 'A harbor' else 'A boat' end, ${id('file')}, 1920, 1440,
         array['640.webp', '1280.webp', '1920.webp', '640.avif', '1280.avif', '1920.avif'],
         now() - number * (interval '365 days' / $1::int)
       from generate_series(1, $1::int) number`,
      [count],
    )
    await client.query(
      `insert into content_image_files (file_id, variant, image_id, data)
       select file_id, variant, id, convert_to(repeat(md5(id::text || variant), 300), 'UTF8')
       from content_images, unnest(variants) variant`,
    )
    // Two images in each post, published and as a draft.
    await client.query(
      `insert into content_posts (id, author_id, title, status)
       select ${id('post')}, (select id from users limit 1), 'Post ' || number, 'published'
       from generate_series(1, $1::int / 2) number`,
      [count],
    )
    await client.query(
      `insert into content_revisions (post_id, number, is_open, title, slug, summary, body, tags)
       select id, 1, false, title, 'post-' || id, '', 'Some words', '{}' from content_posts`,
    )
    await client.query(
      `insert into content_published (post_id, number, slug, title, summary, html, tags, published_at, updated_at, search)
       select post_id, number, slug, title, summary, '<p>Some words</p>', tags, now(), now(), to_tsvector('english', body)
       from content_revisions`,
    )
    await client.query(
      `insert into content_image_uses (post_id, number, image_id)
       select ${id('post')}, 1, image.id
       from (select id, (1 + row_number() over (order by id)) / 2 as number from content_images) image`,
    )
    await client.query('vacuum analyze')
  },
  open: async (pool) => {
    const [library] = await importSource('src/app/(content)/_images/library.ts')
    const { rows } = await pool().query(
      `select created_at, id from content_images where mod(abs(hashtext(id::text)), greatest((select count(*) from content_images) / 50, 1)) = 0`,
    )
    const cursors: string[] = rows.map(({ created_at: at, id }) => `${at.toISOString()}_${id}`)
    const actor = { id: '00000000-0000-4000-8000-000000000000', role: 'admin' }
    return (index, turn) => {
      const query = (shapes[index] as Shape).query(cursors[turn % cursors.length] ?? '')
      return async () => (await library.findImages(actor, query)).images.length
    }
  },
})
