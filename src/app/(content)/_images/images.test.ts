import { eq, sql } from 'drizzle-orm'
import { createElement } from 'react'
import { renderToReadableStream, renderToStaticMarkup } from 'react-dom/server'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Role } from '@/core/auth/policy'
import { pool } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { startBucket, type TestBucket } from '../../../../tests/app/support/bucket'
import { newSessionToken } from '../../../../tests/app/support/new-session-token'
import { asRequest } from '../../../../tests/app/support/next-headers'
import { uncheckedDb as db } from '../../../../tests/app/support/unchecked-db'
import { ImageCard } from '../_components/image-card'
import { POST } from '../api/content/images/route'
import { markdownOf } from '../markdown'
import content from '../module'
import * as posts from '../posts'
import { GET as getFeed } from '../posts/feed.xml/route'
import { GET } from '../posts/images/[file]/[variant]/route'
import { createPreview, endPreviews } from '../previews'
import { findPost } from '../published'
import { imageFiles, images, imageUses } from '../schema'
import { cleanUpImages } from './clean-up'
import { deleteOrphanedFiles } from './image-files'
import { takeImageForm } from './image-form'
import { ImageText } from './image-text'
import { findImageUses } from './image-uses'
import { addImage, deleteImage, findImage, findImages, replaceImage } from './library'
import { renderBody } from './render-body'

vi.setConfig({ testTimeout: 45_000 })

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

