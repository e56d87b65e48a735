import 'server-only'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { db } from '@/core/db/client'
import { getClientInfo } from '@/core/http/client-ip'
import { defineLimit } from '@/core/limits/limit'
import type { SearchResult } from '@/core/module-ui'
import { filterForAuditLog, findUsers } from './list-users'

/** Searches run again with every letter, so only the first of a while is recorded. */
const recordLimit = defineLimit('admin_search', { points: 1, seconds: 10 * 60 })

/** Records that an admin has found users by a text. Call it before they are shown. */
export async function recordSearch(actorId: string, text: string, count: number): Promise<void> {
  const client = getClientInfo(await headers())
  const key = `${actorId} ${client.ip}`
  if (!(await recordLimit.tryConsume(key))) return
  const details = { count, ...filterForAuditLog({ search: text }) }
  try {
    await recordAuditEvent(db, 'users.listed', { actorId, client, details })
  } catch (error) {
    // Nothing was recorded, and nothing is shown: the next search must be recorded.
    await recordLimit.forgive(key)
    throw error
  }
}

/** Users for the command palette: the five best matches of the list. */
export async function searchUsers(actorId: string, text: string): Promise<SearchResult[]> {
  const { users } = await findUsers({ search: text, limit: 5 })
  await recordSearch(actorId, text, users.length)
  return users.map(({ id, name, email, status }) => ({
    label: name,
    hint: status === 'suspended' ? `${email} · Suspended` : email,
    href: `/admin/users/${id}`,
    avatarId: id,
  }))
}
