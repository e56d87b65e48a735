import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { bytes, timestamptz } from '@/core/db/columns'
import { users } from '@/core/db/schema'

/** A browser has asked for a code. The code and the link are not stored: see secrets.ts. */
export const requests = pgTable(
  'email_code_requests',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Null if the email has no account, or above the limits: then no email is sent, and no code is correct. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The hash of the token in the browser's cookie. */
    browserHash: bytes('browser_hash').notNull(),
    linkHash: bytes('link_hash').notNull(),
    /** The email as it was typed, encrypted, because it may belong to someone without an account. */
    email: text('email').notNull(),
    /** The path to go to after sign-in. */
    next: text('next').notNull(),
    /** Wrong codes that were entered for this request. */
    failures: integer('failures').notNull().default(0),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('email_code_requests_browser_hash_key').on(table.browserHash),
    uniqueIndex('email_code_requests_link_hash_key').on(table.linkHash),
    index('email_code_requests_user_id_idx').on(table.userId),
    index('email_code_requests_expires_at_idx').on(table.expiresAt),
  ],
)

/** Wrong codes of a user since the last sign-in by email, over all requests. */
export const failures = pgTable('email_code_failures', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  failures: integer('failures').notNull(),
})
