import { sql } from 'drizzle-orm'
import {
  boolean,
  customType,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { bytes, moment } from '@/core/db/columns'
import { users } from '@/core/db/schema'

const searchVector = customType<{ data: string }>({ dataType: () => 'tsvector' })

export type Status = 'draft' | 'scheduled' | 'published'

/** What can be said of a post at any time. Its texts are its revisions. */
export const posts = pgTable(
  'content_posts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Who began it. */
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    /** Raised whenever the newest text becomes another one: whoever saves says which they have seen. */
    version: integer('version').notNull().default(1),
    status: text('status').$type<Status>().notNull().default('draft'),
    /** The newest text: which of its revisions, and its title, for lists. */
    draft: integer('draft').notNull().default(1),
    title: text('title').notNull(),
    /** Which revision is published when. */
    scheduled: integer('scheduled'),
    scheduledAt: moment('scheduled_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('content_posts_updated_at_idx').on(table.updatedAt, table.id),
    index('content_posts_status_idx').on(table.status, table.updatedAt, table.id),
    index('content_posts_scheduled_at_idx').on(table.scheduledAt).where(sql`scheduled_at is not null`),
    index('content_posts_author_id_idx').on(table.authorId, table.updatedAt, table.id),
  ],
)

/**
 * The texts of a post, numbered. The newest one is open while its author writes; once it is published, or another one
 * follows, it never changes again (a trigger sees to that, see the migration).
 */
export const revisions = pgTable(
  'content_revisions',
  {
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    isOpen: boolean('is_open').notNull().default(true),
    /** Text of somebody who chose to go on with what another person had saved meanwhile. */
    isAside: boolean('is_aside').notNull().default(false),
    restoredFrom: integer('restored_from'),
    title: text('title').notNull(),
    slug: text('slug').notNull(),
    summary: text('summary').notNull(),
    body: text('body').notNull(),
    tags: text('tags').array().notNull(),
    coverId: uuid('cover_id'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ name: 'content_revisions_pkey', columns: [table.postId, table.number] }),
    index('content_revisions_author_id_idx').on(table.authorId),
  ],
)

/** What an editor writes, and its cover. */
export const textColumns = {
  title: revisions.title,
  slug: revisions.slug,
  summary: revisions.summary,
  body: revisions.body,
  tags: revisions.tags,
  coverId: revisions.coverId,
}

/**
 * What the public sees: a copy of the published revision, with its Markdown turned into HTML once. Public pages read
 * nothing else, so they cannot show a draft by mistake, and cost the same for any number of posts.
 */
export const published = pgTable(
  'content_published',
  {
    postId: uuid('post_id')
      .primaryKey()
      .references(() => posts.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    summary: text('summary').notNull(),
    html: text('html').notNull(),
    tags: text('tags').array().notNull(),
    coverId: uuid('cover_id'),
    publishedAt: moment('published_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
    search: searchVector('search').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'content_published_revision_fk',
      columns: [table.postId, table.number],
      foreignColumns: [revisions.postId, revisions.number],
    }),
    uniqueIndex('content_published_slug_key').on(table.slug),
    index('content_published_published_at_idx').on(table.publishedAt, table.postId),
    index('content_published_search_idx').using('gin', table.search),
  ],
)

/** The tags of published posts, in the order of their lists. */
export const tags = pgTable(
  'content_tags',
  {
    tag: text('tag').notNull(),
    publishedAt: moment('published_at').notNull(),
    postId: uuid('post_id')
      .notNull()
      .references(() => published.postId, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ name: 'content_tags_pkey', columns: [table.tag, table.publishedAt, table.postId] }),
    index('content_tags_post_id_idx').on(table.postId),
  ],
)

/** Every address that a post ever had: old ones lead to the present one, and nobody else gets them. */
export const slugs = pgTable(
  'content_slugs',
  {
    slug: text('slug').primaryKey(),
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
  },
  (table) => [index('content_slugs_post_id_idx').on(table.postId)],
)

/** Pictures, WebP. They stay while the post does: old revisions show them. */
export const covers = pgTable(
  'content_covers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    data: bytes('data').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [index('content_covers_post_id_idx').on(table.postId)],
)

/** Links that show a draft to somebody without an account. */
export const previews = pgTable(
  'content_previews',
  {
    hash: bytes('hash').primaryKey(),
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    createdBy: uuid('created_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('content_previews_post_id_idx').on(table.postId),
    index('content_previews_created_by_idx').on(table.createdBy),
  ],
)
