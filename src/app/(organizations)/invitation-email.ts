import 'server-only'
import { and, eq, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { appName } from '@/brand'
import { defaultRole, type Role, roleLabel } from '@/core/auth/roles'
import { hashToken, newToken } from '@/core/auth/tokens/token'
import type { Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { env } from '@/core/env'
import { defineEmail, sampleRecipient } from '@/core/mail/define-email'
import { hasLink } from '@/core/mail/has-link'
import type { EmailContent } from '@/core/mail/render-email'
import { isFromAdmin } from './is-from-admin'
import { invitations, organizations } from './schema'

/** How long an invitation is valid. */
export const validDays = 7

interface InvitationContent {
  email: string
  role: Role
  organization: string
  inviter: string
  token: string
}

/** The recipient may not know the app yet, so the email says who invites them, to what, and as what. */
function invitationContent({ email, role, organization, inviter, token }: InvitationContent): EmailContent {
  const { host } = new URL(env.AUTH_URL)
  return {
    to: { address: email },
    subject: `${inviter} invited you to ${organization}`,
    preheader: `Join ${organization} on ${appName} as ${roleLabel(role)}.`,
    paragraphs: [`${inviter} invited you to join ${organization} on ${appName} at ${host}.`],
    facts: [
      { label: 'Organization', value: organization },
      { label: 'Invited by', value: inviter },
      { label: 'Your email', value: email },
      { label: 'Your role', value: roleLabel(role) },
    ],
    action: { label: 'View invitation', url: new URL(`/organizations/join/${token}`, env.AUTH_URL).href },
    notes: [`This link expires in ${validDays} days.`, 'Not expecting this? You can ignore this email.'],
    reason: `a user of ${appName} invited this address`,
  }
}

export const invitationEmail = defineEmail('organizations.invitation', {
  data: z.object({ invitationId: z.uuid(), sentAt: z.iso.datetime() }),
  compose: async ({ invitationId, sentAt }) => {
    const found = await acrossScopes('the email of one invitation', () => createToken(invitationId, sentAt))
    return found && invitationContent(found)
  },
  samples: () => [
    invitationContent({
      email: sampleRecipient.address,
      role: defaultRole,
      organization: 'Acme',
      inviter: 'Grace Hopper',
      token: 'sample',
    }),
  ],
})

/** Creates the token for one sending of an invitation; null if it was sent again, accepted, revoked or void meanwhile. */
export const createToken = (invitationId: string, sentAt: string): Promise<InvitationContent | null> =>
  inTransaction((tx) => replaceToken(tx, invitationId, sentAt))

async function replaceToken(tx: Transaction, invitationId: string, sentAt: string): Promise<InvitationContent | null> {
  const [found] = await tx
    .select({
      email: invitations.email,
      role: invitations.role,
      sentAt: invitations.sentAt,
      acceptedAt: invitations.acceptedAt,
      organization: organizations.name,
      inviter: users.name,
    })
    .from(invitations)
    .innerJoin(organizations, eq(organizations.id, invitations.scopeId))
    .innerJoin(users, eq(users.id, invitations.invitedBy))
    .where(and(eq(invitations.id, invitationId), isNull(organizations.deletedAt), isFromAdmin))
    .for('update', { of: invitations })
  if (!found || found.acceptedAt || found.sentAt.toISOString() !== sentAt) return null
  const token = newToken()
  await tx
    .update(invitations)
    .set({ tokenHash: hashToken(token) })
    .where(eq(invitations.id, invitationId))
  // Users choose their names themselves, so one can be a link; those of organizations cannot.
  return { ...found, inviter: hasLink(found.inviter) ? 'A user' : found.inviter, token }
}
