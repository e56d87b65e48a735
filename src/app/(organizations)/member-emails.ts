import 'server-only'
import { and, eq, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { appName } from '@/brand'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { env } from '@/core/env'
import { defineEmail, sampleRecipient } from '@/core/mail/define-email'
import type { EmailContent } from '@/core/mail/render-email'
import { scopePath } from '@/core/scope'
import { organizations } from './schema'

const data = z.object({ userId: z.uuid(), organizationId: z.uuid() })

interface Found {
  to: { name: string; address: string }
  organization: { name: string; slug: string }
}

async function findRecipient({ userId, organizationId }: z.output<typeof data>): Promise<Found | null> {
  const [found] = await db
    .select({ name: users.name, address: users.email, organization: organizations.name, slug: organizations.slug })
    .from(users)
    .innerJoin(organizations, eq(organizations.id, organizationId))
    .where(and(eq(users.id, userId), isNull(users.suspendedAt), isNull(organizations.deletedAt)))
  if (!found) return null
  const { name, address, organization, slug } = found
  return { to: { name, address }, organization: { name: organization, slug } }
}

const sample: Found = { to: sampleRecipient, organization: { name: 'Acme', slug: 'acme' } }

const urlOf = (path: string) => new URL(path, env.AUTH_URL).href

const removedContent = ({ to, organization }: Found): EmailContent => ({
  to,
  subject: `You were removed from ${organization.name}`,
  preheader: `You no longer have access to ${organization.name}.`,
  paragraphs: [`An admin removed you from ${organization.name}. You no longer have access to anything in it.`],
  action: { label: 'Your organizations', url: urlOf('/organizations') },
  reason: `you were a member of ${organization.name} on ${appName}`,
})

export const removedEmail = defineEmail('organizations.removed', {
  data,
  compose: async (input) => {
    const found = await findRecipient(input)
    return found && removedContent(found)
  },
  samples: () => [removedContent(sample)],
})

const becameAdminContent = ({ to, organization }: Found): EmailContent => ({
  to,
  subject: `You’re now an admin of ${organization.name}`,
  preheader: `You can manage the members and settings of ${organization.name}.`,
  paragraphs: [`You’re now an admin of ${organization.name}. You can invite members and change its settings.`],
  action: { label: `Open ${organization.name}`, url: urlOf(scopePath(organization, '/members')) },
  reason: `you’re a member of ${organization.name} on ${appName}`,
})

export const becameAdminEmail = defineEmail('organizations.admin', {
  data,
  compose: async (input) => {
    const found = await findRecipient(input)
    return found && becameAdminContent(found)
  },
  samples: () => [becameAdminContent(sample)],
})

export const memberEmails = [removedEmail, becameAdminEmail]
