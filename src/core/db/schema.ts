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
import { adminRole, defaultRole, type Role, roles } from '../auth/roles'
import { bytes, timestamptz } from './columns'

/** A role in a definition, where parameters are not possible. */
const literal = (role: Role) => sql.raw(`'${role}'`)

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull().default(defaultRole),
    emailVerifiedAt: timestamptz('email_verified_at'),
    suspendedAt: timestamptz('suspended_at'),
    image: text('image'),
    /** An IANA name, such as Europe/Berlin. */
    timeZone: text('time_zone'),
    /** A BCP 47 tag, such as en-GB. */
    locale: text('locale'),
    /** Updated at most once an hour; `sessions.lastSeenAt` is more precise. */
    lastSeenAt: timestamptz('last_seen_at'),
    /** When "Secure my account" was used: devices that were trusted before are not any more. */
    devicesForgottenAt: timestamptz('devices_forgotten_at'),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('users_email_key').on(sql`lower(${table.email})`),
    // A trigger prevents removing the last active admin (see the migration).
    index('users_admins_idx')
      .on(table.id)
      .where(sql`${table.role} = ${literal(adminRole)} and ${table.suspendedAt} is null`),
    check('users_role_check', sql`${table.role} in (${sql.join(roles.map(literal), sql`, `)})`),
  ],
)

/**
 * What rows and permissions can belong to, such as organizations. The app itself is one of them, with the nil UUID (see the
 * migration and core/scope.ts).
 */
export const scopes = pgTable('scopes', {
  id: uuid('id').primaryKey().defaultRandom(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

/** In its own table, so that no query for a user can return the hash by accident. */
export const passwords = pgTable('passwords', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  hash: text('hash').notNull(),
  changedAt: timestamptz('changed_at').notNull().defaultNow(),
  /** Number of wrong passwords since the last correct one. */
  failures: integer('failures').notNull().default(0),
})

/** A user's identity at an OAuth provider. The provider's tokens are not stored. */
export const identities = pgTable(
  'accounts',
  {
    provider: text('provider').notNull(),
    providerAccountId: text('provider_account_id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
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
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    lastSeenAt: timestamptz('last_seen_at').notNull().defaultNow(),
    /** When the user last authenticated in this session: at sign-in, or by reauthenticating later. */
    reauthenticatedAt: timestamptz('confirmed_at').notNull().defaultNow(),
    userAgent: text('user_agent'),
    ip: inet('ip'),
    /** The session of the admin who impersonates this user. When it ends, this session ends, too. */
    impersonatorSessionId: uuid('opened_by').references((): AnyPgColumn => sessions.id, { onDelete: 'cascade' }),
  },
  (table) => [
    uniqueIndex('sessions_token_hash_key').on(table.tokenHash),
    index('sessions_user_id_idx').on(table.userId, table.lastSeenAt),
    index('sessions_created_at_idx').on(table.createdAt),
    index('sessions_opened_by_idx')
      .on(table.impersonatorSessionId)
      .where(sql`${table.impersonatorSessionId} is not null`),
  ],
)

/** A sign-up with an unverified email. Not a user yet: it cannot sign in. */
export const signups = pgTable(
  'signups',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    passwordHash: text('password_hash').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    /** Values of `userFields` of modules, which are saved once the email is verified. */
    fields: jsonb('fields').$type<Record<string, string>>(),
  },
  (table) => [index('signups_email_idx').on(table.email), index('signups_created_at_idx').on(table.createdAt)],
)

/**
 * One-time tokens in email links and cookies, for one user, one sign-up, or neither. They expire, and only the hash is
 * stored.
 */
export const tokens = pgTable(
  'tokens',
  {
    hash: bytes('hash').primaryKey(),
    purpose: text('purpose').notNull(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    signupId: uuid('signup_id').references(() => signups.id, { onDelete: 'cascade' }),
    /** The email that the token is about, if it is not the user's current one: the new or the former email. */
    email: text('email'),
    /** Of a pending sign-in: when the user reauthenticated with the first factor; null if that was now. */
    reauthenticatedAt: timestamptz('reauthenticated_at'),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (table) => [
    index('tokens_user_id_idx').on(table.userId),
    index('tokens_signup_id_idx').on(table.signupId),
    index('tokens_expires_at_idx').on(table.expiresAt),
    check('tokens_subject_check', sql`num_nonnulls(${table.userId}, ${table.signupId}) <= 1`),
  ],
)

/**
 * Audit log: what happened, who did it and to whom. A trigger rejects every change, and each month is a partition (see
 * the migrations). It has no foreign keys, because events outlive their users; it contains user ids, but no names or
 * emails.
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: bigint('id', { mode: 'number' }).notNull().default(sql`nextval('audit_events_id_seq')`),
    at: timestamptz('at').notNull().defaultNow(),
    kind: text('kind').notNull(),
    actorId: uuid('actor_id'),
    targetId: uuid('target_id'),
    ip: inet('ip'),
    userAgent: text('user_agent'),
    details: jsonb('details').$type<Record<string, string | number | boolean>>(),
    /** The scope in which it happened; null in the app itself. */
    scopeId: uuid('scope_id'),
  },
  (table) => [
    primaryKey({ name: 'audit_events_pkey', columns: [table.at, table.id] }),
    index('audit_events_actor_id_idx').on(table.actorId, table.at, table.id),
    index('audit_events_target_id_idx').on(table.targetId, table.at, table.id),
    index('audit_events_kind_idx').on(table.kind, table.at, table.id),
    index('audit_events_scope_id_idx').on(table.scopeId, table.at, table.id).where(sql`scope_id is not null`),
  ],
)

/** Written by core/limits. `expire` is in milliseconds since 1970. An UNLOGGED table: a crash may empty it. */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text('key').primaryKey(),
    points: integer('points').notNull().default(0),
    expire: bigint('expire', { mode: 'number' }),
  },
  (table) => [index('rate_limits_expire_idx').on(table.expire)],
)
