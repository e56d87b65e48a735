import { bigint, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Role } from '@/core/auth/policy'
import { bytes, timestamptz } from '@/core/db/columns'
import { users } from '@/core/db/schema'

const userIdColumn = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** A user's picture. `data` is null when the picture is stored in a bucket. */
export const avatars = pgTable(
  'account_avatars',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: userIdColumn(),
    data: bytes('data'),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (table) => [uniqueIndex('account_avatars_user_id_key').on(table.userId)],
)

/** A requested change of email, until the new email is verified. */
export const emailChanges = pgTable(
  'account_email_changes',
  {
    userId: userIdColumn().primaryKey(),
    email: text('email').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (table) => [index('account_email_changes_created_at_idx').on(table.createdAt)],
)

/** The encrypted secret shared with an authenticator app, from the first code on, which proves that the app has it. */
export const totp = pgTable('account_totp', {
  userId: userIdColumn().primaryKey(),
  secret: text('secret').notNull(),
  confirmedAt: timestamptz('confirmed_at'),
  /** The TOTP time step of the last accepted code. Codes up to this step are rejected, so none works twice. */
  lastStep: integer('last_step').notNull().default(0),
  /** Wrong codes since the last correct one. */
  failures: integer('failures').notNull().default(0),
  /** When it is removed after "Secure my account", unless a sign-in with a second factor cancels that. */
  removalAt: timestamptz('removal_at'),
})

/** Single-use: a used code is deleted. */
export const recoveryCodes = pgTable(
  'account_recovery_codes',
  {
    hash: bytes('hash').primaryKey(),
    userId: userIdColumn(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (table) => [index('account_recovery_codes_user_id_idx').on(table.userId)],
)

export const passkeys = pgTable(
  'account_passkeys',
  {
    /** The WebAuthn credential id. */
    id: text('id').primaryKey(),
    userId: userIdColumn(),
    publicKey: bytes('public_key').notNull(),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    lastUsedAt: timestamptz('last_used_at'),
  },
  (table) => [index('account_passkeys_user_id_idx').on(table.userId)],
)

/** For API clients. Only the hash is stored. The effective role is the lower of `role` and the owner's role. */
export const apiTokens = pgTable(
  'account_api_tokens',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: userIdColumn(),
    hash: bytes('hash').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    expiresAt: timestamptz('expires_at').notNull(),
    lastUsedAt: timestamptz('last_used_at'),
  },
  (table) => [
    uniqueIndex('account_api_tokens_hash_key').on(table.hash),
    index('account_api_tokens_user_id_idx').on(table.userId),
    index('account_api_tokens_expires_at_idx').on(table.expiresAt),
  ],
)
