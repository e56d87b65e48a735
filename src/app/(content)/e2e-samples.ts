// For tests/app/support/page-samples.ts, which runs in plain Node and finds this file by its name.
type Query = (text: string, values?: unknown[]) => Promise<{ id: string }[]>

/** What the pages with parameters show: a seeded post, and a new image. */
export async function makeSamples(query: Query, callerId: string): Promise<Record<string, string>> {
  const one = async (text: string, values: unknown[] = []) => String((await query(text, values))[0]?.id)
  const slug = 'how-a-post-is-made'
  const post = await one('select post_id as id from content_published where slug = $1', [slug])
  const image = await one(
    `insert into content_images (owner_id, name, alt, width, height, variants)
     values ($1, 'sample.png', 'A sample', 8, 8, '{8.webp}') returning id`,
    [callerId],
  )
  return {
    '/posts/[slug]': slug,
    '/content/[id]': post,
    ...Object.fromEntries(['delete', 'publish', 'unpublish'].map((name) => [`/content/${name}`, `?ids=${post}`])),
    '/content/images/delete/[id]': image,
    '/content/images/replace/[id]': image,
    '/admin/users/[id]/[tab]': 'posts',
  }
}
