import { isAllowed } from '@/core/auth/policy'
import { defineModule } from '@/core/module'
import { contentEnv } from './env'
import { can, permissions } from './policy'

export default defineModule({
  name: 'content',
  title: 'Content',
  permissions,
  env: contentEnv,
  jobs: async () => {
    const { publishOverdue, publishScheduled } = await import('./publish')
    const { cleanUpImages } = await import('./_images/clean-up')
    const { deleteOrphanedFiles } = await import('./_images/image-files')
    return [publishScheduled, publishOverdue, cleanUpImages, deleteOrphanedFiles]
  },
  revoke: async (tx, userId) => (await import('./previews')).revokePreviewsOf(tx, [userId]),
  onRightsChange: async (tx, { userIds, role, actorId, scopeId }) => {
    if (!isAllowed(role, can('posts.write')))
      await (await import('./previews')).revokePreviewsOf(tx, userIds, actorId, scopeId)
    if (!isAllowed(role, can('posts.publish')))
      await (await import('./publish')).unschedulePostsOf(tx, userIds, actorId, scopeId)
  },
  deleteScopeData: async (tx, scopeId) => (await import('./delete-scope-data')).deleteScopeData(tx, scopeId),
  exportUserData: async (userId) => (await import('./export-user-data')).exportUserData(userId),
  // One per month, because a sitemap may hold only 50,000 URLs.
  sitemaps: async () => (await (await import('./published')).findMonths()).map((month) => `/posts/sitemap/${month}`),
  seed: async (db) => (await import('./seed')).seedPosts(db),
})
