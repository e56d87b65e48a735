'use server'

import type { Route } from 'next'
import { refresh } from 'next/cache'
import { RedirectType, redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction, definePublicAction } from '@/core/action'
import { isAllowed, roles } from '@/core/auth/policy'
import { startImpersonation } from '@/core/auth/session/impersonation'
import { userFieldInputs, userFieldNames } from '@/core/auth/user-fields'
import { closeDialog } from '@/core/ui/close-dialog'
import * as imports from './_import/imports'
import * as invitations from './invitations'
import * as list from './list-users'
import { can } from './policy'
import { type AdminResult, resultPath } from './results'
import * as userManagement from './user-management'
import { UserQuery } from './user-query'

/** Lower case, because ids are compared with the caller's own id in code, before the database normalizes them. */
const id = z.uuid().toLowerCase()
/** The page that the form returns to after success. Other callers leave it out and get a result. */
const returnTo = z.string().max(2_048).optional()
const userInput = z.object({ userId: id, returnTo })

/** Ends an action: a form goes to its page, which shows the result as a toast. Every other caller gets `data`. */
function finish<Data>(path: string | undefined, result: AdminResult, data: Data): Data {
  if (path !== undefined) closeDialog(resultPath(path, result))
  refresh()
  return data
}

/** What changed, and the button to undo it. */
const changeResult = (done: 'suspended' | 'role', { count, undo }: { count: number; undo?: string }): AdminResult =>
  count === 0 ? { done: 'unchanged' } : { done, count, undo }

/** @public Part of the contract: the page reads the list itself. */
export const listUsers = defineAction({
  allow: can('users.read'),
  input: UserQuery,
  run: async ({ input, actor }) => {
    const { users, nextCursor } = await list.listUsers(actor.id, input)
    return { users, nextCursor }
  },
})

export const updateUserRole = defineAction({
  allow: can('users.change_role'),
  isSensitive: true,
  input: userInput.extend({ role: z.enum(roles) }),
  preserve: ['role'],
  run: async ({ input, actor }) => {
    const change = await userManagement.changeRole(actor, input.userId, input.role)
    const { role } = input
    const isSelf = input.userId === actor.id
    if (isSelf && input.returnTo !== undefined && !isAllowed(role, can('users.read'))) redirect('/dashboard')
    const result = changeResult('role', isSelf ? { count: change.count } : change)
    return finish(input.returnTo, { ...result, to: role }, { role })
  },
})

export const deleteUser = defineAction({
  allow: can('users.delete'),
  isSensitive: true,
  input: userInput.extend({ typedEmail: z.string() }),
  preserve: ['typedEmail'],
  run: async ({ input, actor }) => {
    await userManagement.removeUser(actor, input.userId, input.typedEmail)
    closeDialog(resultPath(input.returnTo ?? '/admin/users', { done: 'deleted' }))
  },
})

/** A form sends a string when one row is selected, and an array when several are. */
const ids = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z.array(id, 'Select at least one user').min(1, 'Select at least one user').max(100, 'Select up to 100 users'),
)

export const suspendUsers = defineAction({
  allow: can('users.suspend'),
  isSensitive: true,
  input: z.object({ ids, returnTo }),
  run: async ({ input, actor }) => {
    const change = await userManagement.suspend(actor, input.ids)
    return finish(input.returnTo, changeResult('suspended', change), { count: change.count })
  },
})

export const undoSuspension = defineAction({
  allow: can('users.suspend'),
  isSensitive: true,
  input: z.object({ undo: z.string().max(1_000), returnTo }),
  run: async ({ input, actor }) => {
    const count = await userManagement.undoSuspension(actor, input.undo)
    return finish(input.returnTo, { done: 'restored', count }, { count })
  },
})

export const updateUserRoles = defineAction({
  allow: can('users.change_role'),
  isSensitive: true,
  input: z.object({ ids, role: z.enum(roles), returnTo }),
  preserve: ['role'],
  run: async ({ input, actor }) => {
    const change = await userManagement.changeRoles(actor, input.ids, input.role)
    return finish(input.returnTo, { ...changeResult('role', change), to: input.role }, { count: change.count })
  },
})

export const undoRoleChange = defineAction({
  allow: can('users.change_role'),
  isSensitive: true,
  input: z.object({ undo: z.string().max(1_000), returnTo }),
  run: async ({ input, actor }) => {
    const count = await userManagement.undoRoleChange(actor, input.undo)
    return finish(input.returnTo, { done: 'role_undone' }, { count })
  },
})

