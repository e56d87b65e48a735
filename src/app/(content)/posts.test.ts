import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@/core/auth/policy'
import { db, pool } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { asRequest } from '../../../tests/support/next-headers'
import { findDraft, findRevisions, findTexts } from './drafts'
import * as posts from './posts'
import { findPost, findPublished, searchPublished } from './published'
import { posts as postTable, published, revisions } from './schema'
import type { Text } from './text'

interface Person {
  id: string
  role: Role
}
async function newPerson(role: Role): Promise<Person> {
  const [row] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: 'Somebody', role })
    .returning({ id: users.id })
  return { id: row?.id ?? '', role }
}

let ada: Person
let grace: Person
let admin: Person
let viewer: Person
beforeAll(async () => {
  ;[ada, grace, admin, viewer] = (await Promise.all(
    (['editor', 'editor', 'admin', 'viewer'] as const).map(newPerson),
  )) as [Person, Person, Person, Person]
})

const textWith = (more: Partial<Text> = {}): Text => ({
  title: 'A title',
  slug: '',
  summary: '',
  tags: [],
  body: 'Some text',
  ...more,
})
const create = (actor = ada, title = 'A title') => asRequest({}, () => posts.createPost(actor, title))
const save = (actor: Person, id: string, version: number, more: Partial<posts.Save> = {}) =>
  asRequest({}, () => posts.savePost(actor, { id, version, text: textWith(), ...more }))
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code,
  )
const draftOf = async (id: string) => {
  const draft = await findDraft(admin, id)
  if (!draft) throw new Error('the post is gone')
  return draft
}
const textsOf = async (id: string, one: number, other: number) => {
  const texts = await findTexts(id, one, other)
  if (!texts) throw new Error('a version is gone')
  return texts
}
const publicTextOf = async (id: string) => (await db.select().from(published).where(eq(published.postId, id)))[0]
const someSlug = () => `post-${crypto.randomUUID()}`

