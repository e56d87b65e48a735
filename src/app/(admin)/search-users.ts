import 'server-only'
import type { SearchResult } from '@/core/module-ui'
import { findUsers, recordFirstAccess } from './list-users'

/** Users for the command palette: the five best matches of the list. */
export async function searchUsers(actorId: string, text: string): Promise<SearchResult[]> {
  const { users } = await findUsers({ search: text, limit: 5 })
  await recordFirstAccess('search', actorId, { search: text }, users.length)
  return users.map(({ id, name, email, status }) => ({
    label: name,
    hint: status === 'suspended' ? `${email} · Suspended` : email,
    href: `/admin/users/${id}`,
    avatarId: id,
  }))
}
