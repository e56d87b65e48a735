import 'server-only'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { db } from '@/core/db/client'
import { getClientInfo } from '@/core/http/client-ip'
import { defineLimit } from '@/core/limits/limit'
import type { SearchResult } from '@/core/module-ui'
import { filterForAuditLog, findUsers } from './list-users'

/** The palette searches again with every letter, so only the first search of a while is recorded. */
const recordLimit = defineLimit('admin_search', { points: 1, seconds: 10 * 60 })

/** Users for the command palette: the five best matches of the list. */
export async function searchUsers(actorId: string, text: string): Promise<SearchResult[]> {
  const query = { search: text, limit: 5 }
  const { users } = await findUsers(query)
  const client = getClientInfo(await headers())
  const key = `${actorId} ${client.ip}`
  if (await recordLimit.tryConsume(key)) {
    const details = { count: users.length, ...filterForAuditLog(query) }
    try {
      await recordAuditEvent(db, 'users.listed', { actorId, client, details })
    } catch (error) {
      // Nothing was recorded, and nothing is shown: the next search must be recorded.
      await recordLimit.forgive(key)
      throw error
    }
  }
  return users.map(({ id, name, email, status }) => ({
    label: name,
    hint: status === 'suspended' ? `${email} · Suspended` : email,
    href: `/admin/users/${id}`,
    avatarId: id,
  }))
}