describe('saving', () => {
  test('goes on in the same version while the same person writes, and begins another one for somebody else', async () => {
    const id = await create()
    const first = await save(ada, id, 1, { text: textWith({ body: 'one' }) })
    const second = await save(ada, id, first.version, { text: textWith({ body: 'two' }) })
    expect([first.number, second.number]).toEqual([1, 1])
    const third = await save(grace, id, second.version, { text: textWith({ body: 'three' }) })
    expect(third.number).toBe(2)
    const [one, two] = await textsOf(id, 1, 2)
    expect([one.body, two.body]).toEqual(['two', 'three'])
  })

  test('begins another version after ten minutes, and after the text was published', async () => {
    const id = await create()
    await db.update(revisions).set({ createdAt: sql`now() - interval '11 minutes'` }).where(eq(revisions.postId, id))
    const later = await save(ada, id, 1)
    expect(later.number).toBe(2)
    const out = await save(ada, id, later.version, { step: 'publish' })
    expect(out.number).toBe(2)
    expect((await save(ada, id, out.version, { text: textWith({ body: 'more' }) })).number).toBe(3)
  })

  test('over a version that somebody else has followed is refused, and nothing changes', async () => {
    const id = await create()
    await save(grace, id, 1, { text: textWith({ body: 'of grace' }) })
    expect(await codeOf(save(ada, id, 1, { text: textWith({ body: 'of ada' }) }))).toBe('conflict')
    expect((await draftOf(id)).body).toBe('of grace')
  })

  test('of the very text that is there is no conflict', async () => {
    const id = await create()
    const first = await save(grace, id, 1, { text: textWith({ body: 'the same' }) })
    const again = await save(ada, id, 1, { text: textWith({ body: 'the same' }) })
    expect(again).toMatchObject({ version: first.version, number: first.number })
  })

  test.each([
    ['mine', 'of ada', ['of grace', 'of ada']],
    ['theirs', 'of grace', ['of grace', 'of ada']],
  ] as const)('after a conflict "%s" goes on, and both stay', async (resolve, body, both) => {
    const id = await create()
    await save(grace, id, 1, { text: textWith({ body: 'of grace' }) })
    await save(ada, id, 1, { text: textWith({ body: 'of ada' }), resolve })
    const draft = await draftOf(id)
    expect(draft.body).toBe(body)
    const texts = await textsOf(id, 2, 3)
    expect(texts.map((text) => text.body)).toEqual(both)
    const aside = (await findRevisions(id)).filter(({ isAside }) => isAside)
    expect(aside.map(({ number }) => number)).toEqual(resolve === 'theirs' ? [3] : [])
  })

  test.each([
    ['as it was opened', 0],
    ['which the page has learnt meanwhile, as it does without scripts', 1],
  ])('from two windows of one person, with the version %s, loses neither text', async (_, learnt) => {
    const id = await create()
    await save(ada, id, 1, { text: textWith({ body: 'left' }) })
    await save(ada, id, 1 + learnt, { text: textWith({ body: 'right' }), resolve: 'mine' })
    const [left, right] = await textsOf(id, 1, 2)
    expect([left.body, right.body]).toEqual(['left', 'right'])
  })

  test('is for whoever holds the permission, also when a function is called past the action', async () => {
    const id = await create()
    expect(await codeOf(save(viewer, id, 1))).toBe('forbidden')
    expect(await codeOf(asRequest({}, () => posts.deletePost(grace, id)))).toBe('forbidden')
    expect(await codeOf(save(ada, crypto.randomUUID(), 1))).toBe('not_found')
    expect(await codeOf(asRequest({}, () => posts.deletePost(admin, id)))).toBe('done')
  })

  test('a version that is closed cannot be changed, not even by SQL', async () => {
    const id = await create()
    await save(ada, id, 1, { step: 'publish', text: textWith({ slug: someSlug() }) })
    await expect(pool.query(`update content_revisions set body = 'x' where post_id = $1`, [id])).rejects.toThrow(
      'closed',
    )
    // Somebody who leaves takes their name along.
    await pool.query('update content_revisions set author_id = null where post_id = $1', [id])
  })
})

