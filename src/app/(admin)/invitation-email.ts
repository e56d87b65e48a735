import 'server-only'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { appName } from '@/brand'
import { defaultRole, type Role, roleLabel } from '@/core/auth/roles'
import { createEmailLink, type EmailLinkPurpose, sampleEmailLink } from '@/core/auth/tokens/email-link'
import { db, type Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { tokens, users } from '@/core/db/schema'
import { env } from '@/core/env'
import { defineEmail, sampleRecipient } from '@/core/mail/define-email'
import { hasLink } from '@/core/mail/has-link'
import type { EmailContent } from '@/core/mail/render-email'
import { isFromInviter, validDays } from './invitation-validity'
import { invitations } from './schema'

export const invitationToken: EmailLinkPurpose = {
  name: 'admin.invitation',
  path: '/join',
  lifetimeSeconds: validDays * 24 * 60 * 60,
}

/** Makes the links that were sent to these emails invalid. */
export async function deleteInvitationTokens(tx: Transaction, emails: string[]): Promise<void> {
  await tx.delete(tokens).where(and(eq(tokens.purpose, invitationToken.name), inArray(tokens.email, emails)))
}

interface InvitationContent {
  email: string
  role: Role
  url: string
  /** The name of the admin who sent it; undefined if they are deleted or suspended by now, or if it looks like a link. */
  inviter: string | undefined
}

/** The recipient does not know the app yet, so the email says who invites them, to what, and as what. */
function invitationContent({ email, role, url, inviter }: InvitationContent): EmailContent {
  const host = new URL(env.AUTH_URL).host
  return {
    to: { address: email },
    subject: inviter ? `${inviter} invited you to ${appName}` : `You’re invited to ${appName}`,
    preheader: `Join ${appName} at ${host} as ${roleLabel(role)}.`,
    paragraphs: [
      `${inviter ?? 'An admin'} invited you to join ${appName} at ${host}. Set your name and password to get started.`,
    ],
    facts: [
      ...(inviter ? [{ label: 'Invited by', value: inviter }] : []),
      { label: 'Your email', value: email },
      { label: 'Your role', value: roleLabel(role) },
    ],
    action: { label: 'Accept invitation', url },
    notes: [`This link works once and expires in ${validDays} days.`, 'Not expecting this? You can ignore this email.'],
    reason: `an admin of ${appName} invited this address`,
  }
}

export const invitationEmail = defineEmail('admin.invitation', {
  isSentOverLimit: true,
  // Jobs enqueued by earlier versions have no `sentAt` (0.2.0) or no `inviterId`.
  data: z.object({
    invitationId: z.uuid(),
    sentAt: z.iso.datetime().optional(),
    inviterId: z.uuid().optional(),
  }),
  compose: async ({ invitationId, sentAt, inviterId }) => {
    const invitation = await inTransaction((tx) => createInvitationLink(tx, invitationId, sentAt))
    return invitation && invitationContent({ ...invitation, inviter: await findInviter(inviterId) })
  },
  samples: () => {
    const sample = { email: sampleRecipient.address, role: defaultRole, url: sampleEmailLink(invitationToken) } as const
    return ['Grace Hopper', undefined].map((inviter) => invitationContent({ ...sample, inviter }))
  },
})

async function findInviter(inviterId: string | undefined): Promise<string | undefined> {
  if (!inviterId) return undefined
  const [inviter] = await db
    .select({ name: users.name })
    .from(users)
    .where(and(eq(users.id, inviterId), isNull(users.suspendedAt)))
  return inviter?.name && !hasLink(inviter.name) ? inviter.name : undefined
}

/**
 * Creates the link for one sending of an invitation; null if it was resent or revoked meanwhile, or is void. The lock makes a
 * concurrent resend wait, so that it finds this link's token and deletes it. So a link never grants a role that it was
 * not sent with.
 */
export async function createInvitationLink(tx: Transaction, invitationId: string, sentAt: string | undefined) {
  const [invitation] = await tx
    .select({ email: invitations.email, role: invitations.role, sentAt: invitations.sentAt })
    .from(invitations)
    .where(and(eq(invitations.id, invitationId), isFromInviter))
    .for('share')
  if (!invitation || (sentAt !== undefined && invitation.sentAt.toISOString() !== sentAt)) return null
  const { email, role } = invitation
  return { email, role, url: await createEmailLink(invitationToken, { email }, { tx }) }
}
