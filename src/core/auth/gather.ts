import 'server-only'
import { desc, eq, or, sql } from 'drizzle-orm'
import { modules } from '@/modules'
import { db } from '../db/client'
import { accounts, auditEvents, passwords, sessions, users } from '../db/schema'

/**
 * All that the app holds of somebody, as files: what core has, and in a folder of its own what each installed module has.
 * Nothing that opens a door is in it, hashes included.
 * @public For modules that offer it.
 */
export async function gatherPerson(userId: string): Promise<Record<string, Uint8Array>> {
  const [[profile], signedInAt, identities, activity, ...ofModules] = await Promise.all([
    db
      .select({
        id: users.id,
        email: users.email,
        name: users.name,
        role: users.role,
        image: users.image,
        lastSeenAt: users.lastSeenAt,
        createdAt: users.createdAt,
        updatedAt: users.updatedAt,
        emailVerifiedAt: users.emailVerifiedAt,
        suspendedAt: users.suspendedAt,
        passwordChangedAt: passwords.changedAt,
      })
      .from(users)
      .leftJoin(passwords, eq(passwords.userId, users.id))
      .where(eq(users.id, userId)),
    db
      .select({
        userAgent: sessions.userAgent,
        ip: sessions.ip,
        createdAt: sessions.createdAt,
        lastSeenAt: sessions.lastSeenAt,
        confirmedAt: sessions.confirmedAt,
      })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(desc(sessions.lastSeenAt)),
    db
      .select({
        provider: accounts.provider,
        providerAccountId: accounts.providerAccountId,
        createdAt: accounts.createdAt,
      })
      .from(accounts)
      .where(eq(accounts.userId, userId))
      .orderBy(desc(accounts.createdAt)),
    findActivity(userId),
    ...modules.map(async ({ name, gather }) => [name, await gather?.(userId)] as const),
  ])
  const files = Object.entries<unknown>({
    'profile.json': profile ?? null,
    'sessions.json': signedInAt,
    'identities.json': identities,
    'activity.json': activity,
  })
  for (const [name, held] of ofModules)
    for (const [file, content] of Object.entries(held ?? {})) files.push([`${name}/${file}`, content])
  return Object.fromEntries(files.map(([file, content]) => [file, toBytes(content)]))
}

/** What they did and what was done to them. From where is told unless it was somebody else: that is theirs to tell. */
function findActivity(userId: string) {
  const isTheirs = sql`coalesce(${auditEvents.actorId}, ${userId}::uuid) = ${userId}::uuid`
  return db
    .select({
      kind: auditEvents.kind,
      at: auditEvents.at,
      ip: sql<string | null>`case when ${isTheirs} then ${auditEvents.ip} end`,
      userAgent: sql<string | null>`case when ${isTheirs} then ${auditEvents.userAgent} end`,
      details: auditEvents.details,
    })
    .from(auditEvents)
    .where(or(eq(auditEvents.actorId, userId), eq(auditEvents.targetId, userId)))
    .orderBy(desc(auditEvents.at), desc(auditEvents.id))
}

function toBytes(content: unknown): Uint8Array {
  if (content instanceof Uint8Array) return content
  return new TextEncoder().encode(typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
}
