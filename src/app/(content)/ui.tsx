import { Images, Newspaper, SquarePen } from 'lucide-react'
import { signedIn } from '@/core/auth/policy'
import { defineModuleUi } from '@/core/module-ui'
import { scopePath } from '@/core/scope'
import { auditSentences } from './audit-sentences'
import { env } from './env'
import { can } from './policy'

export default defineModuleUi({
  permissions: {
    'posts.write': 'Write posts, and edit their own',
    'posts.write_others': 'Edit posts of other authors',
    'posts.publish': 'Publish, schedule and unpublish posts',
    'posts.delete': 'Delete their own posts',
    'posts.delete_others': 'Delete posts of other authors',
  } satisfies Record<Parameters<typeof can>[0], string>,
  navigation: [
    {
      label: 'Posts',
      href: '/content',
      icon: SquarePen,
      group: 'workspace',
      order: 10,
      allow: can('posts.write'),
      badge: async (actor) => (await import('./drafts')).findDraftBadge(actor),
    },
    { label: 'Blog', href: '/posts', icon: Newspaper, group: 'workspace', order: 20, allow: signedIn, isPublic: true },
  ],
  scopeNavigation:
    env.CONTENT_PER_ORGANIZATION === 'on'
      ? [
          {
            label: 'Posts',
            href: (slug) => scopePath({ slug }, '/content'),
            icon: SquarePen,
            order: 10,
            allow: can('posts.write'),
          },
        ]
      : [],
  widgets: [
    {
      id: 'content.drafts',
      size: 'large',
      order: 30,
      allow: can('posts.write'),
      load: async () => (await import('./_components/widgets/drafts')).DraftsWidget,
    },
    {
      id: 'content.recent',
      size: 'medium',
      order: 20,
      allow: signedIn,
      load: async () => (await import('./_components/widgets/recent-posts')).RecentPostsWidget,
    },
  ],
  audit: auditSentences,
  auditSubjects: {
    post: async (reader, ids) => (await import('./audit-subjects')).findPostsOfEvents(reader, ids),
  },
  commands: [
    { label: 'New post', href: '/content', icon: SquarePen, keys: 'c', allow: can('posts.write') },
    { label: 'Posts', href: '/content', icon: SquarePen, keys: 'g p', allow: can('posts.write') },
    { label: 'Images', href: '/content/images', icon: Images, allow: can('posts.write') },
  ],
  search: [
    {
      title: 'Posts',
      allow: can('posts.write'),
      find: async (actor, text) => (await import('./search-posts')).searchDrafts(actor, text),
    },
    {
      title: 'Blog',
      allow: signedIn,
      find: async (_actor, text) => (await import('./search-posts')).searchBlog(text),
    },
  ],
  userPage: {
    tabs: [
      {
        slug: 'posts',
        label: 'Posts',
        allow: can('posts.write_others'),
        count: async (userId) => (await import('./posts-of-user')).countPostsOf(userId),
        load: async () => (await import('./_components/user-posts')).UserPosts,
      },
    ],
  },
})
