import 'server-only'
import { and, asc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { authorize, isAllowed } from '@/core/auth/policy'
import { lockUsers } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { findRoleIn, inScopeAsApp, ofScope } from '@/core/db/scoped'
import { acrossScopes } from '@/core/db/tenant-check'
import { AppError } from '@/core/errors'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { appScopeId } from '@/core/scope'
import { writeImageUses } from './_images/image-uses'
import { renderPublished } from './_images/render-body'
import { env } from './env'
import { selectPostForUpdate, updatePost } from './lock-post'
import { excerptOf, prepareCode } from './markdown'
import { can, type Writer } from './policy'
import { closeRevisions, readRevision } from './revisions'
import { posts, published, revisions, type Status, slugs, tags } from './schema'
import { slugOf } from './slug'

const maxScheduleAheadMs = 10 * 365 * 24 * 60 * 60 * 1_000

/** Derives the status from the published row and the schedule. */
async function statusOf(tx: Transaction, postId: string, isScheduled: boolean): Promise<Status> {
  const [row] = await tx.select({ number: published.number }).from(published).where(eq(published.postId, postId))
  return row ? 'published' : isScheduled ? 'scheduled' : 'draft'
}

/** Reserves the slug for the post permanently. Throws `invalid_input` if another post has or had it. */
async function claimSlug(tx: Transaction, postId: string, slug: string): Promise<void> {
  const [, [owner]] = await Promise.all([
    tx.insert(slugs).values({ slug, postId }).onConflictDoNothing(),
    tx.select({ postId: slugs.postId }).from(slugs).where(eq(slugs.slug, slug)),
  ])
  if (owner?.postId === postId) return
  const fields = { slug: ['This slug is (or was) used by another post'] }
  throw new AppError('invalid_input', undefined, { fields })
}

/**
 * Writes the slug that is derived from the title into a revision without one, so that the editor shows it, and a later title
 * does not change the URL. A closed revision stays as it is. Returns whether the text changed.
 */
async function fillSlug(tx: Transaction, postId: string, number: number): Promise<boolean> {
  const { slug, title } = await readRevision(tx, postId, number)
  if (slug !== '') return false
  const { rowCount } = await tx
    .update(revisions)
    .set({ slug: slugOf(title, postId) })
    .where(
      and(
        ofScope(revisions.scopeId),
        eq(revisions.postId, postId),
        eq(revisions.number, number),
        eq(revisions.isOpen, true),
      ),
    )
  return rowCount === 1
}

/** Publishes a revision; `actor` is null for a scheduled job. Returns the changes of the post. */
export async function publish(tx: Transaction, postId: string, number: number, actor: Writer | null) {
  const isTextChanged = await fillSlug(tx, postId, number)
  const [, { body, ...text }] = await Promise.all([closeRevisions(tx, postId), readRevision(tx, postId, number)])
  const slug = text.slug || slugOf(text.title, postId)
  // The images again: one that is not recorded here would stay private, for example one of a text that was copied with SQL.
  await Promise.all([claimSlug(tx, postId, slug), writeImageUses(tx, postId, number, body)])
  const summary = text.summary || excerptOf(body)
  const language = env.CONTENT_LANGUAGE
  const vector = (value: string, weight: 'A' | 'B' | 'C' | 'D') =>
    sql`setweight(to_tsvector(${language}::regconfig, ${value}), ${sql.raw(`'${weight}'`)})`
  const search = sql<string>`${vector(text.title, 'A')} || ${vector(text.tags.join(' '), 'B')} || ${vector(summary, 'C')} || ${vector(body, 'D')}`
  const html = await renderPublished(tx, body)
  const row = { number, ...text, slug, summary, html, search, updatedAt: sql`now()` }
  const [publishedRow] = await tx
    .insert(published)
    .values({ postId, ...row, publishedAt: sql`now()` })
    .onConflictDoUpdate({ target: published.postId, set: row })
    .returning({ publishedAt: published.publishedAt })
  const publishedAt = publishedRow?.publishedAt ?? new Date()
  await Promise.all([
    tx.delete(tags).where(eq(tags.postId, postId)),
    text.tags.length > 0 && tx.insert(tags).values(text.tags.map((tag) => ({ tag, publishedAt, postId }))),
    recordAuditEvent(tx, 'post.published', { actorId: actor?.id, details: { post: postId, number } }),
  ])
  return { status: 'published', scheduled: null, scheduledAt: null, scheduledBy: null, isTextChanged } as const
}

/**
 * Publishes the post scheduled for `at`, unless it was unscheduled, its scheduler has lost the permission to publish, or the setting
 * has turned posts of organizations off.
 */
async function publishAt(postId: string, at: string): Promise<void> {
  const [text] = await acrossScopes('the post tells its scope', () =>
    db
      .select({ body: revisions.body, scopeId: posts.scopeId })
      .from(posts)
      .innerJoin(revisions, and(eq(revisions.postId, posts.id), eq(revisions.number, posts.scheduled)))
      .where(eq(posts.id, postId)),
  )
  if (!text) return
  await prepareCode([text.body])
  await inScopeAsApp(text.scopeId, async (tx) => {
    const [plan] = await tx
      .select({ by: posts.scheduledBy })
      .from(posts)
      .where(and(ofScope(posts.scopeId), eq(posts.id, postId)))
    // Lock the user before the post, like a suspension does; the other order could deadlock.
    const isActive = plan?.by ? (await lockUsers(tx, [plan.by])).has(plan.by) : false
    const role = plan?.by && isActive ? await findRoleIn(tx, plan.by, text.scopeId) : null
    const post = await selectPostForUpdate(tx, postId)
    if (post?.scheduled == null || post.scheduledAt?.toISOString() !== at || post.scheduledBy !== plan?.by) return
    // Null: scheduled by a release that did not store the user.
    const mayPublish = plan.by === null || isAllowed(role, can('posts.publish'))
    if (mayPublish && (text.scopeId === appScopeId || env.CONTENT_PER_ORGANIZATION === 'on'))
      return updatePost(tx, post, await publish(tx, postId, post.scheduled, null))
    await recordAuditEvent(tx, 'post.unscheduled', { details: { post: postId, reason: 'may not publish' } })
    await updatePost(tx, post, await clearedSchedule(tx, postId))
  })
}

/** The columns to set on a post that is no longer scheduled. */
export const clearedSchedule = async (tx: Transaction, postId: string) => ({
  status: await statusOf(tx, postId, false),
  scheduled: null,
  scheduledAt: null,
  scheduledBy: null,
})

/** Removes the schedules of users who lost the permission to publish: in one scope, or in all of them. */
export const unschedulePostsOf = (tx: Transaction, userIds: string[], actorId: string, scopeId?: string) =>
  acrossScopes('a user has lost rights', () => unschedule(tx, userIds, actorId, scopeId))

async function unschedule(tx: Transaction, userIds: string[], actorId: string, scopeId?: string): Promise<void> {
  const found = await tx
    .select({ id: posts.id, by: posts.scheduledBy, scopeId: posts.scopeId })
    .from(posts)
    .where(
      and(
        inArray(posts.scheduledBy, userIds),
        isNotNull(posts.scheduled),
        scopeId === undefined ? undefined : eq(posts.scopeId, scopeId),
      ),
    )
    .orderBy(asc(posts.id))
    .for('update')
  if (found.length === 0) return
  const isPublished = sql`exists (select 1 from ${published} where ${published.postId} = ${posts.id})`
  await tx
    .update(posts)
    .set({
      status: sql`case when ${isPublished} then 'published' else 'draft' end`,
      scheduled: null,
      scheduledAt: null,
      scheduledBy: null,
      updatedAt: sql`now()`,
    })
    .where(
      inArray(
        posts.id,
        found.map(({ id }) => id),
      ),
    )
  const events = found.map(({ id, by, scopeId }) => ({
    actorId,
    targetId: by ?? undefined,
    details: { post: id },
    scopeId,
  }))
  await recordAuditEvent(tx, 'post.unscheduled', ...events)
}

export const publishScheduled = defineJob('content.publish', {
  data: z.object({ postId: z.uuid(), at: z.iso.datetime() }),
  run: ({ postId, at }) => publishAt(postId, at),
})

/** Publishes overdue posts whose job was lost, for example because no worker ran or the queue was not restored. */
export const publishOverdue = defineJob('content.publish-overdue', {
  cron: '*/10 * * * *',
  data: z.object({}),
  run: async () => {
    const overdue = await acrossScopes('posts of all organizations', () =>
      db
        .select({ postId: posts.id, at: posts.scheduledAt })
        .from(posts)
        .where(lt(posts.scheduledAt, sql`now() - interval '5 minutes'`))
        .limit(100),
    )
    for (const { postId, at } of overdue) if (at) await publishAt(postId, at.toISOString())
  },
})

/** Schedules a revision for `at`. Returns the changes of the post. */
export async function schedule(tx: Transaction, postId: string, number: number, actor: Writer, at: Date | undefined) {
  authorize(actor, can('posts.publish'))
  const aheadMs = at ? at.getTime() - Date.now() : 0
  if (!at || aheadMs <= 0 || aheadMs > maxScheduleAheadMs)
    throw new AppError('invalid_input', undefined, { fields: { at: ['Choose a future date within 10 years'] } })
  const isTextChanged = await fillSlug(tx, postId, number)
  await closeRevisions(tx, postId)
  // Reserve the slug now, so that no other post takes it before publication.
  const { slug, title } = await readRevision(tx, postId, number)
  await claimSlug(tx, postId, slug || slugOf(title, postId))
  await enqueue(tx, publishScheduled, { postId, at: at.toISOString() }, { startAfter: at })
  await recordAuditEvent(tx, 'post.scheduled', {
    actorId: actor.id,
    details: { post: postId, number, at: at.toISOString() },
  })
  const status = await statusOf(tx, postId, true)
  return { status, scheduled: number, scheduledAt: at, scheduledBy: actor.id, isTextChanged }
}
