import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@/core/auth/policy'
import { inTransaction } from '@/core/db/in-transaction'
import { auditEvents, users } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { query } from '../../../tests/app/support/query'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import { findDraft, findRevisions, findTexts } from './drafts'
import content from './module'
import type { PostText } from './post-text'
import * as posts from './posts'
import { createPreview, findPreview } from './previews'
import { publishOverdue, publishScheduled } from './publish'
import { findPost, findPublished, searchPublished } from './published'
import { posts as postTable, published, revisions } from './schema'

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
let admin: TestUser
let viewer: TestUser
beforeAll(async () => {
  ;[ada, grace, admin, viewer] = (await Promise.all(
    (['editor', 'editor', 'admin', 'viewer'] as const).map(newUser),
  )) as [TestUser, TestUser, TestUser, TestUser]
})

const textWith = (more: Partial<PostText> = {}): PostText => ({
  title: 'A title',
  slug: '',
  summary: '',
  tags: [],
  body: 'Some text',
  ...more,
})
const create = (actor = ada, title = 'A title') => asRequest({}, () => posts.createPost(actor, title))
const save = (actor: TestUser, id: string, version: number, more: Partial<posts.SaveInput> = {}) =>
  asRequest({}, () => posts.savePost(actor, { id, version, text: textWith(), ...more }))
const errorCodeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code,
  )
const draftOf = async (id: string) => {
  const draft = await findDraft(admin, id)
  if (!draft) throw new Error('post not found')
  return draft
}
const textsOf = async (id: string, one: number, other: number) => {
  const texts = await findTexts(admin, id, one, other)
  if (!texts) throw new Error('revision not found')
  return texts
}
const publicTextOf = async (id: string) => (await db.select().from(published).where(eq(published.postId, id)))[0]
const uniqueSlug = () => `post-${crypto.randomUUID()}`

