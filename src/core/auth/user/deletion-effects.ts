import 'server-only'
import { modules } from '@/modules'

/**
 * What has to be done before a user can be deleted, and what else is deleted with them, from all modules. `isSelf` says whether the
 * user reads it, or an admin. `deleteUser` checks it again.
 * @public For pages that delete users.
 */
export async function findDeletionEffects(userId: string, { isSelf = true } = {}) {
  const [blockers, notices] = await Promise.all([
    Promise.all(modules.map((module) => module.deletionBlockers?.(userId) ?? [])),
    Promise.all(modules.map((module) => module.deletionNotices?.(userId, isSelf) ?? [])),
  ])
  return { blockers: blockers.flat(), notices: notices.flat() }
}
