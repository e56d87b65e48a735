import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  check,
  index,
  inet,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { Role } from '../auth/policy'
import { bytes, moment } from './columns'

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull().default('viewer'),
    emailVerifiedAt: moment('email_verified_at'),
    suspendedAt: moment('suspended_at'),
    image: text('image'),
    /** To the hour; `sessions` know better. */
    lastSeenAt: moment('last_seen_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('users_email_key').on(sql`lower(${table.email})`),
    // A trigger refuses to leave it empty (see the migration).
    index('users_admins_idx').on(table.id).where(sql`${table.role} = 'admin' and ${table.suspendedAt} is null`),
    check('users_role_check', sql`${table.role} in ('viewer', 'editor', 'admin')`),
  ],
)

/** Apart from `users`, so that no query for a person can bring the hash along. */
export const passwords = pgTable('passwords', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  hash: text('hash').notNull(),
  changedAt: moment('changed_at').notNull().defaultNow(),
  /** Wrong tries since the last right one. */
  failures: integer('failures').notNull().default(0),
})

/** A person's identity at an OAuth provider. The provider's tokens are not kept. */
export const accounts = pgTable(
  'accounts',
  {
    provider: text('provider').notNull(),
    providerAccountId: text('provider_account_id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ name: 'accounts_pkey', columns: [table.provider, table.providerAccountId] }),
    index('accounts_user_id_idx').on(table.userId),
  ],
)

export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tokenHash: bytes('token_hash').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull().defaultNow(),
    lastSeenAt: moment('last_seen_at').notNull().defaultNow(),
    /** When the person last showed that it is them: by signing in, or since then. */
    confirmedAt: moment('confirmed_at').notNull().defaultNow(),
    userAgent: text('user_agent'),
    ip: inet('ip'),
    /** The session of the admin who acts for this person; it ends with that one. */
    openedBy: uuid('opened_by').references((): AnyPgColumn => sessions.id, { onDelete: 'cascade' }),
  },
  (table) => [
    uniqueIndex('sessions_token_hash_key').on(table.tokenHash),
    index('sessions_user_id_idx').on(table.userId, table.lastSeenAt),
    index('sessions_created_at_idx').on(table.createdAt),
    index('sessions_opened_by_idx').on(table.openedBy).where(sql`${table.openedBy} is not null`),
  ],
)

/** Somebody who wants to join and has not shown yet that the address is theirs. Not a person: nothing can sign in as it. */
export const signups = pgTable(
  'signups',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    passwordHash: text('password_hash').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [index('signups_email_idx').on(table.email), index('signups_created_at_idx').on(table.createdAt)],
)

/**
 * What a link in a mail holds, or a browser between two steps: for one person, one sign-up or nobody yet, once, for a
 * while. Only the hash is stored.
 */
export const tokens = pgTable(
  'tokens',
  {
    hash: bytes('hash').primaryKey(),
    purpose: text('purpose').notNull(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    signupId: uuid('signup_id').references(() => signups.id, { onDelete: 'cascade' }),
    /** The address that it is about, where that is not the person's own: the next one, or the one before. */
    email: text('email'),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('tokens_user_id_idx').on(table.userId),
    index('tokens_signup_id_idx').on(table.signupId),
    index('tokens_expires_at_idx').on(table.expiresAt),
    check('tokens_subject_check', sql`num_nonnulls(${table.userId}, ${table.signupId}) <= 1`),
  ],
)

/**
 * What happened, who did it and to whom. A trigger refuses every change, and each month is a partition of its own (see the
 * migrations). Nothing here refers to another table: it outlives whoever it is about, and holds their id but neither name
 * nor address.
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: bigint('id', { mode: 'number' }).notNull().default(sql`nextval('audit_events_id_seq')`),
    at: moment('at').notNull().defaultNow(),
    kind: text('kind').notNull(),
    actorId: uuid('actor_id'),
    targetId: uuid('target_id'),
    ip: inet('ip'),
    userAgent: text('user_agent'),
    details: jsonb('details').$type<Record<string, string | number | boolean>>(),
  },
  (table) => [
    primaryKey({ name: 'audit_events_pkey', columns: [table.at, table.id] }),
    index('audit_events_actor_id_idx').on(table.actorId, table.at, table.id),
    index('audit_events_target_id_idx').on(table.targetId, table.at, table.id),
    index('audit_events_kind_idx').on(table.kind, table.at, table.id),
  ],
)

/** Written by rate-limiter-flexible, which knows these three columns by heart. Not logged: a crash may forget it. */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text('key').primaryKey(),
    points: integer('points').notNull().default(0),
    expire: bigint('expire', { mode: 'number' }),
  },
  (table) => [index('rate_limits_expire_idx').on(table.expire)],
)
