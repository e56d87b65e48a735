import 'server-only'
import { and, eq, ne } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { authorize } from '@/core/auth/policy'
import { type Member, transactionAs } from '@/core/auth/transaction-as'
import { db } from '@/core/db/client'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { defineLimit } from '@/core/limits/limit'
import { defineStorage } from '@/core/storage/storage'
import { can } from './policy'
import { logos, organizations } from './schema'

const storage = defineStorage('organization-logos')

const uploadLimit = defineLimit('organizations_logo', { points: 20, seconds: 60 * 60 })

const shape = { width: 256, height: 256, fit: 'cover', megabytes: 1 } as const

/** Re-encodes the uploaded picture and sets it as the logo, or removes the logo. */
export async function changeLogo(actor: Member, file: File | null): Promise<void> {
  authorize(actor, can('organization.update'))
  await uploadLimit.consume(actor.id)
  const client = getClientInfo(await headers())
  const id = file && crypto.randomUUID()
  const data = file && id ? await storage.write(id, await encode(file)) : null
  await transactionAs(actor, can('organization.update'), async (tx, { id: actorId, scope }) => {
    const organizationId = scope.id
    const { rowCount } = await tx.update(organizations).set({ logoId: id }).where(eq(organizations.id, organizationId))
    if (!rowCount) throw new AppError('not_found')
    if (id && data) await tx.insert(logos).values({ id, organizationId, data })
    await tx.delete(logos).where(and(eq(logos.organizationId, organizationId), id ? ne(logos.id, id) : undefined))
    await recordAuditEvent(tx, 'organization.logo_changed', { actorId, client })
  })
}

async function encode(file: File): Promise<Buffer> {
  // Imported here, so that a node that never handles an upload does not load the image library.
  const { makePicture } = await import('@/core/image/picture')
  return makePicture(Buffer.from(await file.arrayBuffer()), shape)
}

export async function getLogo(id: string): Promise<Buffer> {
  const [row] = await db.select({ data: logos.data }).from(logos).where(eq(logos.id, id))
  const bytes = row && (await storage.read(id, row.data))
  if (!bytes) throw new AppError('not_found')
  return bytes
}

export const logoUrl = (logoId: string | null) => (logoId ? `/api/organizations/logos/${logoId}` : null)
