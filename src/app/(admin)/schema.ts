import { sql } from 'drizzle-orm'
import { boolean, date, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Role } from '@/core/auth/policy'
import { timestamptz } from '@/core/db/columns'
import { users } from '@/core/db/schema'
import type { RowProblem } from './_import/problems'

/** An invitation to sign up. The token of the link in the email is in core's `tokens`; resending creates a new one. */
export const invitations = pgTable(
  'admin_invitations',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    email: text('email').notNull(),
    role: text('role').$type<Role>().notNull(),
    /**
     * The invitation is void if they may not invite any more. Null if the command line or an earlier version has sent it. No foreign
     * key: those of a deleted admin are void, too.
     */
    invitedBy: uuid('invited_by'),
    sentAt: timestamptz('sent_at').notNull().defaultNow(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('admin_invitations_email_key').on(table.email),
    index('admin_invitations_sent_at_idx').on(table.sentAt, table.id),
  ],
)

/** Number of audit events per day and kind, counted once the day is over. */
export const dailyCounts = pgTable(
  'admin_days',
  {
    day: date('day').notNull(),
    kind: text('kind').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ name: 'admin_days_pkey', columns: [table.day, table.kind] })],
)

/**
 * Search terms of users: the email, and the name from every word on, in lower case. A trigger on `users` maintains the
 * table (see the migration). It includes role and status, so that a filtered search still uses one index.
 */
export const searchTerms = pgTable(
  'admin_terms',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    term: text('term').notNull(),
    /** Length of the common prefix with the user's previous term. */
    shared: integer('shared').notNull(),
    role: text('role').$type<Role>().notNull(),
    isActive: boolean('is_active').notNull(),
  },
  (table) => [
    primaryKey({ name: 'admin_terms_pkey', columns: [table.userId, table.term] }),
    index('admin_terms_term_idx').on(table.role, table.isActive, table.shared, table.term, table.userId),
  ],
)

/** An import of users from a file. Deleted after a week, and after a day if it was not started. */
export const imports = pgTable(
  'admin_imports',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    fileName: text('file_name').notNull().default(''),
    status: text('status').$type<ImportStatus>().notNull().default('reading'),
    /**
     * The admin who imports; null on the command line. No foreign key: if the admin is deleted meanwhile, the import must still
     * end with an audit event.
     */
    createdBy: uuid('created_by'),
    /** Rows of the file. Those that are neither imported nor invited, and have no problem, are still to do. */
    total: integer('total').notNull().default(0),
    /** Rows with a password hash and without a problem, when the file was read. */
    withHash: integer('with_hash').notNull().default(0),
    problems: integer('problems').notNull().default(0),
    imported: integer('imported').notNull().default(0),
    invited: integer('invited').notNull().default(0),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    endedAt: timestamptz('ended_at'),
  },
  (table) => [index('admin_imports_created_at_idx').on(table.createdAt, table.id)],
)

/** Reading the file, ready to start after the dry run, running, done, or canceled after some rows were imported. */
export type ImportStatus = 'reading' | 'ready' | 'running' | 'done' | 'canceled'

/**
 * The rows of a file that are still to import, and those with a problem. A row is deleted in the transaction that imports it, so
 * what is left is where a worker resumes, and no hash stays here.
 */
export const importRows = pgTable(
  'admin_import_rows',
  {
    importId: uuid('import_id')
      .notNull()
      .references(() => imports.id, { onDelete: 'cascade' }),
    row: integer('row').notNull(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<Role>(),
    hash: text('hash'),
    problem: text('problem').$type<RowProblem>(),
  },
  (table) => [
    primaryKey({ name: 'admin_import_rows_pkey', columns: [table.importId, table.row] }),
    index('admin_import_rows_email_idx').on(table.importId, table.email).where(sql`${table.problem} is null`),
    index('admin_import_rows_todo_idx').on(table.importId, table.row).where(sql`${table.problem} is null`),
    index('admin_import_rows_problem_idx').on(table.importId, table.row).where(sql`${table.problem} is not null`),
  ],
)
