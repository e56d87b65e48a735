import type { Route } from 'next'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { defaultRole } from '@/core/auth/roles'
import type { Actor } from '@/core/auth/session/actor'
import { DialogForm } from '@/core/ui/dialog-form'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { Avatar } from '@/core/ui/surface'
import { signOutUsers, suspendUsers, updateUserRoles } from '../actions'
import { type DialogUser, findSelectedUsers, type Query, selectedIds } from '../dialog-users'
import { userReturnPath } from '../results'
import { RoleField } from './role-field'

const shownUsers = 5

/** What an admin is about to do to the selected users, as a dialog or as a page. The caller has checked the permission. */
export async function UsersDialog({
  act,
  frame,
  actor,
  query,
}: {
  act: 'role' | 'sign-out' | 'suspend'
  frame: 'dialog' | 'page'
  actor: Actor
  query: Query
}) {
  const returnTo = userReturnPath(query.from)
  const ids = selectedIds(query)
  if (ids.length === 0) redirect(returnTo)
  const found = await findSelectedUsers(ids)
  // The actions reject the admin themselves. Without them in the selection it does what was meant.
  const users = found.filter(({ id }) => id !== actor.id)
  const isWithSelf = users.length < found.length
  const count = users.length === 1 ? '1 user' : `${users.length} users`
  const props = {
    frame,
    path: pathWithQuery(`/admin/users/${act}` as Route, {
      ids: ids.join(','),
      from: query.from === undefined ? undefined : returnTo,
    }),
    cancelHref: returnTo,
    crumbs: [{ label: 'Users', href: '/admin/users' as Route }],
    fields: { ids: users.map(({ id }) => id), returnTo },
    fieldNames: ['ids'],
    reason:
      users.length > 0 ? undefined : isWithSelf ? 'You’ve selected only yourself.' : 'These users no longer exist.',
    isSensitive: true,
  }
  const list = <SelectedUsers users={users} note={isWithSelf ? 'You’re left out.' : undefined} />
  if (act === 'role') {
    return (
      <DialogForm {...props} title={`Change the role of ${count}`} action={updateUserRoles} submit="Change role">
        {list}
        <RoleField selected={users[0]?.role ?? defaultRole} />
      </DialogForm>
    )
  }
  if (act === 'sign-out') {
    return (
      <DialogForm
        {...props}
        title={`Sign ${count} out everywhere?`}
        consequences={['Ends all their sessions. They have to sign in again on every device.']}
        action={signOutUsers}
        submit={`Sign out ${count}`}
        isDangerous
      >
        {list}
      </DialogForm>
    )
  }
  return (
    <DialogForm
      {...props}
      title={`Suspend ${count}?`}
      consequences={[
        'Signs them out everywhere.',
        'Blocks sign-in until you restore them.',
        'Their data is kept. Nothing is deleted.',
      ]}
      action={suspendUsers}
      submit={`Suspend ${count}`}
      isDangerous
    >
      {list}
    </DialogForm>
  )
}

function SelectedUsers({ users, note }: { users: DialogUser[]; note: string | undefined }): ReactNode {
  const rest = users.length - shownUsers
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <ul aria-label="Selected users" className="grid grid-cols-1 gap-2">
        {users.slice(0, shownUsers).map(({ id, name, email }) => (
          <li key={id} className="flex min-w-0 items-center gap-2.5">
            <Avatar id={id} name={name} className="size-6 text-[0.625rem]" />
            <span className="min-w-0 truncate">
              <span className="font-medium">{name}</span> <span className="text-muted-foreground">{email}</span>
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="text-muted-foreground">and {rest} more</p>}
      {note && <p className="text-muted-foreground">{note}</p>}
    </div>
  )
}