let png: Buffer
let ada: TestUser
let grace: TestUser
let admin: TestUser
beforeAll(async () => {
  png = await sharp({ create: { width: 700, height: 350, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
})
// New users for each test: uploads are limited by user.
beforeEach(async () => {
  ada = await newUser('editor')
  grace = await newUser('editor')
  admin = await newUser('admin')
})

const add = (actor = ada, text: { name?: string; alt?: string } = {}) =>
  asRequest({}, () => addImage(actor, async () => ({ name: 'boat.png', alt: 'A boat', ...text, bytes: png })))
const errorCodeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code,
  )
const embed = (id: string, alt = 'A boat') => `![${alt}](/posts/images/${id})`

async function newPost(body: string, step: 'save' | 'publish' = 'save') {
  return asRequest({}, async () => {
    const id = await posts.createPost(ada, 'With an image')
    const text = { title: 'With an image', slug: `post-${id}`, summary: '', tags: [], body }
    const { version } = await posts.savePost(ada, { id, version: 1, text, step })
    return { id, version, text }
  })
}
const htmlOf = async (id: string) => (await findPost(`post-${id}`))?.html ?? ''
const fileIdOf = async (id: string) => (await findImage(id))?.fileId ?? ''

/** Requests a file as a browser would; `as` is a session token. */
const get = (file: string, variant = '640.webp', { as, token }: { as?: string; token?: string } = {}) => {
  const url = `http://localhost/posts/images/${file}/${variant}${token ? `?token=${token}` : ''}`
  const headers = new Headers(as ? { authorization: `Bearer ${as}` } : {})
  return GET(new Request(url, { headers }), { params: Promise.resolve({ file, variant }) })
}

describe('an upload', () => {
  test('is stored in several widths, and its file name is only a label', async () => {
    const id = await add()
    expect(await findImage(id)).toMatchObject({ name: 'boat.png', alt: 'A boat', width: 700, height: 350 })
    const rows = await db.select({ variant: imageFiles.variant }).from(imageFiles).where(eq(imageFiles.imageId, id))
    expect(rows.map(({ variant }) => variant).sort()).toEqual(['640.avif', '640.webp', '700.avif', '700.webp'])
    expect((await findImage(id))?.variants).toEqual(['640.webp', '700.webp', '640.avif', '700.avif'])
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\photos\\me.png', 'me.png'],
    ['a\0b\u202Egnp.exe', 'a b gnp.exe'],
    ['  ', 'image'],
    [undefined, 'image'],
    ['x'.repeat(300), 'x'.repeat(200)],
    ['<img src=x onerror=alert(1)>.png', '<img src=x onerror=alert(1)>.png'],
  ])('with the file name %j is called %j', (given, name) => {
    expect(ImageText.parse({ name: given, alt: 'a' }).name).toBe(name)
  })

  test('needs an alt text', async () => {
    for (const alt of ['', '  ', 'a'.repeat(301), 'a\0', undefined])
      expect(ImageText.safeParse({ name: 'a', alt }).success).toBe(false)
    expect(ImageText.parse({ alt: ' a\n b ' }).alt).toBe('a b')
  })

  test('needs the permission, and is limited to one at a time and sixty an hour', async () => {
    const viewer = await newUser('viewer')
    expect(await errorCodeOf(add(viewer))).toBe('forbidden')
    let isRead = false
    const first = Promise.withResolvers<void>()
    const running = asRequest({}, () =>
      addImage(grace, async () => {
        await first.promise
        return { name: 'a', alt: 'a', bytes: png }
      }),
    )
    const second = asRequest({}, () =>
      addImage(grace, async () => {
        isRead = true
        return { name: 'a', alt: 'a', bytes: png }
      }),
    )
    expect(await errorCodeOf(second)).toBe('rate_limited')
    first.resolve()
    expect(await errorCodeOf(running)).toBe('done')
    expect(isRead).toBe(false)
    const empty = { name: '', alt: '', bytes: Buffer.alloc(0) }
    const nothing = () => asRequest({}, () => addImage(grace, async () => empty))
    for (let count = 0; count < 59; count++) expect(await errorCodeOf(nothing())).toBe('invalid_input')
    expect(await errorCodeOf(nothing())).toBe('rate_limited')
  })

  test('through the API returns the Markdown that embeds it', async () => {
    const token = await newSessionToken('editor')
    const send = (query: string, body: Uint8Array<ArrayBuffer>, bearer = token) =>
      POST(
        new Request(`http://localhost/api/content/images?${query}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${bearer}` },
          body,
        }),
        { params: Promise.resolve({}) },
      )
    const bytes = new Uint8Array(png)
    const response = await send(`name=a.png&alt=${encodeURIComponent('A [red] boat')}`, bytes)
    const { id, markdown } = await response.json()
    expect([response.status, markdown]).toEqual([200, `![A \\[red\\] boat](/posts/images/${id})`])
    expect((await send('name=a.png', bytes)).status).toBe(422)
    expect((await send('alt=a', new Uint8Array([1, 2]))).status).toBe(422)
    expect((await send('alt=a', bytes, await newSessionToken('viewer'))).status).toBe(403)
  })

  test('with a form redirects to the library, or back to the form with what is wrong', async () => {
    const submit = (fields: Record<string, string | Blob>, id?: string) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      const sent = new Response(form)
      const type = sent.headers.get('content-type') ?? ''
      const read = async () => Buffer.from(await sent.arrayBuffer())
      return asRequest({}, () => takeImageForm(ada, id, type, read))
    }
    const image = new File([new Uint8Array(png)], 'by-form.png')
    expect(await submit({ image, alt: 'By form' })).toBe('/content/images?done=uploaded')
    const [added] = (await findImages(ada, { search: 'by-form' })).images
    expect(added).toMatchObject({ name: 'by-form.png', alt: 'By form' })
    const id = added?.id ?? ''
    const before = await fileIdOf(id)
    expect(await submit({ image }, id)).toBe('/content/images?done=replaced')
    expect(await fileIdOf(id)).not.toBe(before)
    expect(await submit({ image })).toBe('/content/images/new?problem=alt')
    expect(await submit({ alt: 'a' })).toBe('/content/images/new?problem=image')
    expect(await submit({ image: 'a word', alt: 'a' })).toBe('/content/images/new?problem=image')
    expect(await submit({ image: new File(['no'], 'a.png') }, id)).toBe(`/content/images/replace/${id}?problem=image`)
    const read = async () => Buffer.from('{}')
    expect(await asRequest({}, () => takeImageForm(ada, undefined, 'application/json', read))).toBe(
      '/content/images/new?problem=image',
    )
  })
})

