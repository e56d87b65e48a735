import type { Route } from 'next'
import Link from 'next/link'
import type { ComponentProps } from 'react'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { userPath } from '../user-page'

/** The dialogs about a user. Each is a page of its own, so they open without JavaScript, too. */
export type UserDialog = 'role' | 'reset' | 'two-factor' | 'impersonate' | 'sign-out' | 'suspend' | 'restore' | 'delete'

/** A link that opens a dialog over a page of the user, and returns to that page. */
export function DialogLink({
  userId,
  dialog,
  path,
  ...props
}: Omit<ComponentProps<'a'>, 'href'> & {
  userId: string
  dialog: UserDialog
  /** Of the current page. To the overview a dialog returns by itself. */
  path: Route
}) {
  const from = path === userPath(userId) ? undefined : path
  return <Link href={pathWithQuery(userPath(userId, dialog), { from })} prefetch={false} scroll={false} {...props} />
}