describe('saving', () => {
  test('reuses the revision while the same user writes, and creates a new one for another user', async () => {
    const id = await create()
    const first = await save(ada, id, 1, { text: textWith({ body: 'one' }) })
    const second = await save(ada, id, first.version, { text: textWith({ body: 'two' }) })
    expect([first.number, second.number]).toEqual([1, 1])
    const third = await save(grace, id, second.version, { text: textWith({ body: 'three' }) })
    expect(third.number).toBe(2)
    const [one, two] = await textsOf(id, 1, 2)
    expect([one.body, two.body]).toEqual(['two', 'three'])
  })

  test('creates a new revision after ten minutes, and after publishing', async () => {
    const id = await create()
    await db.update(revisions).set({ createdAt: sql`now() - interval '11 minutes'` }).where(eq(revisions.postId, id))
    const later = await save(ada, id, 1)
    expect(later.number).toBe(2)
    const out = await save(ada, id, later.version, { step: 'publish' })
    expect(out.number).toBe(2)
    expect((await save(ada, id, out.version, { text: textWith({ body: 'more' }) })).number).toBe(3)
  })

  test('says whether the title or the number of the version changed, so that the page is rendered again', async () => {
    const id = await create()
    const body = await save(ada, id, 1, { text: textWith({ body: 'one' }) })
    const title = await save(ada, id, body.version, { text: textWith({ body: 'one', title: 'Another title' }) })
    const number = await save(grace, id, title.version, { text: textWith({ body: 'two', title: 'Another title' }) })
    expect([body, title, number].map(({ isHeadingChanged }) => isHeadingChanged)).toEqual([false, true, true])
  })

  test('based on an outdated version fails with a conflict, and changes nothing', async () => {
    const id = await create()
    await save(grace, id, 1, { text: textWith({ body: 'of grace' }) })
    expect(await errorCodeOf(save(ada, id, 1, { text: textWith({ body: 'of ada' }) }))).toBe('conflict')
    expect((await draftOf(id)).body).toBe('of grace')
  })

  test('text identical to the draft is no conflict', async () => {
    const id = await create()
    const first = await save(grace, id, 1, { text: textWith({ body: 'the same' }) })
    const again = await save(ada, id, 1, { text: textWith({ body: 'the same' }) })
    expect(again).toMatchObject({ version: first.version, number: first.number })
  })

  test.each([
    ['mine', 'of ada', ['of grace', 'of ada']],
    ['theirs', 'of grace', ['of grace', 'of ada']],
  ] as const)('after a conflict resolved with "%s" stores both texts', async (resolve, body, both) => {
    const id = await create()
    await save(grace, id, 1, { text: textWith({ body: 'of grace' }) })
    await save(ada, id, 1, { text: textWith({ body: 'of ada' }), resolve })
    const draft = await draftOf(id)
    expect(draft.body).toBe(body)
    const texts = await textsOf(id, 2, 3)
    expect(texts.map((text) => text.body)).toEqual(both)
    const aside = (await findRevisions(admin, id)).filter(({ isAside }) => isAside)
    expect(aside.map(({ number }) => number)).toEqual(resolve === 'theirs' ? [3] : [])
  })

  test.each([
    ['that was opened', 0],
    ['that the page has reloaded since, as it does without JavaScript', 1],
  ])('from two tabs of one user, with the version %s, loses neither text', async (_, versionOffset) => {
    const id = await create()
    await save(ada, id, 1, { text: textWith({ body: 'left' }) })
    await save(ada, id, 1 + versionOffset, { text: textWith({ body: 'right' }), resolve: 'mine' })
    const [left, right] = await textsOf(id, 1, 2)
    expect([left.body, right.body]).toEqual(['left', 'right'])
  })

  test('requires the permission, even when the function is called without the action', async () => {
    const id = await create()
    expect(await errorCodeOf(save(viewer, id, 1))).toBe('forbidden')
    expect(await errorCodeOf(asRequest({}, () => posts.deletePost(grace, id)))).toBe('forbidden')
    expect(await errorCodeOf(save(ada, crypto.randomUUID(), 1))).toBe('not_found')
    expect(await errorCodeOf(asRequest({}, () => posts.deletePost(admin, id)))).toBe('done')
  })

  test('a closed revision cannot be changed, not even with SQL', async () => {
    const id = await create()
    await save(ada, id, 1, { step: 'publish', text: textWith({ slug: uniqueSlug() }) })
    await expect(query(`update content_revisions set body = 'x' where post_id = $1`, [id])).rejects.toThrow('closed')
    // Deleting a user must still be able to clear the author.
    await query('update content_revisions set author_id = null where post_id = $1', [id])
  })
})

