import 'server-only'
import { desc, eq, sql } from 'drizzle-orm'
import { modules } from '@/modules'
import { db, readReplica } from '../../db/client'
import { keysetPages } from '../../db/keyset-pages'
import { auditEvents, identities, passwords, sessions, users } from '../../db/schema'
import { loadUserFields, userFieldsIn } from '../user-fields'

export interface ExportedFile {
  name: string
  /** Generated while it is read, because it may not fit into memory. */
  chunks: AsyncIterable<Uint8Array>
}

/**
 * Exports all data of a user as files: that of core, and that of each installed module in a folder of its own. Contains
 * no credentials, not even hashes.
 * @public For modules that offer it.
 */
export async function exportUserData(userId: string): Promise<ExportedFile[]> {
  const [[profile], sessionRows, identityRows, ...moduleExports] = await Promise.all([
    db
      .select({
        id: users.id,
        email: users.email,
        name: users.name,
        role: users.role,
        image: users.image,
        timeZone: users.timeZone,
        locale: users.locale,
        lastSeenAt: users.lastSeenAt,
        createdAt: users.createdAt,
        updatedAt: users.updatedAt,
        emailVerifiedAt: users.emailVerifiedAt,
        suspendedAt: users.suspendedAt,
        passwordChangedAt: passwords.changedAt,
        devicesForgottenAt: users.devicesForgottenAt,
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
        confirmedAt: sessions.reauthenticatedAt,
      })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(desc(sessions.lastSeenAt)),
    db
      .select({
        provider: identities.provider,
        providerAccountId: identities.providerAccountId,
        createdAt: identities.createdAt,
      })
      .from(identities)
      .where(eq(identities.userId, userId))
      .orderBy(desc(identities.createdAt)),
    ...modules.map(async (module) => [module.name, await module.exportUserData?.(userId)] as const),
  ])
  const fields = (await loadUserFields(userFieldsIn(), [userId])).get(userId)
  const files = Object.entries<unknown>({
    'profile.json': profile ? { ...profile, ...(fields && { fields }) } : null,
    'sessions.json': sessionRows,
    'identities.json': identityRows,
    'activity.json': findActivity(userId),
  })
  for (const [name, moduleFiles] of moduleExports)
    for (const [file, content] of Object.entries(moduleFiles ?? {})) files.push([`${name}/${file}`, content])
  return files.map(([name, content]) => ({ name, chunks: toChunks(content) }))
}

/**
 * Audit events by or about the user. Leaves out the IP and user agent of other users, which are their personal data.
 */
async function* findActivity(userId: string): AsyncGenerator<unknown[]> {
  const isOwnEvent = sql`coalesce(page.actor_id, ${userId}::uuid) = ${userId}::uuid`
  // With a small page size PostgreSQL uses the index even if its statistics are outdated; else it would sort all rows.
  const pages = keysetPages<{ id: number; at: Date }>(200, (last, limit) => {
    const isOlder = last ? sql`(at, id) < (${last.at.toISOString()}::timestamptz, ${last.id}::bigint)` : sql`true`
    // One index scan per column. `union` removes the duplicates of events that both scans find.
    const scanIndex = (column: 'actor_id' | 'target_id') =>
      sql`(select * from audit_events where ${sql.identifier(column)} = ${userId} and ${isOlder}
        order by at desc, id desc limit ${limit})`
    return readReplica
      .select({
        id: sql`page.id`.mapWith(Number),
        kind: sql<string>`page.kind`,
        at: sql`page.at`.mapWith(auditEvents.at),
        ip: sql<string | null>`case when ${isOwnEvent} then page.ip end`,
        userAgent: sql<string | null>`case when ${isOwnEvent} then page.user_agent end`,
        details: sql`page.details`,
      })
      .from(sql`(${scanIndex('actor_id')} union ${scanIndex('target_id')}) as page`)
      .orderBy(sql`page.at desc`, sql`page.id desc`)
      .limit(limit)
  })
  for await (const page of pages) yield page.map(({ id: _, ...event }) => event)
}

const isPages = (content: unknown): content is AsyncIterable<unknown[]> =>
  typeof content === 'object' && content !== null && Symbol.asyncIterator in content

async function* toChunks(content: unknown): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  if (content instanceof Uint8Array) yield content
  else if (isPages(content)) for await (const text of toJsonList(content)) yield encoder.encode(text)
  else yield encoder.encode(typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
}

/** Streams the same text that `JSON.stringify` would return for all rows at once. */
async function* toJsonList(pages: AsyncIterable<unknown[]>): AsyncGenerator<string> {
  let before = '['
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + JSON.stringify(page, null, 2).slice('['.length, -'\n]'.length)
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
