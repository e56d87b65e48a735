import type { Route } from 'next'
import type { Allow, Permissions } from './auth/policy'
import type { Database } from './db/client'
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
  /** Example data for development; must be safe to run again. */
  seed?: (db: Database) => Promise<void>
}

/** @public Every module calls it; an app without modules does not. */
export function defineModule(module: AppModule): AppModule {
  return module
}