describe('publishing', () => {
  test('shows the published text until the next publication', async () => {
    const id = await create()
    const slug = uniqueSlug()
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

  test('under a new slug keeps the old one, which no other post can take', async () => {
    const [old, fresh] = [uniqueSlug(), uniqueSlug()]
    const id = await create()
    const out = await save(ada, id, 1, { step: 'publish', text: textWith({ slug: old }) })
    await save(ada, id, out.version, { step: 'publish', text: textWith({ slug: fresh }) })
    expect((await findPost(old))?.slug).toBe(fresh)
    const other = await create(grace)
    const taken = save(grace, other, 1, { step: 'publish', text: textWith({ slug: old }) })
    await expect(taken).rejects.toMatchObject({ fields: { slug: ['This slug is (or was) used by another post'] } })
    expect((await draftOf(other)).status).toBe('draft')
  })

  test('without a slug derives one from the title', async () => {
    const title = `Über uns ${Date.now()}`
    const id = await create(ada, title)
    await save(ada, id, 1, { step: 'publish', text: textWith({ title }) })
    expect((await publicTextOf(id))?.slug).toBe(title.toLowerCase().replace('ü', 'u').replaceAll(' ', '-'))
  })

  test.each(['publish', 'schedule'] as const)(
    'without a slug (step: %s) writes the derived one into the draft, which a later title does not change',
    async (step) => {
      const title = `Slug ${crypto.randomUUID()}`
      const slug = title.toLowerCase().replace(' ', '-')
      const id = await create(ada, title)
      const first = await save(ada, id, 1, { text: textWith({ title }) })
      const at = new Date(Date.now() + 60_000)
      const out = await save(grace, id, first.version, { step, at, text: textWith({ title }) })
      // In the same revision, and as a change of the text: a form with the empty slug must not overwrite it.
      expect(out).toMatchObject({ number: first.number, version: first.version + 1 })
      expect(await draftOf(id)).toMatchObject({ slug, version: out.version })
      await save(ada, id, out.version, { step: 'publish', text: textWith({ title: 'Another title', slug }) })
      expect(await publicTextOf(id)).toMatchObject({ slug, title: 'Another title' })
    },
  )

  test('a closed revision without a slug again changes nothing in it', async () => {
    const title = `Slug ${crypto.randomUUID()}`
    const id = await create(ada, title)
    await query('update content_revisions set is_open = false where post_id = $1', [id])
    const out = await save(ada, id, 1, { step: 'publish', text: textWith({ title, body: '' }) })
    expect(out).toMatchObject({ number: 1, version: 1 })
    expect((await draftOf(id)).slug).toBe('')
    expect((await publicTextOf(id))?.slug).toBe(title.toLowerCase().replace(' ', '-'))
  })

  test('can be undone, and nothing of the post stays public', async () => {
    const id = await create()
    const slug = uniqueSlug()
    await save(ada, id, 1, { step: 'publish', text: textWith({ slug, tags: ['gone'] }) })
    await asRequest({}, () => posts.unpublishPost(ada, id))
    expect(await findPost(slug)).toBeNull()
    expect((await findPublished({ tag: 'gone' })).posts).toEqual([])
    expect((await draftOf(id)).status).toBe('draft')
  })

  test('at a scheduled time is done by a job, with the text as it was when scheduled', async () => {
    const id = await create()
    const slug = uniqueSlug()
    const at = new Date(Date.now() + 60_000)
    for (const invalidTime of [new Date(Date.now() - 1), new Date(8.64e15), undefined])
      expect(await errorCodeOf(save(ada, id, 1, { step: 'schedule', at: invalidTime }))).toBe('invalid_input')
    const planned = await save(ada, id, 1, { step: 'schedule', at, text: textWith({ slug, body: 'planned' }) })
    await save(ada, id, planned.version, { text: textWith({ slug, body: 'later' }) })
    expect(await findPost(slug)).toBeNull()
    const run = (when: Date) => publishScheduled.work({ postId: id, at: when.toISOString() }, { id: '1' })
    await run(new Date(at.getTime() + 1))
    expect(await findPost(slug)).toBeNull()
    await run(at)
    expect((await findPost(slug))?.html).toBe('<p>planned</p>\n')
    expect(await draftOf(id)).toMatchObject({ status: 'published', body: 'later', scheduled: null, scheduledAt: null })
    // A job may run twice.
    await run(at)
    expect((await findPost(slug))?.html).toBe('<p>planned</p>\n')
  })

  test('does not happen after the post was unscheduled', async () => {
    const id = await create()
    const slug = uniqueSlug()
    const at = new Date(Date.now() + 60_000)
    await save(ada, id, 1, { step: 'schedule', at, text: textWith({ slug }) })
    expect((await draftOf(id)).status).toBe('scheduled')
    await asRequest({}, () => posts.unschedulePost(ada, id))
    await publishScheduled.work({ postId: id, at: at.toISOString() }, { id: '1' })
    expect(await findPost(slug)).toBeNull()
    expect((await draftOf(id)).status).toBe('draft')
  })
})

describe('a user who loses the permission to write', () => {
  const changeRole = (userId: string, role: Role | null) =>
    inTransaction(async (tx) => content.onRightsChange?.(tx, { userIds: [userId], role, actorId: admin.id }))
  const schedulePost = async (actor: TestUser) => {
    const [id, slug, at] = [await create(), uniqueSlug(), new Date(Date.now() + 60_000)]
    await save(actor, id, 1, { step: 'schedule', at, text: textWith({ slug }) })
    const link = await asRequest({}, () => createPreview(actor, id))
    return { id, slug, at, token: new URL(link).searchParams.get('token') ?? '' }
  }

  test.each([null, 'viewer'] as const)(
    'with the new role %s, loses their schedules and preview links, and no other user does',
    async (role) => {
      const demotedUser = await newUser('editor')
      const [theirs, other] = [await schedulePost(demotedUser), await schedulePost(grace)]
      await changeRole(demotedUser.id, role)
      expect(await draftOf(theirs.id)).toMatchObject({ status: 'draft', scheduled: null, scheduledAt: null })
      expect(await findPreview(theirs.token)).toBeNull()
      expect((await draftOf(other.id)).status).toBe('scheduled')
      expect(await findPreview(other.token)).not.toBeNull()
      const events = await db
        .select({ kind: auditEvents.kind, actorId: auditEvents.actorId, details: auditEvents.details })
        .from(auditEvents)
        .where(eq(auditEvents.targetId, demotedUser.id))
        .orderBy(auditEvents.id)
      const details = { post: theirs.id }
      expect(events).toEqual([
        { kind: 'preview.revoked', actorId: admin.id, details },
        { kind: 'post.unscheduled', actorId: admin.id, details },
      ])
    },
  )

  test('keeps schedules and preview links if the new role has the permission', async () => {
    const { id, token } = await schedulePost(grace)
    await changeRole(grace.id, 'admin')
    expect((await draftOf(id)).status).toBe('scheduled')
    expect(await findPreview(token)).not.toBeNull()
  })

  test('by a direct SQL update publishes nothing either; a schedule without a known user is published', async () => {
    const demotedUser = await newUser('editor')
    const [theirs, unknown] = [await schedulePost(demotedUser), await schedulePost(demotedUser)]
    await db.update(postTable).set({ scheduledBy: null }).where(eq(postTable.id, unknown.id))
    await db.update(users).set({ role: 'viewer' }).where(eq(users.id, demotedUser.id))
    for (const { id, at } of [theirs, unknown])
      await publishScheduled.work({ postId: id, at: at.toISOString() }, { id: '1' })
    expect(await findPost(theirs.slug)).toBeNull()
    expect(await draftOf(theirs.id)).toMatchObject({ status: 'draft', scheduled: null })
    expect((await findPost(unknown.slug))?.slug).toBe(unknown.slug)
  })
})

test('an overdue post is published once a worker runs again', async () => {
  const id = await create()
  const slug = uniqueSlug()
  await save(ada, id, 1, { step: 'schedule', at: new Date(Date.now() + 60_000), text: textWith({ slug }) })
  await publishOverdue.work({}, { id: '1' })
  expect(await findPost(slug)).toBeNull()
  await db.update(postTable).set({ scheduledAt: sql`now() - interval '6 minutes'` }).where(eq(postTable.id, id))
  await publishOverdue.work({}, { id: '1' })
  expect((await findPost(slug))?.slug).toBe(slug)
})

test('a search for several frequent words returns a full page', async () => {
  const words = ['alpha', 'beta', 'gamma', 'delta']
  for (let count = 0; count < 30; count++) {
    const id = await create()
    await save(ada, id, 1, { step: 'publish', text: textWith({ slug: uniqueSlug(), body: words.join(' and ') }) })
  }
  expect(await searchPublished(words.join(' '))).toHaveLength(20)
})

test('slugs, tags and search words with a NUL character find nothing and cause no error', async () => {
  expect(await findPost('a\0b')).toBeNull()
  expect(await findPublished({ tag: 'a\0b', before: 'nowhere' })).toEqual({ posts: [], next: null })
  expect(await searchPublished('a\0b')).toEqual([])
  expect(await searchPublished('the of and')).toEqual([])
})

test('restoring an old revision makes it the draft and leaves the published text unchanged', async () => {
  const id = await create()
  const slug = uniqueSlug()
  const one = await save(ada, id, 1, { step: 'publish', text: textWith({ slug, body: 'one' }) })
  await save(ada, id, one.version, { step: 'publish', text: textWith({ slug, body: 'two' }) })
  await asRequest({}, () => posts.restoreRevision(grace, id, 1))
  expect(await draftOf(id)).toMatchObject({ body: 'one', draft: 3 })
  expect((await findPost(slug))?.html).toBe('<p>two</p>\n')
  expect((await findRevisions(admin, id))[0]).toMatchObject({ number: 3, restoredFrom: 1 })
})

test('under concurrent changes the published text is always one whole revision, and no revision is lost or changed', {
  tags: 'full',
}, async () => {
  type Step = {
    userIndex: number
    operation: 'save' | 'publish' | 'schedule' | 'restore' | 'unpublish' | 'delete'
    pick: number
  }
  const step: fc.Arbitrary<Step> = fc.record({
    userIndex: fc.nat(1),
    operation: fc.constantFrom(
      'save',
      'save',
      'save',
      'publish',
      'publish',
      'schedule',
      'restore',
      'restore',
      'unpublish',
    ),
    pick: fc.nat(20),
  })
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  let texts = 0
  await fc.assert(
    fc.asyncProperty(rounds, fc.boolean(), async (waves, isDeleted) => {
      const id = await create()
      const slug = uniqueSlug()
      const seen = [1, 1]
      const completedSaves: CompletedSave[] = []
      const editors = [ada, grace]
      const run = async ({ userIndex, operation, pick }: Step) => {
        const actor = editors[userIndex] as TestUser
        const body = `text ${++texts}`
        if (operation === 'restore')
          return asRequest({}, () => posts.restoreRevision(actor, id, (pick % 5) + 1)).catch(ignore)
        if (operation === 'unpublish') return asRequest({}, () => posts.unpublishPost(actor, id)).catch(ignore)
        if (operation === 'delete') return asRequest({}, () => posts.deletePost(ada, id)).catch(ignore)
        const more = operation === 'schedule' ? { at: new Date(Date.now() + 60_000) } : {}
        const resolve = pick % 3 === 0 ? ('mine' as const) : pick % 3 === 1 ? ('theirs' as const) : undefined
        const saved = await save(actor, id, seen[userIndex] ?? 1, {
          text: textWith({ slug, body }),
          step: operation,
          resolve,
          ...more,
        }).catch(ignore)
        if (!saved) return
        seen[userIndex] = saved.version
        completedSaves.push({ ...saved, userIndex, body })
      }
      for (const wave of waves) {
        await Promise.all(wave.map(run))
        await checkAll(id, completedSaves)
      }
      if (!isDeleted) return
      await Promise.all([
        run({ userIndex: 0, operation: 'delete', pick: 0 }),
        run({ userIndex: 1, operation: 'publish', pick: 0 }),
      ])
      expect(await findPost(slug)).toBeNull()
      expect(await db.select({ n: revisions.number }).from(revisions).where(eq(revisions.postId, id))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

const ignore = (error: { code?: string }) => {
  if (!['conflict', 'not_found'].includes(error.code ?? '')) throw error
}

interface CompletedSave extends posts.SaveResult {
  userIndex: number
  body: string
}

async function checkAll(id: string, completedSaves: CompletedSave[]): Promise<void> {
  const rows = await db.select().from(revisions).where(eq(revisions.postId, id)).orderBy(revisions.number)
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1))
  // Every save that succeeded is stored, or was overwritten by a later save of the same user.
  for (const { number, body } of rows) {
    const written = completedSaves.filter((save) => save.number === number).toSorted((a, b) => a.version - b.version)
    if (written.length > 0) expect(body).toBe(written.at(-1)?.body)
    expect(new Set(written.map(({ userIndex }) => userIndex)).size).toBeLessThanOrEqual(1)
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
