import 'server-only'
import type { Route } from 'next'
import { refresh } from 'next/cache'
import { RedirectType, redirect } from 'next/navigation'

/**
 * Ends the action of a dialog: goes to the page at `path`. It takes the dialog's place, so that Back does not open the dialog
 * again. A redirect alone would show the layout, and the page behind the dialog, as they were before the action.
 */
export function closeDialog(path: string): never {
  refresh()
  redirect(path as Route, RedirectType.replace)
}
