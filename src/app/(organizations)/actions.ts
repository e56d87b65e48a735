'use server'

import { z } from 'zod'
import { defineAction } from '@/core/action'
import { signedIn } from '@/core/auth/policy'
import { roles } from '@/core/auth/roles'
import { rejectImpersonation } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { closeDialog } from '@/core/ui/close-dialog'
import { withResult } from '@/core/ui/result-params'
import { appointAdmin as appoint } from './appoint-admin'
import { deleteAnyOrganization, deleteOwnOrganization } from './delete-organization'
import * as invitations from './invitations'
import { changeLogo } from './logos'
import * as members from './members'
import * as organizations from './organizations'
import { can } from './policy'
import type { ResultKind } from './results'

/** Lower case, because ids are compared with the caller's own id in code. */
const id = z.uuid().toLowerCase()
const userInput = z.object({ userId: id })
const typedName = z.string().max(200)

/** Ends an action: goes to the page, which shows the result as a toast. */
const finish = (path: string, done: ResultKind, count?: number): never => closeDialog(withResult(path, { done, count }))

const membersPage = ({ scope }: { scope: { slug: string } }) => scopePath(scope, '/members')
const settingsPage = (slug: string) => scopePath({ slug }, '/settings')

export const createOrganization = defineAction({
  allow: can('organizations.create'),
  input: z.object({ name: z.string().max(200), slug: z.string().max(100).optional() }),
  preserve: ['name', 'slug'],
  run: async ({ input, actor }) => {
    const slug = await organizations.createOrganization(actor, input)
    finish(membersPage({ scope: { slug } }), 'created')
  },
})

export const updateOrganization = defineAction({
  allow: can('organization.update'),
  input: z.object({ name: z.string().max(200), slug: z.string().max(100) }),
  preserve: ['name', 'slug'],
  run: async ({ input, actor }) => finish(settingsPage(await organizations.updateOrganization(actor, input)), 'saved'),
})

export const setLogo = defineAction({
  allow: can('organization.update'),
  input: z.object({ logo: z.instanceof(File, { error: 'Choose an image' }) }),
  run: async ({ input, actor }) => {
    await changeLogo(actor, input.logo)
    finish(settingsPage(actor.scope.slug), 'logo_saved')
  },
})

export const removeLogo = defineAction({
  allow: can('organization.update'),
  input: z.object({}),
  run: async ({ actor }) => {
    await changeLogo(actor, null)
    finish(settingsPage(actor.scope.slug), 'logo_removed')
  },
})

export const changeMemberRole = defineAction({
  allow: can('members.change_role'),
  isSensitive: true,
  input: userInput.extend({ role: z.enum(roles) }),
  preserve: ['role'],
  run: async ({ input, actor }) => {
    const isChanged = await members.changeMemberRole(actor, input.userId, input.role)
    finish(membersPage(actor), isChanged ? 'role' : 'unchanged')
  },
})

export const removeMember = defineAction({
  allow: can('members.remove'),
  isSensitive: true,
  input: userInput,
  run: async ({ input, actor }) => {
    await members.removeMember(actor, input.userId)
    finish(membersPage(actor), 'removed')
  },
})

export const transferOrganization = defineAction({
  allow: can('organization.transfer'),
  isSensitive: true,
  input: userInput,
  preserve: ['userId'],
  run: async ({ input, actor }) => {
    await members.transferOrganization(actor, input.userId)
    finish(membersPage(actor), 'transferred')
  },
})

export const leaveOrganization = defineAction({
  allow: can('members.leave'),
  input: z.object({}),
  run: async ({ actor }) => {
    // Only the user may do it, as with `signedIn`.
    await rejectImpersonation()
    await members.leaveOrganization(actor)
    finish('/organizations', 'left')
  },
})

export const deleteOrganization = defineAction({
  allow: can('organization.delete'),
  isSensitive: true,
  input: z.object({ typedName }),
  preserve: ['typedName'],
  run: async ({ input, actor }) => {
    await deleteOwnOrganization(actor, input.typedName)
    finish('/organizations', 'deleted')
  },
})

export const inviteMembers = defineAction({
  allow: can('members.invite'),
  isSensitive: true,
  input: z.object({
    emails: z.string().max(10_000, 'This is too long. Enter fewer emails'),
    role: z.enum(roles),
  }),
  preserve: ['emails', 'role'],
  run: async ({ input, actor }) => {
    const count = await invitations.inviteMembers(actor, input.emails, input.role)
    finish(`${membersPage(actor)}/invited`, 'invited', count)
  },
})

export const resendMemberInvitation = defineAction({
  allow: can('members.invite'),
  isSensitive: true,
  input: z.object({ id }),
  run: async ({ input, actor }) => {
    await invitations.resendInvitation(actor, input.id)
    finish(`${membersPage(actor)}/invited`, 'resent')
  },
})

export const revokeMemberInvitation = defineAction({
  allow: can('members.invite'),
  isSensitive: true,
  input: z.object({ id }),
  run: async ({ input, actor }) => {
    await invitations.revokeInvitation(actor, input.id)
    finish(`${membersPage(actor)}/invited`, 'revoked')
  },
})

/** The token of the link in the email, or the id of one of the user's own invitations. */
const invitationKey = z.object({ token: z.string().max(100) })

export const acceptMembership = defineAction({
  allow: signedIn,
  input: invitationKey,
  run: async ({ input, actor }) => {
    const slug = await invitations.acceptInvitation(actor, input.token)
    finish(membersPage({ scope: { slug } }), 'joined')
  },
})

export const declineMembership = defineAction({
  allow: signedIn,
  input: invitationKey,
  run: async ({ input, actor }) => {
    await invitations.declineInvitation(actor, input.token)
    finish('/organizations', 'declined')
  },
})

export const appointAdmin = defineAction({
  allow: can('organizations.manage'),
  isSensitive: true,
  input: z.object({ organizationId: id, email: z.string().max(320) }),
  preserve: ['email'],
  run: async ({ input, actor }) => {
    await appoint(actor, input.organizationId, input.email)
    finish('/admin/organizations', 'appointed')
  },
})

export const deleteOrganizationAsAdmin = defineAction({
  allow: can('organizations.manage'),
  isSensitive: true,
  input: z.object({ organizationId: id, typedName }),
  preserve: ['typedName'],
  run: async ({ input, actor }) => {
    await deleteAnyOrganization(actor, input.organizationId, input.typedName)
    finish('/admin/organizations', 'deleted')
  },
})