describe('an image is private', () => {
  test('until a post that embeds it is published, and again when it is unpublished', async () => {
    const id = await add()
    const file = await fileIdOf(id)
    const { id: postId, version, text } = await newPost(embed(id))
    expect((await get(file)).status).toBe(404)
    await asRequest({}, () => posts.savePost(ada, { id: postId, version, text, step: 'publish' }))
    const response = await get(file, '640.avif')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/avif',
      'content-disposition': 'inline; filename="picture.avif"',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
    })
    await asRequest({}, () => posts.unpublishPost(ada, postId))
    const after = await get(file)
    expect([after.status, after.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
  })

  test('while only a newer draft or an older version embeds it', async () => {
    const [old, current] = [await add(), await add()]
    const { id: postId, version, text } = await newPost(embed(old), 'publish')
    const body = embed(current)
    const saved = await asRequest({}, () =>
      posts.savePost(ada, { id: postId, version: version + 1, text: { ...text, body }, resolve: 'mine' }),
    )
    expect([(await get(await fileIdOf(old))).status, (await get(await fileIdOf(current))).status]).toEqual([200, 404])
    await asRequest({}, () =>
      posts.savePost(ada, { id: postId, version: saved.version, text: { ...text, body }, step: 'publish' }),
    )
    expect([(await get(await fileIdOf(old))).status, (await get(await fileIdOf(current))).status]).toEqual([404, 200])
  })

  test('but users who write posts see it, and viewers do not', async () => {
    const file = await fileIdOf(await add())
    const response = await get(file, '640.webp', { as: await newSessionToken('editor') })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=600',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect((await get(file, '640.webp', { as: await newSessionToken('viewer') })).status).toBe(404)
  })

  test('but readers of a preview link see those of its draft, until it is revoked', async () => {
    const [shown, other] = [await add(), await add()]
    const { id: postId } = await newPost(embed(shown))
    const link = await asRequest({}, () => createPreview(ada, postId))
    const token = new URL(link).searchParams.get('token') ?? ''
    const html = await renderBody(embed(shown), { token })
    expect(html).toContain(`/posts/images/${await fileIdOf(shown)}/640.webp?token=${token} 640w`)
    expect((await get(await fileIdOf(shown), '640.webp', { token })).status).toBe(200)
    expect((await get(await fileIdOf(other), '640.webp', { token })).status).toBe(404)
    expect((await get(await fileIdOf(shown), '640.webp', { token: 'x'.repeat(43) })).status).toBe(404)
    await asRequest({}, () => endPreviews(ada, postId))
    expect((await get(await fileIdOf(shown), '640.webp', { token })).status).toBe(404)
  })

  test('and its bytes are not even read for a caller who may not see it', async () => {
    const file = await fileIdOf(await add())
    const as = await newSessionToken('editor')
    const spy = vi.spyOn(pool, 'query')
    const bytesRead = () => spy.mock.calls.filter((call) => /"data"/.test(JSON.stringify(call))).length
    expect((await get(file)).status).toBe(404)
    expect([spy.mock.calls.length > 0, bytesRead()]).toEqual([true, 0])
    expect((await get(file, '640.webp', { as })).status).toBe(200)
    expect(bytesRead()).toBe(1)
    spy.mockRestore()
  })

  test('an unknown file is not found, and an invalid name is rejected', async () => {
    const file = await fileIdOf(await add())
    const as = await newSessionToken('editor')
    expect((await get(crypto.randomUUID(), '640.webp', { as })).status).toBe(404)
    expect((await get(file, '641.webp', { as })).status).toBe(404)
    for (const variant of ['640.svg', '../640.webp', '640.webp/', 'x'])
      expect((await get(file, variant, { as })).status).toBe(422)
  })
})

