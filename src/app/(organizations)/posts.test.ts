import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { definePolicy } from '@/core/auth/policy'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb } from '../../../tests/app/support/unchecked-db'
import { deleteOrganizationRows, deleteOwnOrganization } from './delete-organization'
import { changeMemberRole, removeMember } from './members'
import {
  actIn,
  addMember,
  newOrganization,
  newUser,
  outcome,
  type TestOrganization,
  type TestUser,
} from './test-organizations'

// biome-ignore lint/suspicious/noExplicitAny: the module of posts may not be installed, and this module does not import it
const files = import.meta.glob<any>('/src/app/*/{posts,drafts,publish,previews,_images/library}.ts')
const load = (name: string) => files[`/src/app/(content)/${name}.ts`]?.()
const isInstalled = '/src/app/(content)/posts.ts' in files

let ada: TestUser
let grace: TestUser
let acme: TestOrganization
beforeEach(async () => {
  ;[ada, grace] = await Promise.all([newUser(), newUser()])
  acme = await newOrganization(ada)
  await addMember(acme, grace, 'editor')
})
const as = <T>(work: () => Promise<T>) => asRequest({}, work)
const asAda = () => actIn(ada, acme, 'admin')
const asGrace = () => actIn(grace, acme, 'editor')
const newText = () => ({ title: 'Plans', slug: `plans-${crypto.randomUUID()}`, summary: '', tags: [], body: 'Secret' })

const stateOf = async (id: string) =>
  (await uncheckedDb.execute(sql`select status, scope_id, scheduled_by from content_posts where id = ${id}`)).rows[0]

describe.runIf(isInstalled)('posts of an organization', () => {
  const create = async (): Promise<string> => {
    const { createPost } = await load('posts')
    return as(() => createPost(asGrace(), 'Plans'))
  }
  const schedule = async (id: string, at: Date) => {
    const { savePost } = await load('posts')
    await as(() => savePost(asGrace(), { id, version: 1, text: newText(), step: 'schedule', at }))
  }

  test('belong to it, although the user is only a viewer in the app', async () => {
    const id = await create()
    expect(await stateOf(id)).toMatchObject({ scope_id: acme.id, status: 'draft' })
    const { findDrafts, findDraft } = await load('drafts')
    const { posts } = await findDrafts(asAda(), {})
    expect(posts.map((post: { id: string }) => post.id)).toEqual([id])
    const root = await newUser('admin')
    // An admin of the app, in the app itself.
    expect(await findDraft({ ...root, scope: null }, id)).toBeNull()
    expect(await outcome(() => findDraft(actIn(root, acme, 'admin'), id))).toBe('not_found')
    const { createPost } = await load('posts')
    expect(await outcome(() => createPost({ ...grace, scope: null }, 'In the app'))).toBe('forbidden')
  })

  test('are published by the job in their organization, while their scheduler may', async () => {
    const { publishScheduled } = await load('publish')
    for (const isStillEditor of [true, false]) {
      const id = await create()
      const at = new Date(Date.now() + 3_600_000)
      await schedule(id, at)
      if (!isStillEditor)
        await uncheckedDb.execute(
          sql`update organizations_members set role = 'viewer' where scope_id = ${acme.id} and user_id = ${grace.id}`,
        )
      await publishScheduled.work({ postId: id, at: at.toISOString() }, { id: crypto.randomUUID() })
      expect(await stateOf(id)).toMatchObject({ status: isStillEditor ? 'published' : 'draft', scheduled_by: null })
    }
  })

  test('are unscheduled when their scheduler is demoted or removed', async () => {
    const [first, second] = [await create(), await create()]
    await schedule(first, new Date(Date.now() + 3_600_000))
    await as(() => changeMemberRole(asAda(), grace.id, 'viewer'))
    expect(await stateOf(first)).toMatchObject({ status: 'draft', scheduled_by: null })
    await as(() => changeMemberRole(asAda(), grace.id, 'editor'))
    await schedule(second, new Date(Date.now() + 3_600_000))
    await as(() => removeMember(asAda(), grace.id))
    expect(await stateOf(second)).toMatchObject({ status: 'draft', scheduled_by: null })
  })

  test('go with it, also those that are published', async () => {
    const id = await create()
    const { savePost } = await load('posts')
    await as(() => savePost(asGrace(), { id, version: 1, text: newText(), step: 'publish' }))
    await as(() => deleteOwnOrganization(asAda(), acme.name))
    await deleteOrganizationRows.work({ organizationId: acme.id }, { id: crypto.randomUUID() })
    expect(await stateOf(id)).toBeUndefined()
    const { rows } = await uncheckedDb.execute(sql`select 1 from content_published where post_id = ${id}`)
    expect(rows).toEqual([])
  })

  test('do not exist if the setting does not turn them on, and are not published then', async () => {
    const { publishScheduled } = await load('publish')
    const id = await create()
    const at = new Date(Date.now() + 3_600_000)
    await schedule(id, at)
    delete process.env.CONTENT_PER_ORGANIZATION
    try {
      expect(await outcome(create)).toBe('not_found')
      await publishScheduled.work({ postId: id, at: at.toISOString() }, { id: crypto.randomUUID() })
    } finally {
      process.env.CONTENT_PER_ORGANIZATION = 'on'
    }
    expect(await stateOf(id)).toMatchObject({ status: 'draft', scheduled_by: null })
  })

  test('have their events in the organization, also when a suspension ends schedules and preview links', async () => {
    const root = await newUser('admin')
    const id = await create()
    const { createPreview } = await load('previews')
    await as(() => createPreview(asGrace(), id))
    await schedule(id, new Date(Date.now() + 3_600_000))
    const { transactionAs } = await import('@/core/auth/transaction-as')
    const { suspendUsers } = await import('@/core/auth/user/rights')
    const allow = definePolicy({ 'users.suspend': ['admin'] }).can('users.suspend')
    await as(() =>
      transactionAs(root, allow, (tx, actor) => suspendUsers(tx, actor, [grace.id], { ip: null, userAgent: null }), {
        locks: [grace.id],
      }),
    )
    const { rows } = await uncheckedDb.execute(
      sql`select kind, scope_id from audit_events where target_id = ${grace.id} and details->>'post' = ${id} order by kind`,
    )
    expect(rows).toEqual(['post.unscheduled', 'preview.revoked'].map((kind) => ({ kind, scope_id: acme.id })))
  })

  test('give no role in the image library, which belongs to the app', async () => {
    const editor = await newUser('editor')
    await addMember(acme, editor, 'admin')
    const id = crypto.randomUUID()
    await uncheckedDb.execute(
      sql`insert into content_images (id, owner_id, name, alt, file_id, width, height, variants)
        values (${id}, ${grace.id}, 'boat.png', 'A boat', gen_random_uuid(), 1, 1, '{}')`,
    )
    const { addImage, deleteImage, replaceImage } = await load('_images/library')
    const read = () => Promise.reject(new Error('was read'))
    const asAdminThere = actIn(editor, acme, 'admin')
    expect(await outcome(() => deleteImage(asAdminThere, id))).toBe('not_found')
    expect(await outcome(() => replaceImage(asAdminThere, id, read))).toBe('not_found')
    expect(await outcome(() => addImage(asAdminThere, read))).toBe('not_found')
    // In the app, the same user is an editor.
    expect(await outcome(() => deleteImage({ ...editor, scope: null }, id))).toBe('forbidden')
  })
})
