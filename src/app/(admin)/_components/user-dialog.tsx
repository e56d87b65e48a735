import type { Route } from 'next'
import { notFound } from 'next/navigation'
import { isAdminRole, roleLabel } from '@/core/auth/roles'
import type { Actor } from '@/core/auth/session/actor'
import { findDeletionEffects } from '@/core/auth/user/deletion-effects'
import { DialogForm } from '@/core/ui/dialog-form'
import { Field } from '@/core/ui/form'
import { pathWithQuery } from '@/core/ui/path-with-query'
import {
  deleteUser,
  endUserSessions,
  impersonateUser,
  removeUserSecondFactor,
  restoreUser,
  sendUserReset,
  suspendUsers,
  updateUserRole,
} from '../actions'
import { type DialogUser, findDialogUser, hasSecondFactor, type Query } from '../dialog-users'
import { listOfPage } from '../list-url'
import { userReturnPath } from '../results'
import { RoleField } from './role-field'

type Act = keyof typeof dialogs

/** What an admin is about to do to a user, as a dialog or as a page. The caller has checked the permission. */
export async function UserDialog({
  act,
  frame,
  actor,
  id,
  query,
}: {
  act: Act
  frame: 'dialog' | 'page'
  actor: Actor
  id: string
  query: Query
}) {
  const user = await findDialogUser(id)
  if (!user) notFound()
  const userPage = `/admin/users/${user.id}`
  const returnTo = userReturnPath(query.from, userPage)
  const Dialog = dialogs[act]
  return (
    <Dialog
      user={user}
      actor={actor}
      frame={{
        frame,
        path: pathWithQuery(`${userPage}/${act}` as Route, { from: query.from === undefined ? undefined : returnTo }),
        cancelHref: returnTo,
        crumbs: [
          { label: 'Users', href: '/admin/users' },
          { label: user.name, href: userPage as Route },
        ],
      }}
      fields={{ userId: user.id, returnTo }}
    />
  )
}

interface Props {
  user: DialogUser
  actor: Actor
  frame: Pick<Parameters<typeof DialogForm>[0], 'frame' | 'path' | 'cancelHref' | 'crumbs'>
  fields: { userId: string; returnTo: Route }
}

function RoleDialog({ user, actor, frame, fields }: Props) {
  return (
    <DialogForm
      {...frame}
      title={`Change the role of ${user.name}`}
      action={updateUserRole}
      fields={fields}
      submit="Change role"
      isSensitive
    >
      <RoleField
        selected={user.role}
        hint={user.id === actor.id ? 'This is you. You’ll lose access to this page.' : undefined}
      />
    </DialogForm>
  )
}

const ResetDialog = ({ user, frame, fields }: Props) => (
  <DialogForm
    {...frame}
    title={`Send ${user.name} a password reset?`}
    consequences={[
      `Sends a link to ${user.email}. It works for 30 minutes.`,
      'Their password stays as it is until they set another one.',
    ]}
    reason={user.suspendedAt ? 'Restore this user before sending a reset link.' : undefined}
    action={sendUserReset}
    fields={fields}
    submit="Send reset link"
  />
)

function ImpersonateDialog({ user, frame, fields }: Props) {
  const reason = isAdminRole(user.role)
    ? 'Admins can’t be impersonated.'
    : user.suspendedAt
      ? 'Suspended users can’t be impersonated.'
      : undefined
  return (
    <DialogForm
      {...frame}
      title={`Impersonate ${user.name}?`}
      consequences={[
        'You see the app as they do, for up to 30 minutes.',
        'Their security settings stay off limits.',
        'Everything you do is recorded under your name.',
      ]}
      reason={reason}
      action={impersonateUser}
      fields={{ userId: fields.userId }}
      submit="Impersonate"
      isSensitive
    />
  )
}

const SignOutDialog = ({ user, frame, fields }: Props) => (
  <DialogForm
    {...frame}
    title={`Sign ${user.name} out everywhere?`}
    consequences={['Ends all their sessions. They have to sign in again on every device.']}
    action={endUserSessions}
    fields={fields}
    submit="Sign out everywhere"
    isDangerous
  />
)

function SuspendDialog({ user, actor, frame, fields: { userId, returnTo } }: Props) {
  const isSelf = user.id === actor.id
  const reason = isSelf
    ? 'You can’t suspend yourself.'
    : user.suspendedAt
      ? 'This user is suspended already.'
      : undefined
  return (
    <DialogForm
      {...frame}
      title={`Suspend ${user.name}?`}
      consequences={[
        'Signs them out everywhere.',
        'Blocks sign-in until you restore them.',
        'Their data is kept. Nothing is deleted.',
      ]}
      reason={reason}
      action={suspendUsers}
      fields={{ ids: userId, returnTo }}
      fieldNames={['ids']}
      submit="Suspend"
      isDangerous
      isSensitive
    />
  )
}

const RestoreDialog = ({ user, frame, fields }: Props) => (
  <DialogForm
    {...frame}
    title={`Restore ${user.name}?`}
    consequences={['They can sign in again.', `Their role stays ${roleLabel(user.role)}.`]}
    reason={user.suspendedAt ? undefined : 'This user isn’t suspended.'}
    action={restoreUser}
    fields={fields}
    submit="Restore"
    isSensitive
  />
)

async function TwoFactorDialog({ user, actor, frame, fields }: Props) {
  const isSelf = user.id === actor.id
  const reason = isSelf
    ? 'You can’t turn off your own two-factor here. Ask another admin.'
    : (await hasSecondFactor(user.id))
      ? undefined
      : 'This user has no two-factor authentication.'
  return (
    <DialogForm
      {...frame}
      title={`Turn off two-factor for ${user.name}?`}
      consequences={['Verify their identity first.', 'They’re notified by email and signed out everywhere.']}
      reason={reason}
      action={removeUserSecondFactor}
      fields={fields}
      submit="Turn off two-factor"
      isDangerous
      isSensitive
    />
  )
}

async function DeleteDialog({ user, actor, frame, fields: { userId, returnTo } }: Props) {
  const isSelf = user.id === actor.id
  const { blockers, notices } = await findDeletionEffects(user.id, { isSelf })
  const toDo = blockers.length > 0 ? `First: ${blockers.map(({ text }) => text).join(' ')}` : undefined
  return (
    <DialogForm
      {...frame}
      title={`Delete ${user.name}?`}
      consequences={[
        'Permanently deletes this user’s account and everything in it.',
        ...notices,
        'The audit log keeps only their ID.',
        'This can’t be undone.',
      ]}
      reason={isSelf ? 'Delete your own account in Settings.' : toDo}
      action={deleteUser}
      // Their page is gone then.
      fields={{ userId, returnTo: returnTo.startsWith(`/admin/users/${userId}`) ? listOfPage(returnTo) : returnTo }}
      submit="Delete user"
      isDangerous
      isSensitive
    >
      <Field
        label="Type their email to confirm"
        name="typedEmail"
        autoComplete="off"
        spellCheck={false}
        hint={user.email}
        required
      />
    </DialogForm>
  )
}

const dialogs = {
  role: RoleDialog,
  reset: ResetDialog,
  impersonate: ImpersonateDialog,
  'sign-out': SignOutDialog,
  suspend: SuspendDialog,
  restore: RestoreDialog,
  'two-factor': TwoFactorDialog,
  delete: DeleteDialog,
}
