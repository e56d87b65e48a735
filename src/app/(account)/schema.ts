import { bigint, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Role } from '@/core/auth/policy'
import { bytes, moment } from '@/core/db/columns'
import { users } from '@/core/db/schema'

const owner = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** A person's picture. `data` is empty where pictures are kept in a bucket. */
export const avatars = pgTable(
  'account_avatars',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: owner(),
    data: bytes('data'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [uniqueIndex('account_avatars_user_id_key').on(table.userId)],
)

/** The address somebody wants to have, until they have shown that it is theirs. */
export const emailChanges = pgTable(
  'account_email_changes',
  {
    userId: owner().primaryKey(),
    email: text('email').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [index('account_email_changes_created_at_idx').on(table.createdAt)],
)

/** The secret shared with an authenticator app, sealed. It counts once a code has shown that the app has it. */
export const totp = pgTable('account_totp', {
  userId: owner().primaryKey(),
  secret: text('secret').notNull(),
  confirmedAt: moment('confirmed_at'),
  /** The step of time of the last code that was used: no code works twice. */
  lastStep: integer('last_step').notNull().default(0),
})

/** Each works once: used means gone. */
export const recoveryCodes = pgTable(
  'account_recovery_codes',
  { hash: bytes('hash').primaryKey(), userId: owner() },
  (table) => [index('account_recovery_codes_user_id_idx').on(table.userId)],
)

export const passkeys = pgTable(
  'account_passkeys',
  {
    /** As the authenticator calls it. */
    id: text('id').primaryKey(),
    userId: owner(),
    publicKey: bytes('public_key').notNull(),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('account_passkeys_user_id_idx').on(table.userId)],
)

/** For programs that act for somebody. Only the hash is stored; the role is a ceiling, the owner's own the other. */
export const apiTokens = pgTable(
  'account_api_tokens',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: owner(),
    hash: bytes('hash').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    uniqueIndex('account_api_tokens_hash_key').on(table.hash),
    index('account_api_tokens_user_id_idx').on(table.userId),
    index('account_api_tokens_expires_at_idx').on(table.expiresAt),
  ],
)
