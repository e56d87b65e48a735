import type { Route } from 'next'
import type { ComponentType } from 'react'
import type { z } from 'zod'
import type { Permissions, Role } from './auth/policy'
import type { Database, Transaction } from './db/client'
import type { Env } from './env'
import type { Job } from './jobs/job'
import type { ScopeProvider } from './scope'

/** The second factor that a user owes after the password or the provider, and the page that asks for it. */
export interface SecondFactor {
  /** Returned to API clients that sign in: `totp`. */
  kind: string
  page: Route
  /** The user has no second factor yet and sets one up on that page. */
  needsSetup?: boolean
  /**
   * Checks and uses up a code of the user, in a form that asks for it beside the password. Counts a wrong code, and throws. Without
   * it, such a form leads to the page /confirm.
   */
  verifyCode?: (code: string) => Promise<void>
}

/** The user that a module's bearer token authenticates. */
export interface Bearer {
  user: { id: string; email: string; name: string; role: Role }
  expires: Date
  /** The highest role that the token has in a scope. Its user may have a higher one there than in the app. */
  ceiling?: Role
}

/** Where a field of a user is shown: `admin.list` also in the CSV export and in the API. */
export type UserFieldPlace = 'signup' | 'profile' | 'admin.list' | 'admin.user'

/** A text that a module keeps about users, in a table of its own with `user_id` as primary key. */
export interface UserField {
  /** In forms, in the API and in exports: `company`. */
  name: string
  label: string
  hint?: string
  /** What browsers fill in, such as `organization`. */
  autoComplete?: string
  /** The field is required if it rejects the empty string. */
  schema: z.ZodType<string, string>
  in: UserFieldPlace[]
  /** The values of those of these users who have one. One query for all of them. */
  load: (userIds: string[]) => Promise<Map<string, string>>
  /** Stores a value that the schema has accepted. It may be empty. */
  save: (tx: Transaction, userId: string, value: string) => Promise<void>
}

/** A page for everyone, in the sitemap and in the navigation of public pages. A module lists them in `public-pages.ts`. */
export interface PublicPage {
  label: string
  /** A typed route: a page that does not exist does not compile. */
  href: Route
  group: 'site' | 'developers'
}

/** What a module adds to the running app; `ui.tsx` says what it adds to pages. Only name and title are required; import anything heavy inside the functions. */
export interface AppModule {
  /** The folder's name without its parentheses. */
  name: string
  title: string
  permissions?: Permissions
  env?: Env
  /** The page that lists the sections of the settings. Emails link to it, too. */
  settingsHome?: Route
  /** The page where users change their password. Without one, they reset it by email. */
  passwordPage?: Route
  /** Scopes, such as organizations. At most one module has them. */
  scope?: ScopeProvider
  /** Deletes what a foreign key to `scopes` does not, such as files in a bucket, when a scope is deleted. */
  deleteScopeData?: (tx: Transaction, scopeId: string) => Promise<void>
  /** What a user has to do before their account can be deleted, and the page where they do it. */
  deletionBlockers?: (userId: string) => Promise<{ text: string; label: string; href: Route }[]>
  /** What else is deleted with a user, as sentences for the user (`isSelf`) or for an admin. */
  deletionNotices?: (userId: string, isSelf: boolean) => Promise<string[]>
  /** Its background jobs, including its emails. */
  jobs?: () => Promise<Job[]>
  /**
   * More sign-in methods for the sign-in page. `next` is the path to go to afterwards, `lastMethod` the method that this browser
   * used last, for the `LastUsedBadge`.
   */
  signInMethods?: () => Promise<ComponentType<{ next: string; lastMethod?: string | undefined }>>
  /** Whether a user can reauthenticate with one of these methods. */
  canReauthenticate?: (userId: string) => Promise<boolean>
  /** Invitations, for sign-up by invitation. A new user consumes theirs and gets its role. */
  invitation?: {
    find: (email: string) => Promise<boolean>
    consume: (tx: Transaction, email: string) => Promise<Role | null>
  }
  /**
   * Imports users from a file, for `npm run user -- import`: prints what it would do, and does it if that is confirmed. Throws an
   * `AppError` if the file cannot be read.
   */
  importUsers?: (
    file: { name: string; content: AsyncIterable<Uint8Array> },
    options: { isConfirmed: boolean; print: (line: string) => void },
  ) => Promise<void>
  /** Called after the first factor was correct. Returns the second factor the user owes, or null. */
  secondFactor?: (userId: string) => Promise<SecondFactor | null>
  /** Fields of a user, for forms, lists and exports. The data export contains them, too. */
  userFields?: UserField[]
  /** Which of these users have a second factor. One query for all of them, because a list asks for a page at a time. */
  hasSecondFactor?: (userIds: string[]) => Promise<Set<string>>
  /** Removes the second factor of a user who has lost it, on behalf of an admin. */
  removeSecondFactor?: (tx: Transaction, userId: string, actorId: string) => Promise<void>
  /** Called for every bearer token that is not a session. Returns its user, or null. */
  bearer?: (token: string) => Promise<Bearer | null>
  /** The account was compromised: revokes the access that the module grants, and sign-in methods added since then. */
  revoke?: (tx: Transaction, userId: string, since: Date) => Promise<void>
  /** The user has a new password, by a change or a reset: ends sign-ins that were begun before. */
  onPasswordChange?: (tx: Transaction, userId: string) => Promise<void>
  /** The password was reset by email: removes sign-in methods from before the user had that email. Returns how many. */
  revokeOlderSignInMethods?: (tx: Transaction, userId: string, before: Date) => Promise<number>
  /**
   * Exports the data of a user, as files: text and bytes as they are, anything else as JSON. A list that may be long is an
   * async iterable of pages of rows (`keysetPages`), read with backpressure.
   */
  exportUserData?: (userId: string) => Promise<Record<string, unknown>>
  /**
   * Ends what these users may no longer do. `role` is their new role, or null if they are suspended or deleted, or no longer a
   * member. `scopeId` is where they have lost it; undefined is everywhere. Called in the transaction that changes their rights,
   * which has locked the user rows.
   */
  onRightsChange?: (
    tx: Transaction,
    change: { userIds: string[]; role: Role | null; actorId: string; scopeId?: string | undefined },
  ) => Promise<void>
  /** Deletes the data of a deleted user, where no foreign key with `on delete cascade` does so. */
  deleteUserData?: (tx: Transaction, userId: string) => Promise<void>
  /** Paths of sitemaps, for pages that are too many for `public-pages.ts`. */
  sitemaps?: () => Promise<string[]>
  /** Example data for development; must be safe to run again. */
  seed?: (db: Database) => Promise<void>
}

/** @public Every module calls it; an app without modules does not. */
export function defineModule(module: AppModule): AppModule {
  return module
}
