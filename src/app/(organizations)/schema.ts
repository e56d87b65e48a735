import { sql } from 'drizzle-orm'
import { foreignKey, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { adminRole, type Role } from '@/core/auth/roles'
import { bytes, timestamptz } from '@/core/db/columns'
import { scopes, users } from '@/core/db/schema'
import { scopeColumn } from '@/core/db/scope-column'

const literal = (role: Role) => sql.raw(`'${role}'`)

/** Not a tenant table: the names of a user’s organizations are read together. */
export const organizations = pgTable(
  'organizations_organizations',
  {
    id: uuid('id')
      .primaryKey()
      .references(() => scopes.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    /** The file in `logos`. */
    logoId: uuid('logo_id'),
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
    /** Nobody has access any more; a job deletes the rest. */
    deletedAt: timestamptz('deleted_at'),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('organizations_organizations_created_at_idx').on(table.createdAt, table.id),
    index('organizations_organizations_created_by_idx').on(table.createdBy),
  ],
)

/**
 * The slug of an organization, its id, and the last slugs that it had before: they lead to the current one, and one lookup takes all
 * of them. A slug that no organization has any more stays reserved for a while.
 */
export const slugs = pgTable(
  'organizations_slugs',
  {
    slug: text('slug').primaryKey(),
    organizationId: uuid('organization_id'),
    /** Since when it is not the slug of an organization; null for the current one and the id. */
    freedAt: timestamptz('freed_at'),
  },
  (table) => [
    foreignKey({
      name: 'organizations_slugs_organization_fk',
      columns: [table.organizationId],
      foreignColumns: [organizations.id],
    }).onDelete('set null'),
    index('organizations_slugs_organization_id_idx').on(table.organizationId),
  ],
)

/** A trigger prevents removing the last admin of an organization (see the migration). */
export const members = pgTable(
  'organizations_members',
  {
    scopeId: scopeColumn(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role').$type<Role>().notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ name: 'organizations_members_pkey', columns: [table.scopeId, table.userId] }),
    // The default of the column is the app itself, which is no organization.
    foreignKey({
      name: 'organizations_members_organization_fk',
      columns: [table.scopeId],
      foreignColumns: [organizations.id],
    }).onDelete('cascade'),
    index('organizations_members_joined_idx').on(table.userId, table.createdAt, table.scopeId),
    index('organizations_members_admins_idx')
      .on(table.scopeId)
      .where(sql`${table.role} = ${literal(adminRole)}`),
    index('organizations_members_created_at_idx').on(table.scopeId, table.createdAt, table.userId),
    index('organizations_members_role_idx').on(table.scopeId, table.role, table.createdAt, table.userId),
  ],
)

/** An invitation is for one email. The token of the link in the email is replaced when it is sent again. */
export const invitations = pgTable(
  'organizations_invitations',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    scopeId: scopeColumn(),
    email: text('email').notNull(),
    role: text('role').$type<Role>().notNull(),
    /** Null until the email is sent. */
    tokenHash: bytes('token_hash'),
    /** The invitation is void if they are no longer an admin of the organization. */
    invitedBy: uuid('invited_by').references(() => users.id, { onDelete: 'set null' }),
    sentAt: timestamptz('sent_at').notNull().defaultNow(),
    /** Kept for a while, so that accepting twice is no error. */
    acceptedAt: timestamptz('accepted_at'),
  },
  (table) => [
    foreignKey({
      name: 'organizations_invitations_organization_fk',
      columns: [table.scopeId],
      foreignColumns: [organizations.id],
    }).onDelete('cascade'),
    uniqueIndex('organizations_invitations_email_key').on(table.scopeId, table.email),
    uniqueIndex('organizations_invitations_token_key').on(table.tokenHash),
    index('organizations_invitations_pending_idx').on(table.email).where(sql`accepted_at is null`),
    index('organizations_invitations_sent_at_idx').on(table.scopeId, table.sentAt, table.id),
    index('organizations_invitations_invited_by_idx').on(table.invitedBy),
  ],
)

/** Logos as WebP. A new logo gets a new id, so its URL never changes its content. */
export const logos = pgTable(
  'organizations_logos',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    organizationId: uuid('organization_id').notNull(),
    data: bytes('data').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'organizations_logos_organization_fk',
      columns: [table.organizationId],
      foreignColumns: [organizations.id],
    }).onDelete('cascade'),
    index('organizations_logos_organization_id_idx').on(table.organizationId),
  ],
)
