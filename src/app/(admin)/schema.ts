import { boolean, date, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Role } from '@/core/auth/policy'
import { moment } from '@/core/db/columns'
import { users } from '@/core/db/schema'

/** Somebody who is asked to join. The link in the mail is one of core's `tokens`; resending it makes another. */
export const invitations = pgTable(
  'admin_invitations',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    email: text('email').notNull(),
    role: text('role').$type<Role>().notNull(),
    sentAt: moment('sent_at').notNull().defaultNow(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('admin_invitations_email_key').on(table.email),
    index('admin_invitations_sent_at_idx').on(table.sentAt, table.id),
  ],
)

/** How often something happened on a day, counted once it was over. */
export const days = pgTable(
  'admin_days',
  {
    day: date('day').notNull(),
    kind: text('kind').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ name: 'admin_days_pkey', columns: [table.day, table.kind] })],
)

/**
 * What people can be found by: their address, and every word of their name, in small letters. A trigger on `users` keeps
 * it (see the migration), with role and status, so that a search that is narrowed to them stays one walk along an index.
 */
export const terms = pgTable(
  'admin_terms',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    term: text('term').notNull(),
    /** With how many characters the person's term before this one begins as well. */
    shared: integer('shared').notNull(),
    role: text('role').$type<Role>().notNull(),
    isActive: boolean('is_active').notNull(),
  },
  (table) => [
    primaryKey({ name: 'admin_terms_pkey', columns: [table.userId, table.term] }),
    index('admin_terms_term_idx').on(table.role, table.isActive, table.shared, table.term, table.userId),
  ],
)
