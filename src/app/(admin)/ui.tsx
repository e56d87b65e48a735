import { ChartNoAxesColumn, MailPlus, ScrollText, ShieldCheck, Upload, UserPlus, Users } from 'lucide-react'
import { defineModuleUi } from '@/core/module-ui'
import { auditSentences } from './audit-sentences'
import { can } from './policy'

export default defineModuleUi({
  permissions: {
    'users.read': 'See all users, their sessions, invitations and figures',
    'users.invite': 'Invite users, resend and revoke invitations',
    'users.import': 'Import users from a file',
    'users.change_role': 'Change the role of a user',
    'users.suspend': 'Suspend and restore users',
    'users.sign_out': 'Sign users out',
    'users.reset': 'Send password resets and turn off two-factor authentication',
    'users.delete': 'Delete users with all their data',
    'users.impersonate': 'Use the app as another user',
    'audit.read': 'Read the audit log',
  } satisfies Record<Parameters<typeof can>[0], string>,
  navigation: [
    {
      label: 'Overview',
      href: '/admin/overview',
      icon: ChartNoAxesColumn,
      group: 'admin',
      order: 10,
      allow: can('users.read'),
    },
    { label: 'Users', href: '/admin/users', icon: Users, group: 'admin', order: 20, allow: can('users.read') },
    {
      label: 'Invitations',
      href: '/admin/invitations',
      icon: MailPlus,
      group: 'admin',
      order: 30,
      allow: can('users.invite'),
      badge: async () => (await import('./user-counts')).findInvitationBadge(),
    },
    { label: 'Audit log', href: '/admin/audit', icon: ScrollText, group: 'admin', order: 40, allow: can('audit.read') },
    {
      label: 'Roles & permissions',
      href: '/admin/permissions',
      icon: ShieldCheck,
      group: 'admin',
      order: 50,
      allow: can('users.read'),
    },
  ],
  widgets: [
    {
      id: 'admin.stats',
      size: 'full',
      order: 10,
      allow: can('users.read'),
      hasPeriod: true,
      load: async () => (await import('./_components/widgets/stats')).StatsWidget,
    },
    {
      id: 'admin.sign_ins',
      size: 'large',
      order: 20,
      allow: can('users.read'),
      hasPeriod: true,
      load: async () => (await import('./_components/widgets/sign-ins')).SignInsWidget,
    },
    {
      id: 'admin.activity',
      size: 'medium',
      order: 30,
      allow: can('audit.read'),
      load: async () => (await import('./_components/widgets/recent-activity')).RecentActivityWidget,
    },
    {
      id: 'admin.invitations',
      size: 'medium',
      order: 40,
      allow: can('users.invite'),
      load: async () => (await import('./_components/widgets/pending-invitations')).PendingInvitationsWidget,
    },
  ],
  setup: [
    {
      title: 'Invite a teammate',
      link: { label: 'Invite', href: '/admin/invitations/new' },
      order: 50,
      isDone: async () => (await import('./has-invited')).hasInvited(),
    },
  ],
  audit: auditSentences,
  commands: [
    { label: 'Invite users', href: '/admin/invitations/new', icon: UserPlus, keys: 'c', allow: can('users.invite') },
    { label: 'Import users', href: '/admin/users/import', icon: Upload, allow: can('users.import') },
    { label: 'Users', href: '/admin/users', icon: Users, keys: 'g u', allow: can('users.read') },
    { label: 'Audit log', href: '/admin/audit', icon: ScrollText, keys: 'g a', allow: can('audit.read') },
  ],
  search: [
    {
      title: 'Users',
      allow: can('users.read'),
      find: async (actor, text) => (await import('./search-users')).searchUsers(actor.id, text),
    },
  ],
})