describe('publishing', () => {
  test('shows the text of that moment, until the next one', async () => {
    const id = await create()
    const slug = someSlug()
    const out = await save(ada, id, 1, { step: 'publish', text: textWith({ slug, body: '# One', tags: ['a', 'b'] }) })
    await save(ada, id, out.version, { text: textWith({ slug, body: 'not yet' }) })
    expect(await findPost(slug)).toMatchObject({
      title: 'A title',
      html: '<h2>One</h2>\n',
      tags: ['a', 'b'],
      summary: 'One',
    })
    expect((await findPublished({ tag: 'b' })).posts.map((post) => post.slug)).toContain(slug)
  })

  test('under another address keeps the old one, which nobody else gets', async () => {
    const [old, fresh] = [someSlug(), someSlug()]
    const id = await create()
    const out = await save(ada, id, 1, { step: 'publish', text: textWith({ slug: old }) })
    await save(ada, id, out.version, { step: 'publish', text: textWith({ slug: fresh }) })
    expect((await findPost(old))?.slug).toBe(fresh)
    const other = await create(grace)
    const taken = save(grace, other, 1, { step: 'publish', text: textWith({ slug: old }) })
    await expect(taken).rejects.toMatchObject({ fields: { slug: ['Another post has this address, or had it once'] } })
    expect((await draftOf(other)).status).toBe('draft')
  })

  test('without an address makes one of the title', async () => {
    const title = `Über uns ${Date.now()}`
    const id = await create(ada, title)
    await save(ada, id, 1, { step: 'publish', text: textWith({ title }) })
    expect((await publicTextOf(id))?.slug).toBe(title.toLowerCase().replace('ü', 'u').replaceAll(' ', '-'))
  })

  test('is taken back, and nothing of it is public any more', async () => {
    const id = await create()
    const slug = someSlug()
    await save(ada, id, 1, { step: 'publish', text: textWith({ slug, tags: ['gone'] }) })
    await asRequest({}, () => posts.unpublishPost(ada, id))
    expect(await findPost(slug)).toBeNull()
    expect((await findPublished({ tag: 'gone' })).posts).toEqual([])
    expect((await draftOf(id)).status).toBe('draft')
  })

  test('at a time to come is done by a job, with the text of when it was scheduled', async () => {
    const id = await create()
    const slug = someSlug()
    const at = new Date(Date.now() + 60_000)
    for (const never of [new Date(Date.now() - 1), new Date(8.64e15), undefined])
      expect(await codeOf(save(ada, id, 1, { step: 'schedule', at: never }))).toBe('invalid_input')
    const planned = await save(ada, id, 1, { step: 'schedule', at, text: textWith({ slug, body: 'planned' }) })
    await save(ada, id, planned.version, { text: textWith({ slug, body: 'later' }) })
    expect(await findPost(slug)).toBeNull()
    const run = (when: Date) => posts.publishScheduled.work({ postId: id, at: when.toISOString() }, { id: '1' })
    await run(new Date(at.getTime() + 1))
    expect(await findPost(slug)).toBeNull()
    await run(at)
    expect((await findPost(slug))?.html).toBe('<p>planned</p>\n')
    expect(await draftOf(id)).toMatchObject({ status: 'published', body: 'later', scheduled: null, scheduledAt: null })
    // A job may be done twice, or be gone.
    await run(at)
    expect((await findPost(slug))?.html).toBe('<p>planned</p>\n')
  })

  test('does not happen when somebody thought better of it', async () => {
    const id = await create()
    const slug = someSlug()
    const at = new Date(Date.now() + 60_000)
    await save(ada, id, 1, { step: 'schedule', at, text: textWith({ slug }) })
    expect((await draftOf(id)).status).toBe('scheduled')
    await asRequest({}, () => posts.unschedulePost(ada, id))
    await posts.publishScheduled.work({ postId: id, at: at.toISOString() }, { id: '1' })
    expect(await findPost(slug)).toBeNull()
    expect((await draftOf(id)).status).toBe('draft')
  })
})

test('what was to be published while nobody worked is published later', async () => {
  const id = await create()
  const slug = someSlug()
  await save(ada, id, 1, { step: 'schedule', at: new Date(Date.now() + 60_000), text: textWith({ slug }) })
  await posts.publishOverdue.work({}, { id: '1' })
  expect(await findPost(slug)).toBeNull()
  await db.update(postTable).set({ scheduledAt: sql`now() - interval '6 minutes'` }).where(eq(postTable.id, id))
  await posts.publishOverdue.work({}, { id: '1' })
  expect((await findPost(slug))?.slug).toBe(slug)
})

test('several words that are in many posts are found together', async () => {
  const words = ['alpha', 'beta', 'gamma', 'delta']
  for (let count = 0; count < 30; count++) {
    const id = await create()
    await save(ada, id, 1, { step: 'publish', text: textWith({ slug: someSlug(), body: words.join(' and ') }) })
  }
  expect(await searchPublished(words.join(' '))).toHaveLength(20)
})

test('addresses, tags and words that no post can have find nothing, and are no fault', async () => {
  expect(await findPost('a\0b')).toBeNull()
  expect(await findPublished({ tag: 'a\0b', before: 'nowhere' })).toEqual({ posts: [], next: null })
  expect(await searchPublished('a\0b')).toEqual([])
  expect(await searchPublished('the of and')).toEqual([])
})

test('going back to an old text makes it the newest one, and what is public stays', async () => {
  const id = await create()
  const slug = someSlug()
  const one = await save(ada, id, 1, { step: 'publish', text: textWith({ slug, body: 'one' }) })
  await save(ada, id, one.version, { step: 'publish', text: textWith({ slug, body: 'two' }) })
  await asRequest({}, () => posts.restoreRevision(grace, id, 1))
  expect(await draftOf(id)).toMatchObject({ body: 'one', draft: 3 })
  expect((await findPost(slug))?.html).toBe('<p>two</p>\n')
  expect((await findRevisions(id))[0]).toMatchObject({ number: 3, restoredFrom: 1 })
})

