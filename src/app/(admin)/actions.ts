'use server'

import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction, definePublicAction } from '@/core/action'
import { startImpersonation } from '@/core/auth/impersonation'
import { roles } from '@/core/auth/policy'
import * as invitations from './invitations'
import * as list from './list'
import * as people from './people'
import { can } from './policy'

/** In one spelling: whether it is the caller's own is asked before the database sees it. */
const id = z.uuid().toLowerCase()
const somebody = z.object({ userId: id })

export const listUsers = defineAction({
  allow: can('users.read'),
  input: list.UserQuery,
  run: async ({ input, actor }) => {
    const { users, nextCursor } = await list.listUsers(actor.id, input)
    return { users, nextCursor }
  },
})

export const updateUserRole = defineAction({
  allow: can('users.change_role'),
  isSensitive: true,
  input: somebody.extend({ role: z.enum(roles) }),
  keep: ['role'],
  run: async ({ input, actor }) => {
    await people.changeRole(actor.id, input.userId, input.role)
    refresh()
    return { role: input.role }
  },
})

export const deleteUser = defineAction({
  allow: can('users.delete'),
  isSensitive: true,
  input: somebody.extend({ confirmation: z.string() }),
  keep: ['confirmation'],
  run: async ({ input, actor }) => {
    await people.remove(actor.id, input.userId, input.confirmation)
    redirect('/admin/users?done=deleted')
  },
})

/** A form with one row chosen sends one id, and with several a list. */
const ids = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z.array(id, 'Choose somebody first').min(1, 'Choose somebody first').max(100, 'Choose at most 100'),
)

export const suspendUsers = defineAction({
  allow: can('users.suspend'),
  isSensitive: true,
  input: z.object({ ids }),
  run: async ({ input, actor }) => {
    const count = await people.suspend(actor.id, input.ids)
    refresh()
    return { count }
  },
})

export const restoreUser = defineAction({
  allow: can('users.suspend'),
  isSensitive: true,
  input: somebody,
  run: async ({ input, actor }) => {
    await people.restore(actor.id, input.userId)
    refresh()
    return {}
  },
})

export const endUserSessions = defineAction({
  allow: can('users.sign_out'),
  input: somebody.extend({ sessionId: z.uuid().optional() }),
  run: async ({ input, actor }) => {
    await people.endSessions(actor.id, input.userId, input.sessionId)
    refresh()
    return {}
  },
})

export const sendUserReset = defineAction({
  allow: can('users.reset'),
  input: somebody,
  run: async ({ input, actor }) => {
    await people.sendReset(actor.id, input.userId)
    return {}
  },
})

export const liftUserChallenge = defineAction({
  allow: can('users.reset'),
  isSensitive: true,
  input: somebody,
  run: async ({ input, actor }) => {
    await people.liftChallenge(actor.id, input.userId)
    refresh()
    return {}
  },
})

export const inviteUsers = defineAction({
  allow: can('users.invite'),
  isSensitive: true,
  input: z.object({ emails: z.string().max(10_000, 'This is too long'), role: z.enum(roles) }),
  keep: ['emails', 'role'],
  run: async ({ input, actor }) => {
    const invited = await invitations.invite(actor.id, input.emails, input.role)
    refresh()
    return { invited: invited.join(', ') }
  },
})

export const resendInvitation = defineAction({
  allow: can('users.invite'),
  input: z.object({ id: z.uuid() }),
  run: async ({ input, actor }) => {
    await invitations.resend(actor.id, input.id)
    refresh()
    return {}
  },
})

export const revokeInvitation = defineAction({
  allow: can('users.invite'),
  input: z.object({ id: z.uuid() }),
  run: async ({ input, actor }) => {
    await invitations.revoke(actor.id, input.id)
    refresh()
    return {}
  },
})

/** From here on this browser is somebody else's, until the admin stops. */
export const actForUser = defineAction({
  allow: can('users.impersonate'),
  isSensitive: true,
  input: somebody,
  run: async ({ input }) => {
    await startImpersonation(input.userId)
    redirect('/dashboard')
  },
})

/** Behind the link in the mail: whoever has it has the address. */
export const acceptInvitation = definePublicAction({
  input: z.object({ token: z.string(), name: z.string(), password: z.string().min(1, 'Choose a password') }),
  keep: ['name'],
  run: async ({ input }) => {
    const challenge = await invitations.acceptInvitation(input.token, input.name, input.password)
    redirect(challenge?.page ?? '/dashboard')
  },
})
