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
import { bytes, timestamptz } from '@/core/db/columns'
import { users } from '@/core/db/schema'
import { scopeColumn } from '@/core/db/scope-column'

const searchVector = customType<{ data: string }>({ dataType: () => 'tsvector' })

export type Status = 'draft' | 'scheduled' | 'published'

/** State of a post. Its texts are in `revisions`. */
export const posts = pgTable(
  'content_posts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    scopeId: scopeColumn(),
    /** The user who created it. */
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    /** Incremented whenever the draft text changes; a save must name the version it is based on. */
    version: integer('version').notNull().default(1),
    status: text('status').$type<Status>().notNull().default('draft'),
    /** Number of the newest revision; `title` is a copy of its title, for lists. */
    draft: integer('draft').notNull().default(1),
    title: text('title').notNull(),
    /** Number of the revision that will be published at `scheduledAt`. */
    scheduled: integer('scheduled'),
    scheduledAt: timestamptz('scheduled_at'),
    /** The user who scheduled it: it is published only while they may publish. */
    scheduledBy: uuid('scheduled_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (table) => [
    // For the foreign key of revisions: a revision cannot belong to the post of another scope.
    uniqueIndex('content_posts_scope_key').on(table.scopeId, table.id),
    index('content_posts_scope_updated_idx').on(table.scopeId, table.updatedAt, table.id),
    index('content_posts_scope_status_idx').on(table.scopeId, table.status, table.updatedAt, table.id),
    index('content_posts_scope_author_idx').on(table.scopeId, table.authorId, table.updatedAt, table.id),
    index('content_posts_scheduled_at_idx').on(table.scheduledAt).where(sql`scheduled_at is not null`),
    index('content_posts_scheduled_by_idx').on(table.scheduledBy).where(sql`scheduled_by is not null`),
    index('content_posts_author_id_idx').on(table.authorId, table.updatedAt, table.id),
  ],
)

/**
 * Numbered texts of a post. The newest one is open while its author writes; once it is published or followed by another one,
 * it is immutable (enforced by a trigger in the migration).
 */
export const revisions = pgTable(
  'content_revisions',
  {
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    scopeId: scopeColumn(),
    number: integer('number').notNull(),
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    isOpen: boolean('is_open').notNull().default(true),
    /** Stored after a conflict in which the user chose the other text; it never was the draft. */
    isAside: boolean('is_aside').notNull().default(false),
    restoredFrom: integer('restored_from'),
    title: text('title').notNull(),
    slug: text('slug').notNull(),
    summary: text('summary').notNull(),
    body: text('body').notNull(),
    tags: text('tags').array().notNull(),
    coverId: uuid('cover_id'),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ name: 'content_revisions_pkey', columns: [table.postId, table.number] }),
    foreignKey({
      name: 'content_revisions_scope_fk',
      columns: [table.scopeId, table.postId],
      foreignColumns: [posts.scopeId, posts.id],
    }).onDelete('cascade'),
    index('content_revisions_author_idx').on(table.authorId, table.postId, table.number),
  ],
)

/** The columns of a revision that an editor fills in, and the cover. */
export const textColumns = {
  title: revisions.title,
  slug: revisions.slug,
  summary: revisions.summary,
  body: revisions.body,
  tags: revisions.tags,
  coverId: revisions.coverId,
}

/**
 * Copy of the published revision, with its Markdown rendered to HTML once. Public pages read only this table, so they cannot
 * leak a draft, and their cost does not grow with the number of posts.
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
    publishedAt: timestamptz('published_at').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
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

/** Tags of published posts. The primary key has the sort order of a tag's list. */
export const tags = pgTable(
  'content_tags',
  {
    tag: text('tag').notNull(),
    publishedAt: timestamptz('published_at').notNull(),
    postId: uuid('post_id')
      .notNull()
      .references(() => published.postId, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ name: 'content_tags_pkey', columns: [table.tag, table.publishedAt, table.postId] }),
    index('content_tags_post_id_idx').on(table.postId),
  ],
)

/** Every slug that a post ever had: old ones redirect to the current one, and no other post can take them. */
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

/** Cover images as WebP. Deleted only with the post, because old revisions refer to them. */
export const covers = pgTable(
  'content_covers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    data: bytes('data').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (table) => [index('content_covers_post_id_idx').on(table.postId)],
)

/** Images of the library, which posts embed. */
export const images = pgTable(
  'content_images',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** The user who uploaded it. */
    ownerId: uuid('owner_id').references(() => users.id, { onDelete: 'set null' }),
    /** The name of the uploaded file. */
    name: text('name').notNull(),
    alt: text('alt').notNull(),
    /** The files that it has now. A replaced image has new ones, so the URL of a file never changes its content. */
    fileId: uuid('file_id').notNull().defaultRandom(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    /** Widths and formats of its files, such as `640.webp`: WebP first, from small to large, then AVIF. */
    variants: text('variants').array().notNull(),
    /** When the clean-up job first found it without a post. */
    unusedSince: timestamptz('unused_since'),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    /** When its files were replaced. */
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('content_images_created_at_idx').on(table.createdAt, table.id),
    index('content_images_owner_id_idx').on(table.ownerId, table.createdAt, table.id),
  ],
)

/** Each width and format of an image. */
export const imageFiles = pgTable(
  'content_image_files',
  {
    fileId: uuid('file_id').notNull(),
    /** Width and format, such as `640.webp`. */
    variant: text('variant').notNull(),
    imageId: uuid('image_id')
      .notNull()
      .references(() => images.id, { onDelete: 'cascade' }),
    /** Null if it is in the bucket. */
    data: bytes('data'),
  },
  (table) => [
    primaryKey({ name: 'content_image_files_pkey', columns: [table.fileId, table.variant] }),
    index('content_image_files_image_id_idx').on(table.imageId),
  ],
)

/** Which revisions embed which images. An image is public while a published revision embeds it. */
export const imageUses = pgTable(
  'content_image_uses',
  {
    postId: uuid('post_id').notNull(),
    number: integer('number').notNull(),
    imageId: uuid('image_id')
      .notNull()
      .references(() => images.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ name: 'content_image_uses_pkey', columns: [table.postId, table.number, table.imageId] }),
    foreignKey({
      name: 'content_image_uses_revision_fk',
      columns: [table.postId, table.number],
      foreignColumns: [revisions.postId, revisions.number],
    }).onDelete('cascade'),
    index('content_image_uses_image_id_idx').on(table.imageId, table.postId),
  ],
)

/** Hashed tokens of links that show a draft without an account. */
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
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (table) => [
    index('content_previews_post_id_idx').on(table.postId),
    index('content_previews_created_by_idx').on(table.createdBy),
  ],
)
