import type { Route } from 'next'
import type { ComponentType } from 'react'
import type { Allow, Permissions, Role } from './auth/policy'
import type { Database, Transaction } from './db/client'
import type { Env } from './env'
import type { Job } from './jobs/job'

/** An entry in the app's navigation. Shown to those who may open it; the page checks for itself all the same. */
export interface NavigationItem {
  label: string
  /** Checked against the routes that exist: an entry for a page that is gone does not compile. */
  href: Route
  description: string
  allow: Allow
}

/** What somebody must show besides a password or a provider's word, and where they show it. */
export interface Challenge {
  /** Told to programs that sign in: `totp`. */
  kind: string
  page: Route
  /** There is nothing to show yet: it is set up on that page. */
  isNew?: boolean
}

/** Whom a module vouches for, when a program calls with a token that it has given out. */
export interface Bearer {
  user: { id: string; email: string; name: string; role: Role }
  expires: Date
}

/** What a module adds to the running app. Everything is optional but its name; import anything heavy inside the functions. */
export interface AppModule {
  /** The folder's name without its parentheses. */
  name: string
  title: string
  navigation?: NavigationItem[]
  permissions?: Permissions
  env?: Env
  /** What the worker does for it, mails included. */
  jobs?: () => Promise<Job[]>
  /** Other ways to sign in, for the sign-in page; `next` is where people are going. */
  signInWays?: () => Promise<ComponentType<{ next: string }>>
  /** Whom it has invited, where people do not join by themselves. Whoever joins takes their invitation, and its role. */
  invitation?: {
    find: (email: string) => Promise<boolean>
    take: (tx: Transaction, email: string) => Promise<Role | null>
  }
  /** Asked once the first proof was right: what else must be shown, or null. */
  challenge?: (userId: string) => Promise<Challenge | null>
  /** Somebody has lost what the challenge asks for, and an admin vouches for them: it is asked for no more. */
  liftChallenge?: (tx: Transaction, userId: string, actorId: string) => Promise<void>
  /** Asked about every bearer token that is none of a session: whose it is, or null. */
  bearer?: (token: string) => Promise<Bearer | null>
  /** Somebody else was in the account: ends what it lets others do there, and the ways in that were added since then. */
  revoke?: (tx: Transaction, userId: string, since: Date) => Promise<void>
  /** What it holds of somebody, as files: text and bytes as they are, anything else as JSON. */
  gather?: (userId: string) => Promise<Record<string, unknown>>
  /** Takes away what it holds of somebody who is deleted, where the tables do not do so by themselves. */
  erase?: (tx: Transaction, userId: string) => Promise<void>
  /** Example data for development; must be safe to run again. */
  seed?: (db: Database) => Promise<void>
}

/** @public Every module calls it; an app without modules does not. */
export function defineModule(module: AppModule): AppModule {
  return module
}