test('whatever several people do at once, what is public is a whole version, and no version is lost or changed', async () => {
  type Step = { who: number; does: 'save' | 'publish' | 'schedule' | 'restore' | 'unpublish' | 'delete'; pick: number }
  const step: fc.Arbitrary<Step> = fc.record({
    who: fc.nat(1),
    does: fc.constantFrom('save', 'save', 'save', 'publish', 'publish', 'schedule', 'restore', 'restore', 'unpublish'),
    pick: fc.nat(20),
  })
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  let texts = 0
  await fc.assert(
    fc.asyncProperty(rounds, fc.boolean(), async (waves, isDeleted) => {
      const id = await create()
      const slug = someSlug()
      const seen = [1, 1]
      const answered: Answered[] = []
      const people = [ada, grace]
      const run = async ({ who, does, pick }: Step) => {
        const actor = people[who] as Person
        const body = `text ${++texts}`
        if (does === 'restore')
          return asRequest({}, () => posts.restoreRevision(actor, id, (pick % 5) + 1)).catch(ignore)
        if (does === 'unpublish') return asRequest({}, () => posts.unpublishPost(actor, id)).catch(ignore)
        if (does === 'delete') return asRequest({}, () => posts.deletePost(ada, id)).catch(ignore)
        const more = does === 'schedule' ? { at: new Date(Date.now() + 60_000) } : {}
        const resolve = pick % 3 === 0 ? ('mine' as const) : pick % 3 === 1 ? ('theirs' as const) : undefined
        const saved = await save(actor, id, seen[who] ?? 1, {
          text: textWith({ slug, body }),
          step: does,
          resolve,
          ...more,
        }).catch(ignore)
        if (!saved) return
        seen[who] = saved.version
        answered.push({ ...saved, who, body })
      }
      for (const wave of waves) {
        await Promise.all(wave.map(run))
        await checkAll(id, answered)
      }
      if (!isDeleted) return
      await Promise.all([run({ who: 0, does: 'delete', pick: 0 }), run({ who: 1, does: 'publish', pick: 0 })])
      expect(await findPost(slug)).toBeNull()
      expect(await db.select({ n: revisions.number }).from(revisions).where(eq(revisions.postId, id))).toEqual([])
    }),
    { numRuns: 300, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
  )
}, 240_000)

const ignore = (error: { code?: string }) => {
  if (!['conflict', 'not_found'].includes(error.code ?? '')) throw error
}

interface Answered extends posts.Saved {
  who: number
  body: string
}

async function checkAll(id: string, answered: Answered[]): Promise<void> {
  const rows = await db.select().from(revisions).where(eq(revisions.postId, id)).orderBy(revisions.number)
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1))
  // Whatever was answered with "saved" is there, or its own writer went on in it.
  for (const { number, body } of rows) {
    const written = answered.filter((save) => save.number === number).toSorted((a, b) => a.version - b.version)
    if (written.length > 0) expect(body).toBe(written.at(-1)?.body)
    expect(new Set(written.map(({ who }) => who)).size).toBeLessThanOrEqual(1)
  }
  const [post] = await db.select().from(postTable).where(eq(postTable.id, id))
  expect(rows.filter(({ isOpen }) => isOpen).every(({ number }) => number === post?.draft)).toBe(true)
  const shown = await publicTextOf(id)
  expect(post?.status === 'published').toBe(shown !== undefined)
  if (!shown) return
  const { title, body, tags, isOpen } = rows[shown.number - 1] ?? {}
  expect({ title: shown.title, html: shown.html, tags: shown.tags, isOpen }).toEqual({
    title,
    html: `<p>${body}</p>\n`,
    tags,
    isOpen: false,
  })
}
