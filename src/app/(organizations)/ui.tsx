import { Building2, ScrollText, Settings, Users } from 'lucide-react'
import { signedIn } from '@/core/auth/policy'
import { defineModuleUi } from '@/core/module-ui'
import { scopePath } from '@/core/scope'
import { auditSentences } from './audit-sentences'
import { can } from './policy'

export default defineModuleUi({
  permissions: {
    'organizations.create': 'Create organizations',
    'organizations.manage': 'List and delete all organizations, and appoint an admin where none can act',
    'members.read': 'See the members of the organization',
    'members.leave': 'Leave the organization',
    'members.invite': 'Invite members, resend and revoke invitations',
    'members.change_role': 'Change the role of a member',
    'members.remove': 'Remove members',
    'organization.update': 'Change name, slug and logo of the organization',
    'organization.transfer': 'Transfer the organization to another member',
    'organization.delete': 'Delete the organization with everything in it',
    'organization.audit': 'Read the audit log of the organization',
  } satisfies Record<Parameters<typeof can>[0], string>,
  navigation: [
    { label: 'Organizations', href: '/organizations', icon: Building2, group: 'workspace', order: 90, allow: signedIn },
    {
      label: 'Organizations',
      href: '/admin/organizations',
      icon: Building2,
      group: 'admin',
      order: 35,
      allow: can('organizations.manage'),
    },
  ],
  scopeNavigation: [
    {
      label: 'Members',
      href: (slug) => scopePath({ slug }, '/members'),
      icon: Users,
      order: 60,
      allow: can('members.read'),
    },
    {
      label: 'Audit log',
      href: (slug) => scopePath({ slug }, '/audit'),
      icon: ScrollText,
      order: 70,
      allow: can('organization.audit'),
    },
    {
      label: 'Settings',
      href: (slug) => scopePath({ slug }, '/settings'),
      icon: Settings,
      order: 80,
      allow: can('members.leave'),
    },
  ],
  shellTop: async () => (await import('./_components/switcher')).Switcher,
  commands: [
    { label: 'Create organization', href: '/organizations/new', icon: Building2, allow: can('organizations.create') },
  ],
  audit: auditSentences,
})