describe('a published post', () => {
  test('has the sizes of its images, and only those of the library', async () => {
    const id = await add()
    const { id: postId } = await newPost(`${embed(id)}\n\n${embed(crypto.randomUUID(), 'gone')}`, 'publish')
    const html = await htmlOf(postId)
    const file = await fileIdOf(id)
    expect(html).toContain(`srcset="/posts/images/${file}/640.webp 640w, /posts/images/${file}/700.webp 700w"`)
    expect(html).toContain(`srcset="/posts/images/${file}/640.avif 640w, /posts/images/${file}/700.avif 700w"`)
    expect(html).toContain('width="700" height="350"')
    expect(html).toContain('<p>gone</p>')
    expect(html.match(/<img /g)).toHaveLength(1)
  })

  test('shows its images even if nothing recorded them when the text was written', async () => {
    const id = await add()
    const { id: postId, version, text } = await newPost(embed(id))
    await db.delete(imageUses).where(eq(imageUses.postId, postId))
    await asRequest({}, () => posts.savePost(ada, { id: postId, version, text, step: 'publish' }))
    expect((await get(await fileIdOf(id))).status).toBe(200)
  })

  test('shows a replaced image under a new URL', async () => {
    const id = await add()
    const { id: postId } = await newPost(embed(id), 'publish')
    const before = await fileIdOf(id)
    const blue = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'blue' } })
      .png()
      .toBuffer()
    await asRequest({}, () => replaceImage(grace, id, async () => ({ bytes: blue })))
    const after = await fileIdOf(id)
    expect(after).not.toBe(before)
    expect(await htmlOf(postId)).toContain(`src="/posts/images/${after}/300.webp"`)
    expect(await htmlOf(postId)).not.toContain(before)
    expect([(await get(before)).status, (await get(after, '300.webp')).status]).toEqual([200, 200])
  })

  test('keeps the alt text of a deleted image', async () => {
    const id = await add()
    const file = await fileIdOf(id)
    const { id: postId } = await newPost(`Before ${embed(id)} after`, 'publish')
    expect(await errorCodeOf(asRequest({}, () => deleteImage(grace, id)))).toBe('forbidden')
    await asRequest({}, () => deleteImage(admin, id))
    expect(await htmlOf(postId)).toBe('<p>Before A boat after</p>\n')
    expect((await get(file, '640.webp', { as: await newSessionToken('admin') })).status).toBe(404)
    expect(await errorCodeOf(asRequest({}, () => deleteImage(ada, id)))).toBe('not_found')
    const events = await db
      .select({ kind: auditEvents.kind })
      .from(auditEvents)
      .where(sql`${auditEvents.details} ->> 'image' = ${id}`)
    expect(events.map(({ kind }) => kind).sort()).toEqual(['image.deleted', 'image.uploaded'])
  })
})

