import { signedIn } from '@/core/auth/policy'
import { defineModule } from '@/core/module'
import { contentEnv } from './env'
import { can, permissions } from './policy'

export default defineModule({
  name: 'content',
  title: 'Content',
  navigation: [
    { label: 'Posts', href: '/posts', description: 'What has been published', allow: signedIn },
    {
      label: 'Write',
      href: '/content',
      description: 'Drafts, versions, and what the public sees',
      allow: can('posts.write'),
    },
  ],
  permissions,
  env: contentEnv,
  jobs: async () => {
    const { publishOverdue, publishScheduled } = await import('./posts')
    return [publishScheduled, publishOverdue]
  },
  revoke: async (tx, userId) => (await import('./previews')).revokePreviews(tx, userId),
  gather: async (userId) => (await import('./gather')).gatherContent(userId),
  seed: async (db) => (await import('./seed')).seedPosts(db),
})