export const restoreUser = defineAction({
  allow: can('users.suspend'),
  isSensitive: true,
  input: userInput,
  run: async ({ input, actor }) => {
    await userManagement.restore(actor, input.userId)
    return finish(input.returnTo, { done: 'restored' }, {})
  },
})

export const endUserSessions = defineAction({
  allow: can('users.sign_out'),
  input: userInput.extend({ sessionId: z.uuid().optional() }),
  run: async ({ input, actor }) => {
    await userManagement.endSessions(actor, input.userId, input.sessionId)
    return finish(input.returnTo, { done: input.sessionId ? 'session_ended' : 'signed_out' }, {})
  },
})

export const signOutUsers = defineAction({
  allow: can('users.sign_out'),
  isSensitive: true,
  input: z.object({ ids, returnTo }),
  run: async ({ input, actor }) => {
    const count = await userManagement.endAllSessions(actor, input.ids)
    return finish(input.returnTo, count === 0 ? { done: 'unchanged' } : { done: 'signed_out', count }, { count })
  },
})

export const sendUserReset = defineAction({
  allow: can('users.reset'),
  input: userInput,
  run: async ({ input, actor }) => {
    await userManagement.sendReset(actor, input.userId)
    return finish(input.returnTo, { done: 'reset_sent' }, {})
  },
})

export const removeUserSecondFactor = defineAction({
  allow: can('users.reset'),
  isSensitive: true,
  input: userInput,
  run: async ({ input, actor }) => {
    await userManagement.removeSecondFactor(actor, input.userId)
    return finish(input.returnTo, { done: 'two_factor_off' }, {})
  },
})

export const inviteUsers = defineAction({
  allow: can('users.invite'),
  isSensitive: true,
  input: z.object({
    emails: z.string().max(10_000, 'This is too long. Enter fewer emails'),
    role: z.enum(roles),
    returnTo,
  }),
  preserve: ['emails', 'role'],
  run: async ({ input, actor }) => {
    const invited = await invitations.invite(actor, input.emails, input.role)
    return finish(input.returnTo, { done: 'invited', count: invited.length }, { invited: invited.join(', ') })
  },
})

export const resendInvitation = defineAction({
  allow: can('users.invite'),
  isSensitive: true,
  input: z.object({ id: z.uuid(), returnTo }),
  run: async ({ input, actor }) => {
    await invitations.resend(actor, input.id)
    return finish(input.returnTo, { done: 'resent' }, {})
  },
})

export const revokeInvitation = defineAction({
  allow: can('users.invite'),
  isSensitive: true,
  input: z.object({ id: z.uuid(), returnTo }),
  run: async ({ input, actor }) => {
    await invitations.revoke(actor, input.id)
    return finish(input.returnTo, { done: 'revoked' }, {})
  },
})

/** The dry run has shown what will happen. The worker imports; the page shows how far it is. */
export const startUserImport = defineAction({
  allow: can('users.import'),
  isSensitive: true,
  input: z.object({ id: z.uuid() }),
  run: async ({ input, actor }) => {
    await imports.startImport(actor, input.id)
    redirect(`/admin/users/import/${input.id}` as Route, RedirectType.replace)
  },
})

export const cancelUserImport = defineAction({
  allow: can('users.import'),
  input: z.object({ id: z.uuid() }),
  run: async ({ input, actor }) => {
    const isLeft = await imports.cancelImport(actor, input.id)
    redirect((isLeft ? `/admin/users/import/${input.id}` : '/admin/users/import') as Route, RedirectType.replace)
  },
})

/** Starts impersonation: this browser is signed in as the user until the admin stops. */
export const impersonateUser = defineAction({
  allow: can('users.impersonate'),
  isSensitive: true,
  input: userInput,
  run: async ({ input, actor }) => {
    await startImpersonation(actor, can('users.impersonate'), input.userId)
    redirect('/dashboard')
  },
})

/** Target of the link in the invitation email. Having the token proves that the email belongs to the caller. */
export const acceptInvitation = definePublicAction({
  input: z.object({
    token: z.string(),
    name: z.string(),
    password: z.string().min(1, 'Choose a password'),
    ...userFieldInputs('signup'),
  }),
  preserve: ['name', ...userFieldNames('signup')],
  run: async ({ input }) => {
    const secondFactor = await invitations.acceptInvitation(input.token, input.name, input.password, input)
    redirect(secondFactor?.page ?? '/dashboard')
  },
})