describe('no text about an image becomes markup', () => {
  /** Elements of the HTML, and their attributes. */
  const partsOf = (html: string) =>
    [...html.matchAll(/<(\w+)((?:[^">]|"[^"]*")*)>/g)].map(([, name = '', rest = '']) => ({
      name,
      attributes: [...rest.matchAll(/ ([\w-]+)(?:="[^"]*")?/g)].map(([, attribute = '']) => attribute),
    }))
  const expectOnlyOurs = (html: string) => {
    const parts = partsOf(html)
    expect(parts.length).toBeGreaterThan(0)
    expect(parts.filter(({ name }) => /^(script|svg|iframe|object|style|base|meta|x)$/.test(name))).toEqual([])
    expect(
      parts.flatMap(({ attributes }) => attributes).filter((name) => /^(on|srcdoc$|formaction$)/.test(name)),
    ).toEqual([])
  }

  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '" onload="alert(1)',
    "' onload='alert(1)",
    '</picture><svg/onload=alert(1)>',
    ']]><x>',
    '](javascript:alert(1))',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
  ])('%j, as its file name, alt text and caption', async (text) => {
    const id = await add(ada, { name: text, alt: text })
    const caption = text.replaceAll('"', '\\"')
    const post = await newPost(`${markdownOf(id, text)}\n\n![${text}](/posts/images/${id} "${caption}")`, 'publish')
    const html = await htmlOf(post.id)
    expect(html).toContain('<picture>')
    expectOnlyOurs(html)
    const found = (await findImages(ada, {})).images.find((image) => image.id === id)
    if (!found) throw new Error('the image is not in the library')
    const stream = await asRequest({}, () =>
      renderToReadableStream(createElement(ImageCard, { image: found, actor: ada })),
    )
    const card = await new Response(stream).text()
    expect(card).toContain(`${renderToStaticMarkup(createElement('p', {}, text)).slice(3, -4)}</h2>`)
    expectOnlyOurs(card)
    const feed = await (
      await getFeed(new Request('http://localhost/posts/feed.xml'), { params: Promise.resolve({}) })
    ).text()
    expect(feed).toContain('&lt;picture&gt;')
    expect([...feed.matchAll(/<(\w+)/g)].filter(([, name = '']) => /^(script|svg|img|picture|x)$/.test(name))).toEqual(
      [],
    )
  })
})

describe('the library', () => {
  test('says where an image is used', async () => {
    const id = await add()
    const { id: postId, version, text } = await newPost(embed(id), 'publish')
    expect((await findImageUses(ada, [id])).get(id)).toEqual({
      isPublic: true,
      count: 1,
      posts: [{ postId, title: 'With an image', isPublic: true, isInDraft: true }],
    })
    await asRequest({}, () =>
      posts.savePost(ada, { id: postId, version: version + 1, text: { ...text, body: 'none' }, resolve: 'mine' }),
    )
    expect((await findImageUses(ada, [id])).get(id)?.posts).toMatchObject([{ isPublic: true, isInDraft: false }])
    // Users who may not edit the posts of others do not learn their titles.
    const seen = (await findImageUses({ id: grace.id, role: 'viewer' }, [id])).get(id)
    expect(seen?.posts).toMatchObject([{ title: null }])
  })

  test('knows that an image is used and public, however many newer posts embed it or another one', async () => {
    const name = `${crypto.randomUUID()}.png`
    const [old, popular, none] = [await add(), await add(), await add(ada, { name })]
    const { id: postId } = await newPost(embed(old), 'publish')
    const { id: publicId } = await newPost(embed(popular), 'publish')
    await newPost(`${embed(old)} ${embed(popular)}`)
    // Drafts that were all changed later than the published posts.
    await db.execute(sql`
      with made as (
        insert into content_posts (author_id, title, updated_at)
        select ${ada.id}::uuid, 'Newer ' || number, now() + make_interval(secs => number)
        from generate_series(1, 600) as number returning id
      ), written as (
        insert into content_revisions (post_id, number, author_id, title, slug, summary, body, tags)
        select id, 1, ${ada.id}::uuid, 'Newer', '', '', '', '{}' from made returning post_id
      )
      insert into content_image_uses (post_id, number, image_id) select post_id, 1, ${popular}::uuid from written`)
    const uses = await findImageUses(ada, [old, popular, none])
    expect(uses.get(old)).toMatchObject({ isPublic: true, count: 2 })
    expect(uses.get(old)?.posts.map((post) => [post.postId === postId, post.isPublic])).toEqual([
      [false, false],
      [true, true],
    ])
    expect(uses.get(popular)).toMatchObject({ isPublic: true, count: 602 })
    expect(uses.get(popular)?.posts.map(({ title }) => title)).toEqual(
      [600, 599, 598, 597, 596].map((n) => `Newer ${n}`),
    )
    expect(uses.get(popular)?.posts.map((post) => post.postId)).not.toContain(publicId)
    expect(uses.has(none)).toBe(false)
    expect((await findImages(ada, { search: name })).images[0]?.uses).toEqual({
      isPublic: false,
      count: 0,
      posts: [],
    })
    await db.execute(sql`delete from content_posts where author_id = ${ada.id}`)
  })

  test('is searched by name and alt text, and read in pages', async () => {
    const mark = crypto.randomUUID()
    const ids = Array.from({ length: 26 }, () => crypto.randomUUID())
    const [source] = await db
      .select()
      .from(images)
      .where(eq(images.id, await add()))
    if (!source) throw new Error('no image')
    await db.insert(images).values(
      ids.map((id, index) => ({
        ...source,
        id,
        name: `${mark}.png`,
        alt: index === 0 ? 'A %_ Sail' : 'A boat',
        createdAt: new Date(Date.UTC(2031, 0, 1, 0, 0, Math.floor(index / 5))),
      })),
    )
    const first = await findImages(ada, { search: mark })
    const second = await findImages(ada, { search: mark, before: first.next ?? '' })
    expect([first.images.length, second.images.length, second.next]).toEqual([24, 2, null])
    expect(new Set([...first.images, ...second.images].map(({ id }) => id))).toEqual(new Set(ids))
    const idsOf = async (search: string) => (await findImages(ada, { search })).images.map(({ id }) => id)
    expect(await idsOf(`sail ${mark}`)).toEqual([ids[0]])
    expect(await idsOf(`%_ ${mark}`)).toEqual([ids[0]])
    expect(await idsOf(`${mark} nothing`)).toEqual([])
    expect(await idsOf('\0')).toEqual([])
  })

  test('is part of the data export of the user who uploaded', async () => {
    const id = await add(ada, { name: 'mine.png', alt: 'Mine' })
    await add(grace)
    const exported = (await content.exportUserData?.(ada.id)) as { 'images.json': AsyncIterable<unknown[]> }
    expect((await Array.fromAsync(exported['images.json'])).flat()).toEqual([
      { id, name: 'mine.png', alt: 'Mine', uploadedAt: expect.any(Date) },
    ])
    await db.delete(users).where(eq(users.id, ada.id))
    expect(await findImage(id)).toMatchObject({ ownerId: null })
  })
})

describe('the clean-up', () => {
  const cleanUp = () => cleanUpImages.work({}, { id: 'test' })
  const age = (id: string, days: number) =>
    db
      .update(images)
      .set({ unusedSince: sql`unused_since - make_interval(days => ${days})` })
      .where(eq(images.id, id))

  test('deletes an image that no version of a post has embedded for 30 days', async () => {
    const [unused, used] = [await add(), await add()]
    const { id: postId, version, text } = await newPost(embed(used))
    await cleanUp()
    for (const id of [unused, used]) await age(id, 29)
    await cleanUp()
    expect(await findImage(unused)).not.toBeNull()
    await age(unused, 2)
    await cleanUp()
    expect([await findImage(unused), (await findImage(used))?.id]).toEqual([null, used])
    // An older version still embeds it.
    await asRequest({}, () =>
      posts.savePost(ada, { id: postId, version, text: { ...text, body: 'none' }, resolve: 'mine' }),
    )
    await cleanUp()
    expect((await db.select().from(images).where(eq(images.id, used)))[0]?.unusedSince).toBeNull()
    await asRequest({}, () => posts.deletePost(ada, postId))
    expect(await db.select().from(imageUses).where(eq(imageUses.imageId, used))).toEqual([])
    await cleanUp()
    expect((await db.select().from(images).where(eq(images.id, used)))[0]?.unusedSince).not.toBeNull()
  })

  test('keeps one that is embedded again before the time is over', async () => {
    const id = await add()
    await cleanUp()
    await age(id, 31)
    await newPost(embed(id))
    await cleanUp()
    expect((await db.select().from(images).where(eq(images.id, id)))[0]?.unusedSince).toBeNull()
  })

  test('deletes replaced files after a day', async () => {
    const id = await add()
    const before = await fileIdOf(id)
    await asRequest({}, () => replaceImage(ada, id, async () => ({ bytes: png })))
    const left = async () =>
      new Set(
        (await db.select({ id: imageFiles.fileId }).from(imageFiles).where(eq(imageFiles.imageId, id))).map(
          (row) => row.id,
        ),
      )
    await cleanUp()
    expect((await left()).has(before)).toBe(true)
    await db.execute(sql`update content_images set updated_at = now() - interval '25 hours' where id = ${id}`)
    await cleanUp()
    expect(await left()).toEqual(new Set([await fileIdOf(id)]))
  })
})

describe('in a bucket', () => {
  let bucket: TestBucket
  beforeAll(async () => {
    bucket = await startBucket()
  })
  afterAll(() => bucket.stop())
  beforeEach(async () => {
    await bucket.clear()
    for (const [name, value] of Object.entries(bucket.settings)) vi.stubEnv(`CONTENT_S3_${name.toUpperCase()}`, value)
  })
  afterEach(() => {
    bucket.onRequest = undefined
    vi.unstubAllEnvs()
  })

  const jobs = async (fileId: string) =>
    (
      await db.execute<{ data: { fileId: string; variants: string[] } }>(
        sql`select data from jobs.job where name = ${deleteOrphanedFiles.name} and data ->> 'fileId' = ${fileId} order by created_on`,
      )
    ).rows.map(({ data }) => data)

  test('the clean-up of an upload waits ten minutes by the clock of the database, and is retried for a year', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 })
    const id = await add().finally(() => vi.useRealTimers())
    const { rows } = await db.execute<{ seconds: number; days: number }>(
      sql`select extract(epoch from start_after - now())::int as seconds,
        extract(day from keep_until - start_after)::int as days
        from jobs.job where name = ${deleteOrphanedFiles.name} and data ->> 'fileId' = ${await fileIdOf(id)}`,
    )
    expect(rows).toEqual([{ seconds: expect.any(Number), days: 365 }])
    expect(Math.abs(Number(rows[0]?.seconds) - 560)).toBeLessThanOrEqual(40)
  })

  test('files are objects under ids of ours, and a deleted image leaves none', async () => {
    const id = await add(ada, { name: '../../evil.html' })
    const file = await fileIdOf(id)
    const variants = ['640.avif', '640.webp', '700.avif', '700.webp']
    expect((await bucket.keys()).sort()).toEqual(variants.map((variant) => `images/${file}/${variant}`))
    expect((await get(file, '640.webp', { as: await newSessionToken('editor') })).status).toBe(200)
    // The job that was enqueued before the upload finds the rows, and keeps the objects.
    const [before] = await jobs(file)
    await deleteOrphanedFiles.work(before, { id: 'test' })
    expect(await bucket.keys()).toHaveLength(4)
    await asRequest({}, () => deleteImage(ada, id))
    const [, after] = await jobs(file)
    await deleteOrphanedFiles.work(after, { id: 'test' })
    expect(await bucket.keys()).toEqual([])
  })

  test('that stops halfway, an upload leaves no image, and its clean-up no object', async () => {
    let seen = 0
    bucket.onRequest = async (request, response, pass) => {
      if (++seen > 2) return request.socket.destroy()
      const { status, body } = await pass()
      response.writeHead(status).end(body)
    }
    const before = await db.$count(images)
    expect(await errorCodeOf(add())).toBe('unavailable')
    expect(await db.$count(images)).toBe(before)
    // All four files are sent at once: none may arrive after the bucket is back.
    await expect.poll(() => seen).toBe(4)
    const { rows } = await db.execute<{ data: { fileId: string } }>(
      sql`select data from jobs.job where name = ${deleteOrphanedFiles.name} order by created_on desc limit 1`,
    )
    const cleanUp = () => deleteOrphanedFiles.work(rows[0]?.data, { id: 'test' })
    // The job is retried until the bucket is back.
    await expect(cleanUp()).rejects.toMatchObject({ code: 'unavailable' })
    await expect.poll(() => seen).toBe(8)
    bucket.onRequest = undefined
    expect(await bucket.keys()).toHaveLength(2)
    await cleanUp()
    expect(await bucket.keys()).toEqual([])
    expect(await errorCodeOf(add())).toBe('done')
  })

  test('that is down, files are unavailable, not missing, and are served again later', async () => {
    const file = await fileIdOf(await add())
    const as = await newSessionToken('editor')
    bucket.onRequest = (request) => request.socket.destroy()
    const response = await get(file, '640.webp', { as })
    expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'private, no-store'])
    bucket.onRequest = undefined
    expect((await get(file, '640.webp', { as })).status).toBe(200)
  })

  test('that stops while an image is replaced, the post keeps the one before', async () => {
    const id = await add()
    const { id: postId } = await newPost(embed(id), 'publish')
    const [html, file] = [await htmlOf(postId), await fileIdOf(id)]
    bucket.onRequest = (request) => request.socket.destroy()
    const replaced = asRequest({}, () => replaceImage(ada, id, async () => ({ bytes: png })))
    expect(await errorCodeOf(replaced)).toBe('unavailable')
    bucket.onRequest = undefined
    expect([await htmlOf(postId), await fileIdOf(id)]).toEqual([html, file])
    expect((await get(file)).status).toBe(200)
  })
})
